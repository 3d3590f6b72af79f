import { type Cell, cellOf, type Grid, leastCell } from './cells.ts';
import { CentreChoice } from './centre-choice.ts';
import type { Chooser } from './chooser.ts';
import { type Column, gameColumn } from './cover-program.ts';
import type { Finding } from './finding.ts';
import { type Instance, leastCost } from './instance.ts';
import { TickList } from './tick-list.ts';

/**
 * Looks for games with a party that fills a team, whose tickets have prices above the game's least cost. These games have most
 * of the differences between teams, and their cost contains them.
 *
 * Let the party have the mean M, the other team k players with the mean M + δ, and both together the spread v. Then
 * N·v² = (squares within the party) + Σ over the other team of (within + size·(mean − M)²) − kδ²/2, and |δ| ≤ 2v. In a cell of
 * spreads up to τρ the term kδ²/2 is at most k·|δ| of the cost, so the difference of the teams, N·α·k·|δ|, outweighs it:
 * what is left is k(Nα − 1)·|δ|, which is at least λ·Σ size·(mean − M) for every |λ| ≤ Nα − 1. With it the cost is additive over
 * the tickets of the other team, for it only moves the centre of their squares to M − λ/(2·weight). Each centre gives a bound.
 * It is convex in the centre and least where the best other team has the mean M, or where λ ends.
 */
export class TeamPricing {
  readonly #instance: Instance;
  readonly #leastSpread: number;
  readonly #list: TickList;
  readonly #choice: CentreChoice;

  /**
   * @param instance with a `gapCost` of at least 1/N
   * @param chooser of the tickets of one team
   */
  constructor(instance: Instance, kinds: Uint8Array, chooser: Chooser, leastSpread: number) {
    const { seats } = instance;
    this.#instance = instance;
    this.#leastSpread = leastSpread;
    this.#list = new TickList(instance, seats / 2);
    this.#choice = new CentreChoice(this.#list, kinds, chooser, seats / 2);
  }

  /** As `Pricing.find`, at one tick. */
  find(tick: number, prices: Float64Array, grid: Grid, found: (finding: Finding) => void): void {
    const list = this.#list;
    list.enter(tick, prices);
    if (list.fresh.length === 0) return;
    for (let j = 0; j < list.count; j++) {
      if (2 * list.sizes[list.at[j]] === this.#instance.seats) this.#findWith(j, prices, grid, found);
    }
  }

  /** Looks for games with a party that fills a team. */
  #findWith(party: number, prices: Float64Array, grid: Grid, found: (finding: Finding) => void): void {
    const { seats } = this.#instance;
    const { worth, withins, most } = this.#list;
    const rho = Math.sqrt(grid.ratio);
    const first = Math.max(this.#leastSpread, Math.sqrt(withins[party] / seats));
    for (let spread = first; ; spread *= grid.ratio) {
      const isLeast = spread === this.#leastSpread;
      if (!isLeast && (seats * spread) / rho >= worth[party] + (seats / 2) * most) break;
      if (isLeast) this.#examine(party, leastCell(spread, rho, 0, seats), prices, found);
      else this.#refine(party, spread, rho, grid.divisions, prices, found);
    }
  }

  /** Divides a cell until no game can be worth more than it costs, or as often as allowed. */
  #refine(
    party: number,
    spread: number,
    rho: number,
    divisions: number,
    prices: Float64Array,
    found: (finding: Finding) => void,
  ): void {
    const cell = cellOf(spread, rho, 0, this.#instance.seats);
    if (divisions === 0) {
      this.#examine(party, cell, prices, found);
      return;
    }
    if (this.#search(party, cell).excess <= 0) return;
    const root = Math.sqrt(rho);
    for (const part of [spread / root, spread * root])
      this.#refine(party, part, root, divisions - 1, prices, found);
  }

  #examine(party: number, cell: Cell, prices: Float64Array, found: (finding: Finding) => void): void {
    const search = this.#search(party, cell);
    if (search.excess <= 0) return;
    const place = this.#list.at[party];
    found({
      party: place,
      games: () => this.#gamesOf(party, search, prices),
      each: (callback) => callback(place, search.excess),
    });
  }

  /** Tries some centres for the least bound on what a game with the party is worth. */
  #search(party: number, cell: Cell): TeamSearch {
    const { seats, gapCost } = this.#instance;
    const choice = this.#choice;
    const mean = this.#list.means[party];
    const among = { except: party, needsNewcomer: !this.#list.fresh.includes(party) };
    const reach = (seats * gapCost - 1) / (2 * cell.weight);
    const search: TeamSearch = { excess: Number.POSITIVE_INFINITY };
    let low = mean - reach;
    let high = mean + reach;
    let centre = mean;
    let step = FIRST_STEP / Math.sqrt(cell.weight);
    for (let steps = 0; steps < STEPS; steps++) {
      const other = this.#otherTeam(party, centre, cell);
      const rough = choice.excess(centre, other, among);
      search.excess = Math.min(search.excess, rough > 0 ? choice.exactExcess(centre, other, among) : rough);
      const team = search.excess > 0 ? choice.positions() : undefined;
      if (team === undefined) break;
      // The bound rises with the centre where the best team is ahead of the party.
      const lead = this.#leadOf(team, mean);
      if (lead > 0) {
        search.ahead = team;
        high = centre;
        centre = Math.max(centre - step, (low + centre) / 2);
      } else {
        search.behind = team;
        low = centre;
        centre = Math.min(centre + step, (high + centre) / 2);
      }
      step *= 2;
    }
    return search;
  }

  /** What the other team costs in a cell, with the party and λ for a centre. */
  #otherTeam(party: number, centre: number, { weight, constant }: Cell): Cell {
    const { worth, withins, means } = this.#list;
    const moved = (this.#instance.seats / 2) * (means[party] - centre) ** 2;
    return { weight, constant: constant - worth[party] + weight * (withins[party] - moved) };
  }

  /** By how much a team is ahead of a mean, for all its players. */
  #leadOf(team: readonly number[], mean: number): number {
    const { at, sizes, means } = this.#list;
    return team.reduce((sum, j) => sum + sizes[at[j]] * (means[j] - mean), 0);
  }

