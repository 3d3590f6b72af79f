/** The record of a webhook receiver that was slow or did not respond. */
export interface ReceiverRecord {
  /** The number of posts without a response since its last response. */
  readonly failures: number;
  /** The time of the first of these. */
  readonly failingSinceMs?: number;
  /** Until this time its webhooks use the slow lane. */
  readonly slowUntilMs: number;
  /** Set while the receiver is marked as down: nothing is posted to it before this time, and then one probe. */
  readonly downUntilMs?: number;
}

/** Webhook receivers that are slow or fail, by URL. Others have no record. */
export interface ReceiverStore {
  /** The record; it may be a second old. */
  get(url: string): Promise<ReceiverRecord | undefined>;
  /** Counts a post without a response, and keeps the receiver in the slow lane. Returns the record. */
  addFailure(url: string, nowMs: number, slowUntilMs: number): Promise<ReceiverRecord>;
  /** Keeps the receiver in the slow lane. */
  markSlow(url: string, nowMs: number, slowUntilMs: number): Promise<void>;
  /**
   * Marks a receiver as down until a time, if its `downUntilMs` still has the given value. If that is undefined, the
   * receiver must have failures. Of several callers with the same value, one gets true.
   */
  markDown(url: string, untilMs: number, expectedMs: number | undefined): Promise<boolean>;
  /** Clears the failures of a receiver that has responded. It stays in the slow lane until `slowUntilMs`. */
  clearFailures(url: string): Promise<void>;
}
