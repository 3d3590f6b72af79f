import { KeyHeap } from '../collections/key-heap.ts';
import type { TicketLine } from './ticket-line.ts';

/** The games whose team sums lie around a centre, k times a skill, with a gap between the greatest and the least of them. */
export interface GapCell {
  /** The middle of the team sums over k is within `half` of it. */
  readonly centre: number;
  readonly half: number;
  readonly gapLow: number;
  readonly gapHigh: number;
  /** How many tickets had left when its bound was computed; −1 before that. */
  removals: number;
  /** Whether a game was made since then. */
  isSearched: boolean;
  /** Its bound while it is not among the others. */
  key: number;
}

/** A cell without a bound. */
export function newGapCell(centre: number, half: number, gapLow: number, gapHigh: number): GapCell {
  return { centre, half, gapLow, gapHigh, removals: -1, isSearched: false, key: 0 };
}

export interface GapCellsOptions<Cell> {
  /** k, the players of a team. */
  readonly teamSize: number;
  /** What a unit of the gap costs; 0 where the bound does not count it. */
  readonly alpha: number;
  /** A cell is split while its width counts for more than this part of its bound. */
  readonly fine: number;
  readonly newCell: (centre: number, half: number, gapLow: number, gapHigh: number) => Cell;
}

/** Cells of all games by the middle and the gap of their team sums, with lower bounds on the imbalance of their games. */
export class GapCells<Cell extends GapCell> {
  /** The ids of cells by their bounds, and `beyondAll`. */
  readonly heap = new KeyHeap();
  #cells: Cell[] = [];
  readonly #line: TicketLine;
  readonly #options: GapCellsOptions<Cell>;

  constructor(line: TicketLine, options: GapCellsOptions<Cell>) {
    this.#line = line;
    this.#options = options;
    this.lay(0);
  }

  at(id: number): Cell {
    return this.#cells[id];
  }

  /** Lays out cells for all games whose gap is within reach of this bound. Those of a greater gap are `beyondAll`. */
  lay(bound: number): void {
    const { tickets, means, start } = this.#line;
    const { teamSize, alpha } = this.#options;
    this.heap.clear();
    this.#cells = [];
    if (start >= tickets.length) return;
    const low = means[start];
    const width = (means[means.length - 1] - low) / firstCells;
    // The mean skill of a team is within the range of all tickets.
    const gapAll = teamSize * (means[means.length - 1] - low);
    const gapMax = alpha > 0 ? Math.min(gapAll, Math.max(4 * bound, width) / alpha) : 0;
    for (let i = 0; i < firstCells; i++)
      this.#file(low + (i + 0.5) * width, (width / 2) * (1 + 1e-9), 0, gapMax, bound);
    if (alpha > 0 && gapMax < gapAll) this.heap.push(alpha * gapMax, beyondAll);
  }

  /** Whether games of a cell may differ by more than a small part of its bound. */
  isCoarse({ centre, half, gapLow, gapHigh }: Cell, bound: number): boolean {
    const { teamSize, alpha, fine } = this.#options;
    const width = alpha > 0 ? alpha * (gapHigh - gapLow + 2 * teamSize * half) : half;
    return width > fine * bound && half > 1e-9 * centre + 1e-290;
  }

  /** Splits the first cell of the heap in two. */
  split(): void {
    const { teamSize, alpha, newCell } = this.#options;
    const id = this.heap.topId;
    const bound = this.heap.topKey;
    const { centre, half, gapLow, gapHigh } = this.#cells[id];
    this.heap.pop();
    if (alpha > 0 && gapHigh - gapLow > 2 * teamSize * half) {
      const middle = (gapLow + gapHigh) / 2;
      this.#cells[id] = newCell(centre, half, gapLow, middle);
      this.#file(centre, half, middle, gapHigh, bound);
    } else {
      const quarter = half / 2;
      this.#cells[id] = newCell(centre - quarter, quarter, gapLow, gapHigh);
      this.#file(centre + quarter, quarter, gapLow, gapHigh, bound);
    }
    this.heap.push(bound, id);
  }

  #file(centre: number, half: number, gapLow: number, gapHigh: number, bound: number): void {
    this.#cells.push(this.#options.newCell(centre, half, gapLow, gapHigh));
    this.heap.push(bound, this.#cells.length - 1);
  }
}

/** The id of all games whose gap is greater than that of any cell. */
export const beyondAll = 2 ** 31 - 1;

/** The intervals of centres with which it begins. */
const firstCells = 64;
