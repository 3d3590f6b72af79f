/** The maximum of keys remembered. */
const KEYS_MAX = 1_000;

/** Limits how often a function reports the same thing: once in each interval. */
export class Throttle {
  readonly #everyMs: number;
  readonly #reportedMs = new Map<string, number>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Whether to report the key now: it was not reported within the interval. It then counts as reported. */
  isDue(key: string, nowMs = Date.now()): boolean {
    if (nowMs - (this.#reportedMs.get(key) ?? Number.NEGATIVE_INFINITY) < this.#everyMs) return false;
    if (this.#reportedMs.size >= KEYS_MAX) this.#reportedMs.clear();
    this.#reportedMs.set(key, nowMs);
    return true;
  }
}
