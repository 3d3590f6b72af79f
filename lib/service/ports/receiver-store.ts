/** The record of a webhook receiver, or of the endpoint of a provisioner. */
export interface ReceiverRecord {
  /** Since when it counts as fast. Absent after a slow response or none. */
  readonly fastAtMs?: number;
  /** The number of posts without a response since the last response. */
  readonly failures: number;
  /** Set while it is marked as down: nothing is posted before this time. */
  readonly downUntilMs?: number;
}

/** The record of a fast receiver is renewed at this interval, so that it does not expire. */
export const RENEWED_AFTER_MS = 24 * 3_600_000;

/** Webhook receivers by URL. New ones have no record. */
export interface ReceiverStore {
  /** The record, up to a second old. */
  get(url: string): Promise<ReceiverRecord | undefined>;
  /** Counts a post without a response. The receiver then counts neither as fast nor as down. Returns the record. */
  addFailure(url: string, nowMs: number): Promise<ReceiverRecord>;
  /** Marks a receiver as down until a time, unless it is down now. Only one of several concurrent callers gets true. */
  markDown(url: string, nowMs: number, untilMs: number): Promise<boolean>;
  /**
   * Records that a receiver has no failures and is not down. A write that fails is lost, and throws nothing: the next response
   * records the same, and a retry would only post the event twice.
   * @param fastAtMs undefined for a slow one
   */
  markUp(url: string, nowMs: number, fastAtMs: number | undefined): Promise<void>;
}
