import { packingNumber } from '../model/packing-number.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import type { CentreGames } from './centre-games.ts';
import type { CheapestPlayers } from './cheapest-players.ts';
import type { FoundGame } from './game-search.ts';
import type { QueuedTicket } from './line.ts';

/**
 * Keeps parties from being stranded: which party mixes a game may have so that no other game is lost with it, and the best
 * game of these mixes that is found near the best centres. It proves nothing.
 *
 * Its cells are those of `CentreBound`, but each keeps the least cost of every mix. Removals only raise these costs, so they
 * stay bounds while the mixes that are allowed change from query to query.
 */
export class Packing {
  readonly #layout: Layout;
  readonly #cheapest: CheapestPlayers;
  readonly #games: CentreGames;
  readonly #clock: SearchClock;
  /** The waiting parties by size. */
  readonly #counts: Uint32Array;
  readonly #teamSizes: readonly number[];
  readonly #low: number;
  readonly #high: number;
  #cells: Cell[] = [];
  #removals = 0;
  /** The mixes with which no other game is lost, as numbers; undefined after a ticket has left. */
  #allowed: Set<number> | undefined;
  readonly #numberOf = new Map<string, number>();
  /** The cells of a query in which games are searched: more in small pools. */
  readonly #searchedMax: number;

  /** @param tickets in order of mean skill, none of which may be split */
  constructor(
    tickets: readonly QueuedTicket[],
    layout: Layout,
    cheapest: CheapestPlayers,
    games: CentreGames,
    clock: SearchClock,
  ) {
    this.#layout = layout;
    this.#cheapest = cheapest;
    this.#games = games;
    this.#clock = clock;
    const share = Math.round(searchedInAll / Math.max(1, tickets.length));
    this.#searchedMax = Math.max(searchedLeast, Math.min(searchedMost, share));
    this.#counts = new Uint32Array(layout.partyMax + 1);
    for (const { ticket } of tickets) this.#counts[ticket.size]++;
    this.#teamSizes = layout.kindOf.map((kind) => layout.kinds[kind].size).sort((a, b) => b - a);
    this.#low = tickets[0]?.ticket.mean ?? 0;
    this.#high = tickets[tickets.length - 1]?.ticket.mean ?? 0;
    cheapest.mixes.forEach((mix, m) => {
      this.#numberOf.set(mix.join(), m);
    });
  }

  /** Says that a party of this size has come. */
  inserted(size: number): void {
    this.#counts[size]++;
    this.#cells = [];
    this.#allowed = undefined;
  }

  /** Says that a party of this size has left. */
  removed(size: number): void {
    this.#counts[size]--;
    this.#removals++;
    this.#allowed = undefined;
  }

