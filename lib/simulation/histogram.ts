/** Values a factor of this apart may share a bin, so a quantile is within half a percent. */
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

  /** NaN when empty, like the other statistics. */
  get mean(): number {
    return this.#sum / this.#count;
  }

  get max(): number {
    return this.#count === 0 ? Number.NaN : this.#max;
  }

  /**
   * The quantiles for these parts: each is a value with that part of all values at or below it.
   *
   * @param parts ascending, each in [0, 1]
   * @returns one value for each, NaN when there are no values
   */
  quantiles(parts: readonly number[]): number[] {
    const bins = [...this.#bins].sort(([a], [b]) => a - b);
    let at = -1;
    let below = 0;
    return parts.map((part) => {
      while (at < bins.length - 1 && (at < 0 || below < part * this.#count)) below += bins[++at][1];
      if (at < 0) return Number.NaN;
      const [bin] = bins[at];
      const middle = bin < 0 ? 0 : this.#unit * RESOLUTION ** (bin + 0.5);
      return Math.min(this.#max, Math.max(this.#min, middle));
    });
  }

  /** An independent copy with the same values. */
  copy(): Histogram {
    const copy = new Histogram(this.#unit);
    for (const [bin, count] of this.#bins) copy.#bins.set(bin, count);
    copy.#count = this.#count;
    copy.#sum = this.#sum;
    copy.#min = this.#min;
    copy.#max = this.#max;
    return copy;
  }
}

/** The distribution of a measured value. With a count of 0 all other fields are NaN, which JSON writes as null. */
export interface Distribution {
  /** How many values. */
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export function distributionOf(values: Histogram): Distribution {
  const [p50, p90, p99] = values.quantiles([0.5, 0.9, 0.99]).map(rounded);
  return {
    count: values.count,
    mean: rounded(values.mean),
    p50,
    p90,
    p99,
    max: rounded(values.max),
  };
}

/** Six digits: more than the precision of a simulation, and the same text for the same value. */
export const rounded = (value: number): number => Number(value.toPrecision(6));
