import { KeyHeap } from '../collections/key-heap.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import { DuoDraft } from './duo-draft.ts';
import { beyondAll, type GapCell, GapCells, newGapCell } from './gap-cells.ts';
import type { Layout } from './layout.ts';
import type { ShapedGame } from './shape-game.ts';
import { Near, SizeLine } from './size-line.ts';
import type { TicketLine } from './ticket-line.ts';

/**
 * Whether `DuoCells` bounds the games of so many tickets: all teams are of two and alike. In larger pools it takes a third
 * more time than `PartyCells`, and a tenth of the games is farther from the bound.
 */
export function areDuos(
  { kinds, seats, seatsMin }: Layout,
  { p, q, alpha }: GameRules,
  tickets: number,
): boolean {
  const areAlike = kinds.length === 1 && kinds[0].size === 2 && seats > 2 && seats === seatsMin;
  return areAlike && p === 1 && q === 2 && alpha > 0 && tickets <= ticketsMax;
}

/**
 * A lower bound on the imbalance of games of teams of two that knows the team gap, and good games near it; p = 1, q = 2.
 *
 * A **cell** holds the games whose team sums lie between 2·m − gap/2 and 2·m + gap/2, for an m within `half` of its centre
 * and a gap from `gapLow` to `gapHigh`. A pair is a team by itself, so its sum has to lie in this range, and a solo player
 * needs another one who brings their sum into it (docs/engine-proofs.md, "Teams of two").
 *
 * Removals only raise what was computed, so only cells that come first are computed anew.
 */
export class DuoCells {
  readonly #line: TicketLine;
  readonly #clock: SearchClock;
  readonly #alpha: number;
  readonly #teams: number;
  readonly #n: number;
  readonly #solos: SizeLine;
  readonly #pairs: SizeLine;
  /** The least costs around the last centre: of solo players, of solo players with another each, and of pairs that are teams. */
  readonly #alone: Near;
  readonly #leaders: Near;
  readonly #nearPairs: Near;
  readonly #draft: DuoDraft;
  /** By how much the mean of a game may be from half the middle of its team sums, as a part of their gap. */
  readonly #lopsided: number;

  readonly #cells: GapCells<Cell>;
  readonly #games: ShapedGame[] = [];
  readonly #found = new KeyHeap();
  /** The mean skills of the tickets that have left, in their order. */
  readonly #removed: number[] = [];
  #evaluations = 0;

  constructor(line: TicketLine, rules: GameRules, layout: Layout, clock: SearchClock) {
    this.#clock = clock;
    this.#line = line;
    this.#alpha = rules.alpha;
    this.#teams = layout.teams;
    this.#n = layout.seats;
    this.#solos = new SizeLine(line, 1);
    this.#pairs = new SizeLine(line, 2);
    this.#alone = new Near(layout.seats);
    this.#leaders = new Near(layout.seats);
    this.#nearPairs = new Near(layout.teams);
    this.#draft = new DuoDraft(rules, layout, this.#solos, this.#pairs);
    this.#lopsided = (1 - 2 / layout.teams) / 4;
    this.#cells = new GapCells<Cell>(line, { teamSize: 2, alpha: rules.alpha, fine, newCell });
  }

  /** Reports that a ticket with this mean skill has left the line. */
  removed(mean: number): void {
    this.#removed.push(mean);
  }