  /**
   * The games of the party with the teams that were found, and a blend of both teams that is as good as the party. The bound
   * cannot tell such a blend from a game.
   */
  #gamesOf(party: number, { ahead, behind }: TeamSearch, prices: Float64Array): Column[] {
    const { at, means } = this.#list;
    const games: Column[] = [];
    for (const team of [ahead, behind]) {
      if (team === undefined) continue;
      const members = [party, ...team].map((j) => at[j]);
      games.push(gameColumn(members, leastCost(this.#instance, members)));
    }
    if (ahead === undefined || behind === undefined) return games;
    const lead = this.#leadOf(ahead, means[party]);
    const lag = -this.#leadOf(behind, means[party]);
    const share = lag / (lead + lag);
    games.push(
      this.#blend(party, [...ahead.map((j) => [j, share]), ...behind.map((j) => [j, 1 - share])], prices),
    );
    return games;
  }

  /** The cost of a party with shares of tickets that have its mean together. */
  #blend(party: number, team: readonly number[][], prices: Float64Array): Column {
    const { at, sizes, means, withins, worth } = this.#list;
    const shares = new Map<number, number>();
    let squares = 0;
    let waits = 0;
    for (const [j, share] of [[party, 1], ...team]) {
      const place = at[j];
      shares.set(place, (shares.get(place) ?? 0) + share);
      squares += share * (withins[j] + sizes[place] * (means[j] - means[party]) ** 2);
      waits += share * (prices[place] - worth[j]);
    }
    return { shares, cost: Math.sqrt(this.#instance.seats * squares) + waits };
  }
}

/** What is known of games with a party in a cell. */
interface TeamSearch {
  /** At most what such a game is worth more than it costs. */
  excess: number;
  /** Teams against the party that are best at some centre, by their positions: the last one whose mean is above, and below. */
  ahead?: number[];
  behind?: number[];
}

/** How many centres are tried in a cell, and the first distance between them, as a share of 1/√weight. */
const STEPS = 8;
const FIRST_STEP = 2;
