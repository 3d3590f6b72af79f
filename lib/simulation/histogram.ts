/** Values a factor of this apart may share a bin, so a quantile is right within half a percent. */
const RESOLUTION = 1.01;
const LOG_RESOLUTION = Math.log(RESOLUTION);

/**
 * Quantiles of a stream of numbers ≥ 0 in memory that grows with the spread of the values, not with their
 * number: bins of constant relative width, within 0.5 % of the exact quantile. Mean and extremes are exact.
 */
export class Histogram {
  readonly #bins = new Map<number, number>();
  readonly #unit: number;
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;

  /** @param unit values below this are all one bin, > 0 */
  constructor(unit: number) {
    if (!(unit > 0)) throw new RangeError(`Expected \`unit\` to be above 0, got \`${unit}\``);
    this.#unit = unit;
  }

  /** @param weight counts the value this many times */
  add(value: number, weight = 1): void {
    const bin = value < this.#unit ? -1 : Math.floor(Math.log(value / this.#unit) / LOG_RESOLUTION);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + weight);
    this.#count += weight;
    this.#sum += value * weight;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  get count(): number {
    return this.#count;
  }

  /** 0 when empty, as are the others. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  get max(): number {
    return this.#max;
  }

  /** The value below which the part `part` ∈ [0, 1] of all values lies. Cost: the number of bins. */
  quantile(part: number): number {
    if (this.#count === 0) return 0;
    let left = part * this.#count;
    for (const [bin, count] of this.#sorted()) {
      left -= count;
      if (left > 0) continue;
      const middle = bin < 0 ? 0 : this.#unit * RESOLUTION ** (bin + 0.5);
      return Math.min(this.#max, Math.max(this.#min, middle));
    }
    return this.#max;
  }

  /** The share of values in each range between consecutive edges; the last edge is included in the last one. */
  shares(edges: readonly number[]): number[] {
    const shares = new Array<number>(edges.length - 1).fill(0);
    for (const [bin, count] of this.#bins) {
      const middle = bin < 0 ? 0 : this.#unit * RESOLUTION ** (bin + 0.5);
      let at = edges.findIndex((edge) => middle < edge) - 1;
      if (at === -2) at = shares.length - 1;
      if (at >= 0) shares[at] += count / this.#count;
    }
    return shares;
  }

  #sorted(): [number, number][] {
    return [...this.#bins].sort(([a], [b]) => a - b);
  }
}
