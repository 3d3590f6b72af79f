import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { BucketLayout } from '../domain/buckets.ts';
import type { QueueRecord, QueueState, Watched } from '../domain/queue-record.ts';
import type { Deployed } from '../domain/stored-definition.ts';
import type { DefinitionStore } from './definition-store.ts';

/** Stores queues. */
export interface QueueStore extends Omit<DefinitionStore<QueueDefinition, QueueState>, 'remove'> {
  /**
   * The stored record of a queue, or one that was read at most `maxAgeMs` ago.
   * @param maxAgeMs milliseconds; when omitted, the record is read now
   * @throws Unreadable
   */
  get(queue: string, maxAgeMs?: number): Promise<QueueRecord | undefined>;
  /** The number of all queues, including deleted ones until they are removed. It may lag behind writes by moments. */
  count(): Promise<number>;
  /**
   * Stores a record whose version is one above the stored version. Returns false if another writer was faster.
   * @param deployed what the deployment records in the same write; null removes the record. @default the stored one stays
   */
  put(record: QueueRecord, deployed?: Deployed | null): Promise<boolean>;
  /** Moves `awakeUntilMs` forward if it and the version are still those of the record. */
  extendAwake(record: QueueRecord, untilMs: number): Promise<boolean>;
  /** Records that the ticks up to this slot are sent if `sentUntilMs` is still that of the record. */
  confirmSent(record: QueueRecord, untilMs: number): Promise<void>;
  /** Sets the period in which the queue is watched, if it is still that of the record. */
  extendWatched(record: QueueRecord, watched: Watched): Promise<boolean>;
  /** Sets one of these times in the record, if the queue exists. */
  extend(record: QueueRecord, what: 'presenceHeldUntilMs' | 'linkedUntilMs', untilMs: number): Promise<void>;
  /** Removes layouts that contain no ticket if the version is still that of the record. */
  dropLayouts(record: QueueRecord, keep: readonly BucketLayout[]): Promise<boolean>;
  /** Permanently removes a deleted queue and its earlier definitions if the version is still that of the record. Returns true if it is already removed. */
  remove(record: QueueRecord): Promise<boolean>;
}
