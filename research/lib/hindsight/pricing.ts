import { type Cell, cellOf, type Grid, leastCell } from './cells.ts';
import { CentreChoice } from './centre-choice.ts';
import type { Choosers } from './choosers.ts';
import { gameColumn } from './cover-program.ts';
import type { Finding } from './finding.ts';
import { type Instance, leastCost } from './instance.ts';
import { TeamPricing } from './team-pricing.ts';
import { TickList } from './tick-list.ts';

/**
 * Looks for games whose tickets have prices above the game's least cost.
 *
 * In a cell of games with similar means and spreads, the best game is at most the one with the greatest sum of price − wait −
 * its own term of the cell's cost, ticket by ticket. A game is examined at the tick when its last ticket has arrived: later
 * it costs more. So it contains a newcomer of the tick.
 */
export class Pricing {
  readonly #instance: Instance;
  readonly #leastSpread: number;
  readonly #list: TickList;
  readonly #choice: CentreChoice;
  readonly #teams: TeamPricing | undefined;

  /** @param leastSpread games of less spread are examined as if they had this one */
  constructor(instance: Instance, { kinds, game, team }: Choosers, leastSpread: number) {
    const { seats } = instance;
    this.#instance = instance;
    this.#leastSpread = leastSpread;
    this.#list = new TickList(instance, team === undefined ? seats : seats / 2 - 1);
    this.#choice = new CentreChoice(this.#list, kinds, game, seats);
    if (team !== undefined) this.#teams = new TeamPricing(instance, kinds, team, leastSpread);
  }

  /**
   * Calls back for every cell in which a game may be worth more than it costs. The finding is valid during the call.
   *
   * @param prices of the tickets, in the order of `instance.parts`
   */
  find(prices: Float64Array, grid: Grid, found: (finding: Finding) => void): void {
    const { parts, end } = this.#instance;
    for (let tick = parts.reduce((first, { slot }) => Math.min(first, slot), end); tick <= end; tick++) {
      this.#list.enter(tick, prices);
      if (this.#list.fresh.length > 0) this.#findAt(grid, found);
      this.#teams?.find(tick, prices, grid, found);
    }
  }

  #findAt(grid: Grid, found: (finding: Finding) => void): void {
    const { seats } = this.#instance;
    const rho = Math.sqrt(grid.ratio);
    for (let spread = this.#leastSpread; ; spread *= grid.ratio) {
      const isLeast = spread === this.#leastSpread;
      if (!isLeast && spread / rho >= this.#list.most) break;
      const half = (grid.step * spread) / 2;
      const cell = isLeast ? leastCell(spread, rho, half, seats) : cellOf(spread, rho, half, seats);
      let next = Number.NEGATIVE_INFINITY;
      for (const [from, to] of this.#spans(cell)) {
        next = Math.max(next, Math.floor(from / (2 * half)));
        for (; next * 2 * half <= to + 2 * half; next++) {
          const centre = next * 2 * half;
          if (isLeast || grid.divisions === 0) this.#examine(centre, cell, found);
          else this.#refine(centre, spread, rho, half, grid.divisions, found);
        }
      }
    }
  }

  /** Divides a cell until no game can be worth more than it costs, or as often as allowed. */
  #refine(
    centre: number,
    spread: number,
    rho: number,
    half: number,
    divisions: number,
    found: (finding: Finding) => void,
  ): void {
    const cell = cellOf(spread, rho, half, this.#instance.seats);
    if (divisions === 0) {
      this.#examine(centre, cell, found);
      return;
    }
    if (this.#choice.excess(centre, cell, ANY_GAME) <= 0) return;
    const quarter = half / 2;
    const root = Math.sqrt(rho);
    for (const part of [spread / root, spread * root]) {
      this.#refine(centre - quarter, part, root, quarter, divisions - 1, found);
      this.#refine(centre + quarter, part, root, quarter, divisions - 1, found);
    }
  }

  #examine(centre: number, cell: Cell, found: (finding: Finding) => void): void {
    const choice = this.#choice;
    if (choice.excess(centre, cell, ANY_GAME) <= 0) return;
    if (choice.exactExcess(centre, cell, ANY_GAME) <= 0) return;
    const { parts, seats } = this.#instance;
    found({
      games: () => {
        const members = choice.members();
        return members === undefined ? [] : [gameColumn(members, leastCost(this.#instance, members))];
      },
      // The shares of its players add up to what a game is worth too much.
      each: (callback) => choice.each((at, excess) => callback(at, (excess * parts[at].size) / seats)),
    });
  }

  /** The centres at which a game with a newcomer could be worth its cost, ascending and without overlaps. */
  #spans({ weight, constant }: Cell): [from: number, to: number][] {
    const { at, sizes, means, worth, most, fresh } = this.#list;
    const spans: [number, number][] = [];
    for (const j of fresh) {
      const size = sizes[at[j]];
      const room = (worth[j] + (this.#instance.seats - size) * most - constant) / (weight * size);
      if (room <= 0) continue;
      spans.push([means[j] - Math.sqrt(room), means[j] + Math.sqrt(room)]);
    }
    const joined: [number, number][] = [];
    for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
      const last = joined.at(-1);
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
      else joined.push([from, to]);
    }
    return joined;
  }
}

const ANY_GAME = { needsNewcomer: true };
