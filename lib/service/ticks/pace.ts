import type { Clock } from '../ports/clock.ts';

/** Limits the rate of writes, with a burst of half a second's writes. No second has more than 1.5 times the rate. */
export class Pace {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #left: number;
  #countedMs: number;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = perSecond / 2;
    this.#left = this.#burst;
    this.#countedMs = clock.now();
  }

  /** Waits until this many writes may start. Returns false immediately when that is not before `untilMs`. */
  async admits(writes: number, untilMs: number): Promise<boolean> {
    const nowMs = this.#clock.now();
    if (nowMs >= untilMs) return false;
    const refilled = this.#left + ((nowMs - this.#countedMs) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#burst, refilled);
    this.#countedMs = nowMs;
    const waitMs = this.#left > 0 ? 0 : Math.ceil((-this.#left / this.#perSecond) * 1_000) + 1;
    if (nowMs + waitMs >= untilMs) return false;
    // The balance may become negative, and later callers wait for it.
    this.#left -= writes;
    if (waitMs > 0) await this.#clock.sleep(waitMs);
    return true;
  }
}
