import { KeyHeap } from '../collections/key-heap.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { CheapestPlayers } from './cheapest-players.ts';

/**
 * A lower bound on v_q of all games of a pool, q ≥ 2, as tickets leave it.
 *
 * A cell holds the games whose mean μ is within `half` of its centre c. A game of N players has
 * Σ (s − c)² = N·(v_2² + (μ − c)²), so N·v_2² is at least the least such sum of all games less N·half². Removals only raise
 * these sums, so what is known of a cell stays a bound. The cells whose bound is least are split and computed again.
 */
export class CentreBound {
  readonly #cheapest: CheapestPlayers;
  readonly #clock: SearchClock;
  readonly #n: number;
  readonly #low: number;
  readonly #high: number;
  readonly #heap = new KeyHeap();
  #cells: Cell[] = [];
  #removals = 0;
  /** The bound when the cells were laid out. At twice this they are too fine, and laid out again. */
  #laidAt = 0;

  /** @param low,high the least and the greatest mean of a ticket */
  constructor(cheapest: CheapestPlayers, players: number, low: number, high: number, clock: SearchClock) {
    this.#cheapest = cheapest;
    this.#clock = clock;
    this.#n = players;
    this.#low = low;
    this.#high = high;
    this.#layOut(0);
  }

  /** Says that a ticket has left. */
  removed(): void {
    this.#removals++;
  }

  /** The cell of the least bound, and the bound, ∞ if there is no game. Improves it by a limited number of steps. */
  least(): { cell: Cell; bound: number } | undefined {
    const heap = this.#heap;
    for (let left = evaluationsMax; heap.size > 0; ) {
      if (this.#clock.isOver(stepsPerCell)) left = 0;
      const bound = heap.topKey;
      if (bound === Number.POSITIVE_INFINITY) return undefined;
      if (bound > 2 * this.#laidAt && this.#laidAt > 0) {
        this.#layOut(bound);
        continue;
      }
      const cell = this.#cells[heap.topId];
      if (cell.computedAt !== this.#removals && left > 0) {
        left--;
        cell.computedAt = this.#removals;
        cell.least = this.#cheapest.around(cell.centre);
        heap.replaceTop(Math.max(bound, this.#boundOf(cell)), heap.topId);
        continue;
      }
      const isCoarse = cell.half * cell.half * this.#n > coarse * cell.least;
      if (left > 0 && isCoarse && cell.half > 1e-9 * cell.centre + 1e-290) {
        this.#split(cell, bound);
        continue;
      }
      if (this.#laidAt === 0) this.#laidAt = bound;
      return { cell, bound };
    }
    return undefined;
  }

  /** Whether the cell has not been asked for since the last removal; the next call says no. */
  isNews(cell: Cell): boolean {
    if (cell.searchedAt === this.#removals) return false;
    cell.searchedAt = this.#removals;
    return true;
  }

  #layOut(bound: number): void {
    this.#heap.clear();
    this.#cells = [];
    this.#laidAt = bound;
    const width = Math.max(this.#high - this.#low, 1e-9 * this.#high) / firstCells;
    for (let i = 0; i < firstCells; i++)
      this.#file(this.#low + (i + 0.5) * width, (width / 2) * (1 + 1e-9), bound);
  }

  #file(centre: number, half: number, bound: number): void {
    this.#heap.push(bound, this.#cells.length);
    this.#cells.push({ centre, half, least: 0, computedAt: -1, searchedAt: -1 });
  }

  #split({ centre, half }: Cell, bound: number): void {
    this.#heap.pop();
    this.#file(centre - half / 2, half / 2, bound);
    this.#file(centre + half / 2, half / 2, bound);
  }

  #boundOf({ centre, half, least }: Cell): number {
    if (least === Number.POSITIVE_INFINITY) return least;
    const square = least / this.#n - half * half * (1 + 1e-9);
    return Math.sqrt(Math.max(0, square - 1e-28 * centre * centre)) * (1 - 1e-9);
  }
}

/** The games whose mean is within `half` of a centre. */
export interface Cell {
  readonly centre: number;
  readonly half: number;
  /** The least sum of squared distances from the centre, when as many tickets had left as `computedAt` says. */
  least: number;
  computedAt: number;
  searchedAt: number;
}

const firstCells = 64;
/** Cells are split until half² is below this part of the mean square of the cheapest game. */
const coarse = 0.01;
const evaluationsMax = 400;
/** The work of a step, in steps of a `SearchClock`. */
const stepsPerCell = 16;
