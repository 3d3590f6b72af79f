/** The maximum of keys remembered. */
const KEYS_MAX = 1_000;

/** Lets a function report each thing once in a while, instead of each time. */
export class Occasionally {
  readonly #everyMs: number;
  readonly #reportedMs = new Map<string, number>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Whether this was not reported lately. If so, it is from now on. */
  isDue(key: string, nowMs = Date.now()): boolean {
    if (nowMs - (this.#reportedMs.get(key) ?? Number.NEGATIVE_INFINITY) < this.#everyMs) return false;
    if (this.#reportedMs.size >= KEYS_MAX) this.#reportedMs.clear();
    this.#reportedMs.set(key, nowMs);
    return true;
  }
}
