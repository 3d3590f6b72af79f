import type { QueueRecord } from '../queues/queue-record.ts';
import type { BucketPlan } from '../ticks/buckets.ts';

/** Queues. */
export interface QueueStore {
  get(queue: string): Promise<QueueRecord | undefined>;
  list(): Promise<QueueRecord[]>;
  /** Stores a record whose version is one above the stored one's. False: somebody else was faster. */
  put(record: QueueRecord): Promise<boolean>;
  /** Moves `awakeUntilMs` forward, if it and the version still are what the record says. */
  extendAwake(record: QueueRecord, untilMs: number): Promise<boolean>;
  /** Notes that the ticks up to here are sent, if `sentUntilMs` still is what the record says. */
  confirmSent(record: QueueRecord, untilMs: number): Promise<void>;
  /** Removes plans that no ticket is in any more, if the version is still the record's. */
  dropPlans(record: QueueRecord, keep: readonly BucketPlan[]): Promise<boolean>;
  /** Removes a deleted queue for good, if the version is still the record's. */
  remove(record: QueueRecord): Promise<boolean>;
}
