import type { QueueRecord } from '../queues/queue-record.ts';
import type { BucketLayout } from '../ticks/buckets.ts';
import type { Unreadable } from './unreadable.ts';

export interface StoredQueues {
  readonly records: QueueRecord[];
  /** Existing queues that this version of Muster cannot parse. */
  readonly unreadable: { readonly queue: string; readonly error: Unreadable }[];
}

/** Queues. */
export interface QueueStore {
  /**
   * A queue as it is stored, or as it was read less than `maxAgeMs` ago.
   * @param maxAgeMs milliseconds; omitted: as it is now
   * @throws Unreadable
   */
  get(queue: string, maxAgeMs?: number): Promise<QueueRecord | undefined>;
  /** All queues by name, including deleted ones until they are removed. */
  list(): Promise<StoredQueues>;
  /** Stores a record whose version is one above the stored version. Returns false if another writer was faster. */
  put(record: QueueRecord): Promise<boolean>;
  /** Moves `awakeUntilMs` forward if it and the version are still those of the record. */
  extendAwake(record: QueueRecord, untilMs: number): Promise<boolean>;
  /** Records that the ticks up to this slot are sent if `sentUntilMs` is still that of the record. */
  confirmSent(record: QueueRecord, untilMs: number): Promise<void>;
  /** Removes layouts that contain no ticket if the version is still that of the record. */
  dropLayouts(record: QueueRecord, keep: readonly BucketLayout[]): Promise<boolean>;
  /** Permanently removes a deleted queue if the version is still that of the record. Also true if it is already gone. */
  remove(record: QueueRecord): Promise<boolean>;
}
