import type { RecentResults } from '../../contract/webhook-failing.ts';

/** The statistics of the deliveries to one webhook of a queue. */
export interface DeliveryRecord {
  readonly lastSuccessMs?: number;
  readonly lastFailure?: DeliveryFailure;
  /** Failures since the last recorded success. */
  readonly failures: number;
  /** As reported by the function that recorded the last of them; absent before the first. */
  readonly recent?: RecentResults;
  /** The number of deliveries that wait for another try, and since when the first of them waits; absent when none waits. */
  readonly waiting?: { readonly count: number; readonly sinceMs: number };
}

export interface DeliveryFailure {
  readonly atMs: number;
  /** Why it was not delivered. */
  readonly text: string;
  /** The status of the response, if there was one. */
  readonly status?: number;
}

/**
 * The deliveries to each webhook of a queue, for statistics only: a write that fails is lost, and throws nothing. The number of
 * waiting deliveries may include those of a function that was stopped, until no wait was reported for {@link WAITING_SEEN_MS}.
 */
export interface DeliveryStore {
  /** The record at a time. */
  get(queue: string, url: string, nowMs: number): Promise<DeliveryRecord | undefined>;
  /** Records a success, which ends the failures. */
  succeeded(queue: string, url: string, recent: RecentResults, nowMs: number): Promise<void>;
  /** Records a failure. Returns the number of failures since the last success; undefined when it could not be recorded. */
  failed(
    queue: string,
    url: string,
    recent: RecentResults,
    failure: DeliveryFailure,
  ): Promise<number | undefined>;
  /** Records that a delivery starts to wait. */
  waitStarted(queue: string, url: string, sinceMs: number, nowMs: number): Promise<void>;
  /** Records that a delivery is still waiting. */
  stillWaiting(queue: string, url: string, sinceMs: number, nowMs: number): Promise<void>;
  /** Records that a delivery no longer waits. */
  waitEnded(queue: string, url: string, sinceMs: number, nowMs: number): Promise<void>;
}

/** Longer than the longest pause between two tries of a delivery. */
export const WAITING_SEEN_MS = 20 * 60_000;
