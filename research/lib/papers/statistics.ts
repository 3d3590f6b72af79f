/** Mean, spread and standard error of a stream of numbers, in constant memory (Welford's recurrence). */
export class RunningStatistics {
  #count = 0;
  #mean = 0;
  #squares = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    this.#count++;
    const delta = value - this.#mean;
    this.#mean += delta / this.#count;
    this.#squares += delta * (value - this.#mean);
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  get count(): number {
    return this.#count;
  }

  /** NaN before the first value. */
  get mean(): number {
    return this.#count === 0 ? Number.NaN : this.#mean;
  }

  /** Of the population the values were drawn from (divides by count − 1). NaN below two values. */
  get variance(): number {
    return this.#count < 2 ? Number.NaN : this.#squares / (this.#count - 1);
  }

  get standardDeviation(): number {
    return Math.sqrt(this.variance);
  }

  /**
   * Standard error of the mean, for **independent** values. Waits in a queue are not independent: for
   * them take the means of long blocks, see `BlockMeans`.
   */
  get standardError(): number {
    return Math.sqrt(this.variance / this.#count);
  }

  /** Infinity before the first value. */
  get min(): number {
    return this.#min;
  }

  /** −Infinity before the first value. */
  get max(): number {
    return this.#max;
  }
}

/**
 * Mean and standard error of correlated values, such as waits of players in one queue: the stream
 * is cut into blocks, and the blocks' means are nearly independent when a block is much longer than the memory of the
 * process (the method of batch means). The last block counts only when it is full: less than one block in all.
 *
 * Values may come in at several weights per block, so a ratio such as "total wait over players" is
 * estimated with its own standard error (the delta method): each block gives a numerator and a weight.
 */
export class BlockMeans {
  readonly #blockSize: number;
  #numerator = 0;
  #weight = 0;
  #inBlock = 0;
  #blocks = 0;
  #sumN = 0;
  #sumW = 0;
  #sumNN = 0;
  #sumNW = 0;
  #sumWW = 0;

  /** @param blockSize values per block, a whole number from 1 up; choose at least some 30 blocks */
  constructor(blockSize: number) {
    if (!(Number.isInteger(blockSize) && blockSize >= 1)) {
      throw new RangeError(`Expected \`blockSize\` to be a whole number from 1 up, got \`${blockSize}\``);
    }
    this.#blockSize = blockSize;
  }

  /** One value; `weight` counts it as that many values (a party of two waits once, for two players). */
  add(value: number, weight = 1): void {
    this.#numerator += value * weight;
    this.#weight += weight;
    if (++this.#inBlock === this.#blockSize) this.#close();
  }

  /** Mean over all full blocks. NaN before the first full block. */
  get mean(): number {
    return this.#sumW === 0 ? Number.NaN : this.#sumN / this.#sumW;
  }

  /** Standard error of `mean`. NaN below two full blocks. */
  get standardError(): number {
    if (this.#blocks < 2) return Number.NaN;
    const mean = this.mean;
    const squares = this.#sumNN - 2 * mean * this.#sumNW + mean * mean * this.#sumWW;
    const perBlock = Math.max(0, squares) / (this.#blocks - 1);
    return Math.sqrt(perBlock * this.#blocks) / this.#sumW;
  }

  /** The number of full blocks. */
  get blocks(): number {
    return this.#blocks;
  }

  #close(): void {
    this.#blocks++;
    this.#sumN += this.#numerator;
    this.#sumW += this.#weight;
    this.#sumNN += this.#numerator ** 2;
    this.#sumNW += this.#numerator * this.#weight;
    this.#sumWW += this.#weight ** 2;
    this.#numerator = 0;
    this.#weight = 0;
    this.#inBlock = 0;
  }
}
