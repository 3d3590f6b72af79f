import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { BucketLayout } from '../ticks/buckets.ts';

/** A queue as it is stored: its definition, and what belongs to it for as long as it lives. */
export interface QueueRecord {
  readonly definition: QueueDefinition;
  /** Grows by one with every change of the definition. */
  readonly version: number;
  /** Bucket layouts in force or still holding tickets, oldest first. */
  readonly layouts: readonly BucketLayout[];
  /** Ticks are scheduled up to and including this slot; 0 before the first. */
  readonly awakeUntilMs: number;
  /** Ticks are known to be sent up to here; less than `awakeUntilMs` while a caller sends them, or after a crash. */
  readonly sentUntilMs: number;
  /** Set when the queue was deleted: no new tickets; who waits is still served. */
  readonly deletedAt?: string;
}
