import type { BucketLimits } from '../domain/bucket-limits.ts';
import { type BucketLayout, bucketsWithin, type KeyRange, keysOfBucket, overlap } from '../domain/buckets.ts';
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

  /** Waits until this many writes may start. Returns false immediately when that would be at `untilMs` or later. */
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

/**
 * The tickets a second that commits may remove from a range, so that all ranges of a slot together remove from each pool
 * key at most `commitsPerSecond`, or `drainsPerSecond` if its layout is not in force any more.
 *
 * A key's tickets are shared by all ranges that overlap its bucket: by two on odd slots, and by many when the tickets are
 * of an earlier layout. Games take tickets of all keys evenly, so the key with the highest share decides.
 *
 * @param inForce the layout in force
 * @param pools the number of tickets that were read under each pool key
 * @param ranges all ranges of the slot
 */
export function commitRate(
  queue: string,
  layouts: readonly BucketLayout[],
  inForce: BucketLayout,
  range: KeyRange,
  ranges: readonly KeyRange[],
  pools: ReadonlyMap<string, number>,
  limits: BucketLimits,
): number {
  const total = [...pools.values()].reduce((sum, count) => sum + count, 0);
  let rate = Number.POSITIVE_INFINITY;
  for (const layout of layouts) {
    const perKey = layout.version < inForce.version ? limits.drainsPerSecond : limits.commitsPerSecond;
    for (const bucket of bucketsWithin(layout, range)) {
      const most = Math.max(...keysOfBucket(queue, layout, bucket.bucket).map((key) => pools.get(key) ?? 0));
      if (most === 0) continue;
      const sharers = ranges.filter((one) => overlap(one, bucket)).length;
      rate = Math.min(rate, (perKey * total) / (most * sharers));
    }
  }
  return Number.isFinite(rate) ? rate : limits.commitsPerSecond;
}
