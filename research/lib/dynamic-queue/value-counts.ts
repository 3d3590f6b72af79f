/**
 * Counts values in cells of one width, to bound how many of them are near a value in constant time. Values below `low`
 * belong to the first cell, those above `high` to the last.
 */
export class ValueCounts {
  readonly #low: number;
  readonly #cellsPerValue: number;
  readonly #last: number;
  /** By cell + 1, with an empty cell at both ends. */
  readonly #counts: Uint8Array;

  /** @param cellsMax makes cells wider than `width` when there would be more */
  constructor(low: number, high: number, width: number, cellsMax: number) {
    const cells = Math.min(cellsMax, Math.ceil((high - low) / width) + 1);
    // Cells are slightly wider than values may be apart, because the cell of a value is rounded.
    this.#cellsPerValue = cells > 1 ? (1 - 1e-6) / Math.max(width, (high - low) / (cells - 1)) : 0;
    this.#low = low;
    this.#last = cells - 1;
    this.#counts = new Uint8Array(cells + 2);
  }

  /** Counts a value. Returns a bound on the number of values within `width` of each other that include it, at least 1. */
  add(value: number): number {
    const counts = this.#counts;
    const place = this.#placeOf(value);
    const own = counts[place] < full ? ++counts[place] : Number.POSITIVE_INFINITY;
    const beside = Math.max(counts[place - 1], counts[place + 1]);
    return beside < full ? own + beside : Number.POSITIVE_INFINITY;
  }

  /** Takes back an `add`. */
  remove(value: number): void {
    const place = this.#placeOf(value);
    if (this.#counts[place] < full) this.#counts[place]--;
  }

  #placeOf(value: number): number {
    const cell = (value - this.#low) * this.#cellsPerValue;
    return 1 + (cell > 0 ? (cell < this.#last ? cell | 0 : this.#last) : 0);
  }
}

/** A count that has reached this stays there, because it is not known any more. */
const full = 255;
