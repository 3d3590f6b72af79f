/**
 * Tells the loops of a search when its time is over. It reads no clock itself: it asks a function of the caller, once for
 * every 128 steps, so a loop can ask it at each step.
 *
 * A search that finds its time over ends as one whose node budget is spent: with the best game that it has found, and the
 * bound that it has proved.
 *
 * @example
 * ```ts
 * import { SearchClock } from './search-clock.ts';
 *
 * let asked = 0;
 * const clock = new SearchClock(() => ++asked > 1);
 * clock.isOver(); // => false
 * clock.isOver(127); // => false
 * asked; // => 1
 * clock.isOver(); // => true
 * clock.wasOver; // => true
 * ```
 */
export class SearchClock {
  readonly #outOfTime: (() => boolean) | undefined;
  /** The steps until the function is asked again. */
  #steps = 0;
  #isOver = false;
  #gaveUp = false;

  /** @param outOfTime pure during one query, except that it may become true. @default never */
  constructor(outOfTime?: () => boolean) {
    this.#outOfTime = outOfTime;
    this.start();
  }

  /** Begins a query: its first step asks again whether the time is over. */
  start(): void {
    this.#isOver = false;
    this.#gaveUp = false;
    this.#steps = 0;
  }

  /**
   * Whether the time is over. Once it is, it stays so until the next `start`.
   *
   * @param steps the work since the last call: a step takes some microseconds at most. ∞ asks at once
   */
  isOver(steps = 1): boolean {
    if (this.#steps >= steps) {
      this.#steps -= steps;
      return false;
    }
    return this.#ask();
  }

  /** Whether `isOver` has been true since the last `start`. */
  get wasOver(): boolean {
    return this.#isOver;
  }

  /** Reports that the query ends without a game, and has not proved that there is none: its node budget is spent. */
  giveUp(): void {
    this.#gaveUp = true;
  }

  /** Whether the query was cut short by its time, or gave up. When it found no game there may still be one. */
  get wasCut(): boolean {
    return this.#isOver || this.#gaveUp;
  }

  #ask(): boolean {
    if (this.#isOver) return true;
    this.#isOver = this.#outOfTime?.() ?? false;
    // While it is over, every step comes here.
    this.#steps = this.#isOver ? -1 : stepsPerAsk - 1;
    return this.#isOver;
  }
}

/** The steps between two calls of the function: a tenth of a millisecond to a millisecond of most searches. */
const stepsPerAsk = 128;
