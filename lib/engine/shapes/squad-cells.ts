import { KeyHeap } from '../collections/key-heap.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import { beyondAll, type GapCell, GapCells, newGapCell } from './gap-cells.ts';
import type { Layout } from './layout.ts';
import type { ShapedGame } from './shape-game.ts';
import { Near, type SizeLine } from './size-line.ts';
import type { TicketLine } from './ticket-line.ts';

/**
 * A lower bound on the imbalance of games of squads of three, and good games near it.
 *
 * A **cell** holds the games whose team sums lie between 3·m − gap/2 and 3·m + gap/2, for an m within `half` of its centre
 * and a gap from `gapLow` to `gapHigh`. The mean of such a game is within half + gap/6 of the centre. A party of three is a
 * squad by itself, so its sum has to lie in this range. A pair needs a solo player who brings their sum into the range. So
 * every squad has a cost of its own, and the cheapest squads bound skillSpread (docs/engine-proofs.md, "Squads of three").
 *
 * Where team sums do not decide about the gap (p ≠ 1) or count for little (a small α), cells are intervals of means.
 *
 * Removals only raise what was computed, so only cells that come first are computed anew.
 */
export class SquadCells {
  /** The most squads of three solo players that a game may have. */
  soloSquadsMax: number;

  readonly #line: TicketLine;
  readonly #clock: SearchClock;
  readonly #alpha: number;
  readonly #scale: number;
  readonly #isFair: boolean;
  readonly #squads: number;
  readonly #n: number;
  readonly #sizes: readonly SizeLine[];
  readonly #counts: ArrayLike<number>;
  readonly #solos: Near;
  readonly #pairs: Near;
  readonly #trios: Near;
  readonly #mix = { solos: 0, pairs: 0, trios: 0 };

  readonly #cells: GapCells<Cell>;
  /** The games found, by their imbalance. */
  readonly #games: ShapedGame[] = [];
  readonly #found = new KeyHeap();
  /** The mean skills of the tickets that have left, in their order. */
  readonly #removed: number[] = [];
  evaluations = 0;