  /** Whether no other game is lost with this one. */
  allows({ queued }: FoundGame): boolean {
    const mix = new Uint8Array(this.#counts.length);
    for (const { ticket } of queued) mix[ticket.size]++;
    const number = this.#numberOf.get(mix.join());
    return number !== undefined && this.#mixes().has(number);
  }

  /** The best game found with which no other is lost; undefined if there is none. */
  best(): FoundGame | undefined {
    const allowed = this.#mixes();
    if (allowed.size === 0) return undefined;
    if (this.#cells.length === 0 || this.#cells.length > cellsMax) this.#layOut();
    for (const cell of this.#cells) cell.key = this.#keyOf(cell, allowed);
    const mixes = [...allowed].map((number) => this.#cheapest.mixes[number]);
    const searched: Cell[] = [];
    let best: FoundGame | undefined;
    for (let left = evaluationsMax; searched.length < this.#searchedMax; left--) {
      const cell = this.#leastCell(searched);
      if (!cell || cell.key >= (best?.imbalance ?? Number.POSITIVE_INFINITY)) break;
      // A game is needed: a coarse cell has one, too.
      const isSpent = left <= 0 || this.#clock.isOver(stepsPerCell);
      if (isSpent && (best || this.#clock.wasOver)) break;
      if (cell.removals !== this.#removals) {
        this.#look(cell);
        cell.key = this.#keyOf(cell, allowed);
        continue;
      }
      if (!isSpent && this.#isCoarse(cell)) {
        this.#split(cell, allowed);
        continue;
      }
      searched.push(cell);
      const game = this.#games.near(cell, best, { mixes });
      if (game && !(best && best.imbalance <= game.imbalance)) best = game;
    }
    return best;
  }

  /** The mixes with which no other game is lost. */
  #mixes(): Set<number> {
    if (this.#allowed) return this.#allowed;
    const counts = this.#counts;
    const allowed = new Set<number>();
    const left = new Uint32Array(counts.length);
    const possible = packingNumber(counts.slice(), this.#teamSizes);
    this.#cheapest.mixes.forEach((mix, m) => {
      for (let size = 1; size < counts.length; size++) if (mix[size] > counts[size]) return;
      for (let size = 1; size < counts.length; size++) left[size] = counts[size] - mix[size];
      if (packingNumber(left, this.#teamSizes) >= possible - 1) allowed.add(m);
    });
    this.#allowed = allowed;
    return allowed;
  }

  #layOut(): void {
    const width = Math.max(this.#high - this.#low, 1e-9 * this.#high) / firstCells;
    this.#cells = Array.from({ length: firstCells }, (_, i) => ({
      centre: this.#low + (i + 0.5) * width,
      half: (width / 2) * (1 + 1e-9),
      removals: -1,
      least: new Float64Array(this.#cheapest.mixes.length),
      key: 0,
    }));
  }

  #leastCell(searched: readonly Cell[]): Cell | undefined {
    let least: Cell | undefined;
    for (const cell of this.#cells)
      if ((!least || cell.key < least.key) && !searched.includes(cell)) least = cell;
    return least && least.key < Number.POSITIVE_INFINITY ? least : undefined;
  }

  #look(cell: Cell): void {
    const { mixes } = this.#cheapest;
    this.#cheapest.around(cell.centre, undefined);
    cell.removals = this.#removals;
    for (let m = 0; m < mixes.length; m++) cell.least[m] = this.#cheapest.costOf(mixes[m]);
  }

  /** A lower bound on v_2 of the games of these mixes in the cell. */
  #keyOf({ least, half }: Cell, allowed: Set<number>): number {
    let cheapest = Number.POSITIVE_INFINITY;
    for (const m of allowed) if (least[m] < cheapest) cheapest = least[m];
    return Math.sqrt(Math.max(0, cheapest / this.#layout.seats - half * half));
  }

  #isCoarse({ half, key, centre }: Cell): boolean {
    return half * half > coarse * (key * key + half * half) && half > 1e-9 * Math.abs(centre) + 1e-290;
  }

  #split(cell: Cell, allowed: Set<number>): void {
    const { centre, half } = cell;
    const lower = { ...cell, centre: centre - half / 2, half: half / 2, least: cell.least.slice() };
    Object.assign(cell, { centre: centre + half / 2, half: half / 2 });
    this.#cells.push(lower);
    for (const part of [cell, lower]) {
      this.#look(part);
      part.key = this.#keyOf(part, allowed);
    }
  }
}

/** The games whose mean is within `half` of a centre. */
interface Cell {
  centre: number;
  half: number;
  /** By mix: the least cost around the centre when as many tickets had left as `removals` says. */
  readonly least: Float64Array;
  removals: number;
  /** A lower bound on v_2 of its games of the mixes that are allowed now. */
  key: number;
}

const firstCells = 64;
/** With more cells than this they are laid out again: they have become too fine for the tickets that are left. */
const cellsMax = 600;
/** Cells are split until half² is below this part of the mean square of the cheapest game. */
const coarse = 0.01;
const evaluationsMax = 400;
/** The cells of a query in which games are searched, at most and at least. */
const searchedMost = 40;
const searchedLeast = 6;
/** Divided by the number of tickets of the pool. */
const searchedInAll = 24_000;
/** The work of a step, in steps of a `SearchClock`. */
const stepsPerCell = 16;
