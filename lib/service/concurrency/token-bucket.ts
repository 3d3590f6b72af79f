/** A rate limit: `perSecond` on average, and a burst of `burst`. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket. It starts full. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #atMs = 0;

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#tokens = limit.burst;
  }

  /** Takes a token. Returns false when there is none. */
  take(nowMs: number): boolean {
    const { perSecond, burst } = this.#limit;
    const added = Math.max(0, nowMs - this.#atMs) * (perSecond / 1_000);
    this.#tokens = Math.min(burst, this.#tokens + added);
    this.#atMs = Math.max(this.#atMs, nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