  /** A bound on the imbalance of every game, and a game near it that is better than `known` if one was found. */
  best(known: ShapedGame | undefined): { bound: number; game: ShapedGame | undefined } {
    const { heap } = this.#cells;
    const evaluationsFrom = this.#evaluations;
    const aside: number[] = [];
    let game = this.#leastGame();
    if (known && !(game && game.imbalance <= known.imbalance)) game = known;
    let searches = 0;
    for (;;) {
      const id = heap.topId;
      const bound = heap.topKey;
      if (bound === Number.POSITIVE_INFINITY || this.#clock.isOver(stepsPerCell)) break;
      if (game && bound >= game.imbalance * (1 - gapWanted)) break;
      const isSpent = game !== undefined && this.#evaluations - evaluationsFrom >= evaluationsMax;
      if (isSpent && searches > 0) break;
      if (id === beyondAll) {
        if (aside.length > 0) break;
        this.#cells.lay(bound);
        continue;
      }
      const cell = this.#cells.at(id);
      if (this.#isStale(cell)) {
        heap.replaceTop(Math.max(bound, this.#boundOf(cell, game?.imbalance)), id);
        continue;
      }
      if (!isSpent && this.#cells.isCoarse(cell, bound)) {
        this.#cells.split();
        continue;
      }
      if (!cell.isSearched) {
        if (searches >= searchesMax) break;
        cell.isSearched = true;
        searches++;
        const slack = this.#slackOf(cell);
        const found = this.#draft.make(cell.centre, slack, game?.imbalance ?? Number.POSITIVE_INFINITY);
        if (found) {
          this.#games.push(found);
          this.#found.push(found.imbalance, this.#games.length - 1);
          game = found;
        }
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

  #leastGame(): ShapedGame | undefined {
    const found = this.#found;
    while (found.size > 0) {
      const game = this.#games[found.topId];
      if (this.#line.hasAll(game.members)) return game;
      found.pop();
    }
    return undefined;
  }

  /** Whether a ticket near those of the cell's bound has left since, or the bound was not computed yet. */
  #isStale(cell: Cell): boolean {
    const removed = this.#removed;
    const { centre, reach } = cell;
    let isStale = cell.removals === -1;
    for (let i = cell.removals; !isStale && i < removed.length; i++)
      isStale = Math.abs(removed[i] - centre) <= reach;
    if (!isStale) cell.removals = removed.length;
    return isStale;
  }

  /** By how much the mean skill of a team may differ from the centre. */
  #slackOf({ centre, half, gapHigh }: Cell): number {
    return gapHigh / 4 + half + 1e-14 * centre;
  }

  #boundOf(cell: Cell, known = Number.POSITIVE_INFINITY): number {
    const { centre, half, gapLow, gapHigh } = cell;
    this.#evaluations++;
    const n = this.#n;
    const away = half + gapHigh * this.#lopsided;
    // Teams that alone make a game worse than the known one need not be found.
    const most = 2 * n * (known * known + away * away);
    const least = this.#leastCosts(centre, this.#slackOf(cell), most);
    cell.removals = this.#removed.length;
    cell.isSearched = false;
    cell.reach = 3 * Math.sqrt(least / n);
    if (least === Number.POSITIVE_INFINITY) return least;
    const square = least / n - away * away * (1 + 1e-12);
    const bound = Math.sqrt(Math.max(0, square)) + this.#alpha * gapLow;
    return Math.max(0, bound * (1 - 1e-12) - 1e-14 * centre);
  }

  /** The least costs of all teams whose means are within `slack` of the centre, up to `most`; ∞ when no game is left. */
  #leastCosts(centre: number, slack: number, most: number): number {
    const solos = this.#solos;
    solos.nearest(centre, this.#alone);
    solos.nearest(centre, this.#leaders, {
      slack: 2 * slack,
      lever: 1,
      most,
      company: (away, place) => solos.leastSquare(centre, -2 * slack - away, 2 * slack - away, place),
    });
    this.#pairs.nearest(centre, this.#nearPairs, { reach: slack, most });
    let least = Number.POSITIVE_INFINITY;
    for (let pairs = 0; pairs <= this.#teams; pairs++) {
      const players = 2 * (this.#teams - pairs);
      if (players > this.#alone.count) continue;
      const ofPairs = pairs <= this.#nearPairs.count ? this.#nearPairs.sums[pairs] : most;
      // Each of the two counts half of their team.
      const ofTeams = players <= this.#leaders.count ? this.#leaders.sums[players] / 2 : most / 2;
      least = Math.min(least, ofPairs + Math.max(ofTeams, this.#alone.sums[players]));
    }
    return least;
  }
}

/** The games whose team sums lie around twice a centre. */
interface Cell extends GapCell {
  /** How far from the centre a ticket may have been on which the bound depends. */
  reach: number;
}

function newCell(centre: number, half: number, gapLow: number, gapHigh: number): Cell {
  return { ...newGapCell(centre, half, gapLow, gapHigh), reach: 0 };
}

/** The work of evaluating a cell, in steps of a `SearchClock`. */
const stepsPerCell = 16;

/** The tickets of the largest pool. */
const ticketsMax = 1500;

/** A cell is split while its width counts for more than this part of its bound. */
const fine = 0.1;

/** A query ends when its game is within this part of the bound. */
const gapWanted = 0.03;

/** The evaluations of one query after its first game, and the games it makes. */
const evaluationsMax = 300;
const searchesMax = 4;
