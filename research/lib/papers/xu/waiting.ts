import type { Estimate } from '../finding.ts';
import { BlockMeans } from '../statistics.ts';

/** Waits of players in a queue, with standard errors that account for the correlation of successive waits. */
export class WaitingTimes {
  readonly #waits: BlockMeans;
  readonly #squares: BlockMeans;
  readonly #center: number;

  /**
   * @param parties approximately how many parties will be added
   * @param center any value near the mean; the variance is measured around it without loss of precision
   */
  constructor(parties: number, center = 0) {
    // A hundred blocks: long against the memory of a queue, many enough for a standard error.
    const blockSize = Math.max(1, Math.floor(parties / 100));
    this.#waits = new BlockMeans(blockSize);
    this.#squares = new BlockMeans(blockSize);
    this.#center = center;
  }

  /** Records the wait of a party with this many players. Every player counts. */
  add(wait: number, players = 1): void {
    this.#waits.add(wait, players);
    this.#squares.add((wait - this.#center) ** 2, players);
  }

  get mean(): Estimate {
    return { value: this.#waits.mean, standardError: this.#waits.standardError };
  }

  /** Over all players. The standard error is right when `center` is near the mean. */
  get variance(): Estimate {
    return {
      value: this.#squares.mean - (this.#waits.mean - this.#center) ** 2,
      standardError: this.#squares.standardError,
    };
  }
}
