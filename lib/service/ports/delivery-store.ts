import type { RecentResults } from '../../contract/webhook-failing.ts';

/** What is known about the deliveries to a webhook of a queue. */
export interface DeliveryRecord {
  readonly lastSuccessMs?: number;
  readonly lastFailure?: DeliveryFailure;
  /** Failures since the last success that was noted. */
  readonly failures: number;
  /** As of the function that has noted the last of them; absent while none has ended. */
  readonly recent?: RecentResults;
  /** Deliveries that wait for a further try, and since when the first of them; absent while none does. */
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
 * Deliveries by queue and webhook, for people: nothing is decided by it. The number of waiting deliveries may be off by those
 * of a function that was stopped, until none was seen for {@link WAITING_SEEN_MS}.
 */
export interface DeliveryStore {
  /** The record at a time. */
  get(queue: string, url: string, nowMs: number): Promise<DeliveryRecord | undefined>;
  /** Notes a success, which ends the failures. */
  succeeded(queue: string, url: string, recent: RecentResults, nowMs: number): Promise<void>;
  /** Notes a failure. Returns the number of failures since the last success. */
  failed(queue: string, url: string, recent: RecentResults, failure: DeliveryFailure): Promise<number>;
  /** Notes that a delivery begins to wait. */
  begins(queue: string, url: string, nowMs: number): Promise<void>;
  /** Notes that a delivery still waits, since a time. */
  waits(queue: string, url: string, sinceMs: number, nowMs: number): Promise<void>;
  /** Notes that a delivery does not wait any more. */
  ends(queue: string, url: string, sinceMs: number, nowMs: number): Promise<void>;
}

/** Longer than the longest pause between two tries of a delivery. */
export const WAITING_SEEN_MS = 20 * 60_000;
