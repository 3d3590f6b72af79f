/** What is known of a webhook receiver that was slow or did not answer. */
export interface TroubledReceiver {
  /** The posts since its last answer that it did not answer. */
  readonly failures: number;
  /** When the first of these was. */
  readonly failingSinceMs?: number;
  /** Until then its webhooks go through the slow lane. */
  readonly slowUntilMs: number;
  /** Set while the receiver is taken for down: nothing is posted to it before this time, and then one probe. */
  readonly downUntilMs?: number;
}

/** Webhook receivers with trouble, by URL. Those without have no record. */
export interface ReceiverStore {
  /** May be a second old. */
  get(url: string): Promise<TroubledReceiver | undefined>;
  /** Counts a post without an answer, and keeps the receiver in the slow lane. Returns the record. */
  addFailure(url: string, nowMs: number, slowUntilMs: number): Promise<TroubledReceiver>;
  /** Keeps the receiver in the slow lane. */
  markSlow(url: string, nowMs: number, slowUntilMs: number): Promise<void>;
  /**
   * Takes a receiver for down until a time, if its `downUntilMs` still has the given value. If that is undefined, the
   * receiver must have failures. Of several callers with the same value, one gets true.
   */
  takeDown(url: string, untilMs: number, expectedMs: number | undefined): Promise<boolean>;
  /** Ends the failures of a receiver that has answered. It stays in the slow lane for its time. */
  clearFailures(url: string): Promise<void>;
}
