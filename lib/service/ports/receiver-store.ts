/** The record of a webhook receiver. */
export interface ReceiverRecord {
  /** When it was marked as fast. Absent while it is new, and since it was slow or did not respond. */
  readonly fastAtMs?: number;
  /** Until when a trial may take. */
  readonly trialUntilMs?: number;
  /** The number of posts without a response since its last response. */
  readonly failures: number;
  /** The time of the first of these. */
  readonly failingSinceMs?: number;
  /** It is not marked as fast before this time. */
  readonly slowUntilMs: number;
  /** How often it was fast and then slow. */
  readonly slowTimes: number;
  /** Set while the receiver is marked as down: nothing is posted to it before this time, and then one probe. */
  readonly downUntilMs?: number;
}

/** The slowness of a receiver, see {@link ReceiverRecord}. */
export type Slowness = Pick<ReceiverRecord, 'slowUntilMs' | 'slowTimes'>;

/** Webhook receivers by URL, and trials of new ones by name. New ones have no record. */
export interface ReceiverStore {
  /** The record; it may be a second old. */
  get(url: string): Promise<ReceiverRecord | undefined>;
  /** Counts a post without a response, and moves the receiver to the slow lane. Returns the record. */
  addFailure(url: string, nowMs: number, slowness: Slowness): Promise<ReceiverRecord>;
  /** Moves the receiver to the slow lane. */
  markSlow(url: string, nowMs: number, slowness: Slowness): Promise<void>;
  /** Begins a trial of this name, unless one is under way. Of several callers, one gets true. */
  beginTrial(name: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Ends a trial. */
  endTrial(name: string): Promise<void>;
  /** Marks the receiver as fast, unless it is down or `slowUntilMs` is not over. */
  markFast(url: string, nowMs: number, slowTimes: number): Promise<void>;
  /**
   * Marks a receiver as down until a time, if its `downUntilMs` still has the given value. If that is undefined, the
   * receiver must have failures. Of several callers with the same value, one gets true.
   */
  markDown(url: string, untilMs: number, expectedMs: number | undefined): Promise<boolean>;
  /** Clears the failures of a receiver that has responded. It stays in the slow lane. */
  clearFailures(url: string): Promise<void>;
}
