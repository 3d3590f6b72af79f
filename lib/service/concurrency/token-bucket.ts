/** A limit on how often something may happen: `perSecond` in the long run, and `burst` at once. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket, which is full at first. */
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
