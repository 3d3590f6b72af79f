/** The record of a webhook receiver, or of the endpoint of a provisioner. */
export interface ReceiverRecord {
  /** From when on it counts as fast. Absent since it was slow or did not respond. */
  readonly fastAtMs?: number;
  /** The number of posts without a response since its last response. */
  readonly failures: number;
  /** Set while it is marked as down: nothing is posted to it before this time. */
  readonly downUntilMs?: number;
}

/** The mark of a receiver that is fast is renewed this often, so that its record does not expire. */
export const RENEWED_AFTER_MS = 24 * 3_600_000;

/** Webhook receivers by URL. New ones have no record. */
export interface ReceiverStore {
  /** The record; it may be a second old. */
  get(url: string): Promise<ReceiverRecord | undefined>;
  /** Counts a post without a response. The receiver is neither fast any more nor marked as down. Returns the record. */
  addFailure(url: string, nowMs: number): Promise<ReceiverRecord>;
  /** Marks a receiver as down until a time, unless it is down now. Of several callers, one gets true. */
  markDown(url: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Notes that a receiver has no failures and is not down. @param fastAtMs undefined for one that is slow */
  markUp(url: string, nowMs: number, fastAtMs: number | undefined): Promise<void>;
}
