import type { QueueRecord } from '../queues/queue-record.ts';
import type { BucketLayout } from '../ticks/buckets.ts';
import type { Unreadable } from './unreadable.ts';

export interface StoredQueues {
  readonly records: QueueRecord[];
  /** Queues that are there and that this version of Muster cannot read. */
  readonly unreadable: { readonly queue: string; readonly error: Unreadable }[];
}

/** Queues. */
export interface QueueStore {
  /** @throws Unreadable */
  get(queue: string): Promise<QueueRecord | undefined>;
  /** All queues by name, deleted ones included until they are removed. */
  list(): Promise<StoredQueues>;
  /** Stores a record whose version is one above the stored one's. False: somebody else was faster. */
  put(record: QueueRecord): Promise<boolean>;
  /** Moves `awakeUntilMs` forward, if it and the version still are what the record says. */
  extendAwake(record: QueueRecord, untilMs: number): Promise<boolean>;
  /** Notes that the ticks up to here are sent, if `sentUntilMs` still is what the record says. */
  confirmSent(record: QueueRecord, untilMs: number): Promise<void>;
  /** Removes layouts that no ticket is in any more, if the version is still the record's. */
  dropLayouts(record: QueueRecord, keep: readonly BucketLayout[]): Promise<boolean>;
  /** Removes a deleted queue for good, if the version is still the record's. True, too, when it is gone already. */
  remove(record: QueueRecord): Promise<boolean>;
}