  /**
   * @param sizes the lines of solo players, pairs and parties of three, by size
   * @param counts how many of each wait; kept up to date by the caller
   */
  constructor(
    line: TicketLine,
    sizes: readonly SizeLine[],
    counts: ArrayLike<number>,
    rules: GameRules,
    layout: Layout,
    soloSquadsMax: number,
    clock = new SearchClock(),
  ) {
    this.#clock = clock;
    this.#line = line;
    this.#sizes = sizes;
    this.#counts = counts;
    this.soloSquadsMax = soloSquadsMax;
    this.#squads = layout.teams;
    this.#n = layout.seats;
    this.#alpha = rules.alpha;
    this.#scale = rules.q >= 2 ? 1 : Math.sqrt(2 / layout.seats);
    this.#isFair = rules.p === 1 && rules.alpha >= leastAlpha;
    this.#solos = new Near(3 * Math.min(soloSquadsMax, this.#squads));
    this.#pairs = new Near(this.#squads + sparePairs);
    this.#trios = new Near(this.#squads);
    this.#cells = new GapCells<Cell>(line, {
      teamSize: 3,
      alpha: this.#isFair ? rules.alpha : 0,
      fine,
      newCell,
    });
  }

  /** Reports that a ticket with this mean skill has left the line. */
  removed(mean: number): void {
    this.#removed.push(mean);
  }

  /**
   * A bound on the imbalance of every game, and a game near it.
   *
   * @param find makes a game of the cheapest squads; asked where a better game may be
   */
  best(find: FindGame): {
    bound: number;
    game: ShapedGame | undefined;
  } {
    const { heap } = this.#cells;
    const evaluationsFrom = this.evaluations;
    const aside: number[] = [];
    let game = this.#leastGame();
    let searches = 0;
    for (;;) {
      const id = heap.topId;
      const bound = heap.topKey;
      if (bound === Number.POSITIVE_INFINITY || this.#clock.isOver(stepsPerCell)) break;
      if (game && bound >= game.imbalance * (1 - gapWanted)) break;
      if (game && this.evaluations - evaluationsFrom >= evaluationsMax) break;
      if (id === beyondAll) {
        if (aside.length > 0 && game) break;
        aside.length = 0;
        this.#cells.lay(bound);
        continue;
      }
      const cell = this.#cells.at(id);
      if (this.#isStale(cell)) {
        heap.replaceTop(Math.max(bound, this.#boundOf(cell)), id);
        continue;
      }
      const isLong = this.evaluations - evaluationsFrom >= evaluationsOfFirst;
      if (!isLong && this.#cells.isCoarse(cell, bound)) {
        this.#cells.split();
        continue;
      }
      if (!cell.isSearched) {
        if (game && searches >= (cell.soloSquads > 0 ? searchesOfSolos : searchesMax)) break;
        cell.isSearched = true;
        searches++;
        const found = find(cell.centre, this.#slackOf(cell), game?.imbalance ?? Number.POSITIVE_INFINITY);
        if (found) this.#keep(found);
        if (found && !(game && game.imbalance <= found.imbalance)) game = found;
        continue;
      }
      // Its bound stays, and a better game may be in the next cell.
      heap.pop();
      aside.push(id);
      cell.key = bound;
    }
    for (const id of aside) heap.push(this.#cells.at(id).key, id);
    return { bound: Math.min(heap.topKey, game?.imbalance ?? heap.topKey), game };
  }

  /** The cheapest squads around a centre whose sums are within `slack` of three times the centre, for the lists of `nearest`. */
  mixAt(centre: number, slack: number): Readonly<SquadMix> | undefined {
    return this.#evaluate(centre, slack, sparePairs) < Number.POSITIVE_INFINITY ? this.#mix : undefined;
  }

  /** The parties of the last evaluation, the cheapest first. */
  get nearest(): { readonly pairs: Near; readonly trios: Near } {
    return { pairs: this.#pairs, trios: this.#trios };
  }

  #leastGame(): ShapedGame | undefined {
    const found = this.#found;
    while (found.size > 0) {
      const game = this.#games[found.topId];
      if (soloSquadsOf(game) <= this.soloSquadsMax && this.#line.hasAll(game.members)) return game;
      found.pop();
    }
    return undefined;
  }

  #keep(game: ShapedGame): void {
    this.#games.push(game);
    this.#found.push(game.imbalance, this.#games.length - 1);
  }

  /** Whether a ticket on which the cell's bound depends has left since, or the bound was not computed yet. */
  #isStale(cell: Cell): boolean {
    const removed = this.#removed;
    const { low, high } = cell;
    const { soloSquads, solos } = cell;
    let isStale = cell.removals === -1 || soloSquads > this.soloSquadsMax || solos > this.#counts[1];
    for (let i = cell.removals; !isStale && i < removed.length; i++)
      isStale = removed[i] >= low && removed[i] <= high;
    if (!isStale) cell.removals = removed.length;
    return isStale;
  }

  /** By how much the sums of squads may differ from three times the centre. */
  #slackOf({ centre, half, gapHigh }: Cell): number {
    return this.#isFair ? gapHigh / 2 + 3 * half + 1e-14 * centre : Number.POSITIVE_INFINITY;
  }

  #boundOf(cell: Cell): number {
    const { centre, half, gapLow, gapHigh } = cell;
    const slack = this.#slackOf(cell);
    const least = this.#evaluate(centre, slack);
    const reach = this.#reachOf(slack);
    cell.removals = this.#removed.length;
    cell.isSearched = false;
    cell.soloSquads = this.#mix.solos;
    cell.solos = 3 * this.#mix.solos + this.#mix.pairs;
    cell.low = centre - reach;
    cell.high = centre + reach;
    if (least === Number.POSITIVE_INFINITY) return least;
    const away = half + (this.#isFair ? gapHigh / 6 : 0);
    const square = least / this.#n - away * away * (1 + 1e-12);
    const bound = this.#scale * Math.sqrt(Math.max(0, square)) + (this.#isFair ? this.#alpha * gapLow : 0);
    return Math.max(0, bound * (1 - 1e-12) - 1e-14 * centre);
  }

  /** How far from the centre the tickets of the last evaluation are. */
  #reachOf(slack: number): number {
    const { solos, pairs, trios } = this.#mix;
    let reach = solos > 0 ? Math.sqrt(this.#solos.costs[3 * solos - 1]) : 0;
    for (let i = 0; i < pairs; i++) {
      const away = Math.abs(this.#pairs.offsets[i]);
      reach = Math.max(reach, Math.min(Math.sqrt(this.#pairs.costs[i]), away + slack));
    }
    for (let i = 0; i < trios; i++) reach = Math.max(reach, Math.abs(this.#trios.offsets[i]) / 3);
    return reach * (1 + 1e-9);
  }

  /** The least costs of a game's squads around a centre; ∞ when no game is left. Sets the mix of these squads. */
  #evaluate(centre: number, slack: number, spare = 0): number {
    this.evaluations++;
    const counts = this.#counts;
    const squads = this.#squads;
    const [solos, pairs, trios] = this.#sizes;
    this.#solos.room = 3 * Math.min(this.soloSquadsMax, squads);
    this.#pairs.room = squads + spare;
    solos.nearest(centre, this.#solos);
    pairs.nearest(centre, this.#pairs, {
      slack,
      lever: 1,
      company: (away) => companyOf(away, centre, slack, solos),
    });
    trios.nearest(centre, this.#trios, { reach: slack / 3 });
    const soloSums = this.#solos.sums;
    const pairSums = this.#pairs.sums;
    const trioSums = this.#trios.sums;
    const soloSquadsMax = Math.min(this.soloSquadsMax, squads, Math.floor(this.#solos.count / 3));
    let least = Number.POSITIVE_INFINITY;
    for (let ofSolos = 0; ofSolos <= soloSquadsMax; ofSolos++) {
      const parties = squads - ofSolos;
      const pairsMax = Math.min(parties, this.#pairs.count, counts[1] - 3 * ofSolos);
      const soloCost = soloSums[3 * ofSolos];
      if (soloCost >= least) break;
      for (let ofPairs = Math.max(0, parties - this.#trios.count); ofPairs <= pairsMax; ofPairs++) {
        const cost = soloCost + pairSums[ofPairs] + trioSums[parties - ofPairs];
        if (cost >= least) continue;
        least = cost;
        this.#mix.solos = ofSolos;
        this.#mix.pairs = ofPairs;
        this.#mix.trios = parties - ofPairs;
      }
    }
    return least;
  }
}

/** How many squads of a game are three solo players, a pair with a solo player, and a party of three. */
export interface SquadMix {
  solos: number;
  pairs: number;
  trios: number;
}

/**
 * Makes a game of the cheapest squads around a centre whose sums are within `slack` of three times the centre. It may be
 * undefined where the game would not be better than `limit`.
 */
export type FindGame = (centre: number, slack: number, limit: number) => ShapedGame | undefined;

/** What the cheapest solo player costs who brings a pair within the slack; ∞ if none does. */
function companyOf(away: number, centre: number, slack: number, solos: SizeLine): number {
  const low = -2 * away - slack;
  const high = -2 * away + slack;
  let least = Number.POSITIVE_INFINITY;
  if (high >= 0) {
    const above = solos.above(centre + Math.max(0, low)) - centre;
    if (above <= high) least = above * above;
  }
  if (low <= 0) {
    const below = solos.below(centre + Math.min(0, high)) - centre;
    if (below >= low) least = Math.min(least, below * below);
  }
  return least;
}

/** How many squads of a game are three solo players: those who are more than its pairs. */
export function soloSquadsOf({ members }: ShapedGame): number {
  let more = 0;
  for (const { size } of members) more += size === 1 ? 1 : size === 2 ? -1 : 0;
  return more / 3;
}

/** The games whose sums of squads lie around a centre. */
interface Cell extends GapCell {
  /** The skills between which the tickets of this bound are, their squads of solo players, and all their solo players. */
  low: number;
  high: number;
  soloSquads: number;
  solos: number;
}

function newCell(centre: number, half: number, gapLow: number, gapHigh: number): Cell {
  return { ...newGapCell(centre, half, gapLow, gapHigh), low: 0, high: 0, soloSquads: 0, solos: 0 };
}

/** The work of evaluating a cell, in steps of a `SearchClock`. */
const stepsPerCell = 16;

/** The pairs beyond those that a game can have that may replace others. */
const sparePairs = 8;

/** A cell is split while its width counts for more than this part of its bound. */
const fine = 0.08;

/** A query ends when its game is within this part of the bound. */
const gapWanted = 0.06;

/** The evaluations of one query after its first game, and the games it makes. */
const evaluationsMax = 300;
const searchesMax = 4;

/** The same where squads of solo players have to be balanced, which takes longer. */
const searchesOfSolos = 2;

/**
 * After so many evaluations without a game no cell is split, and a game is made in the first one. With 6,000 parties and α = 10
 * a query needs up to 4,300, with α = 100 it would need up to 54,000.
 */
const evaluationsOfFirst = 8000;

/** With a smaller α the team gap is not worth its cells. */
const leastAlpha = 0.05;
