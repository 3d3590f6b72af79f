import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { BucketPlan } from '../ticks/buckets.ts';

/** A queue as it is stored: its definition, and what belongs to it for as long as it lives. */
export interface QueueRecord {
  readonly definition: QueueDefinition;
  /** Grows by one with every change of the definition. */
  readonly version: number;
  /** Bucket plans in force or still holding tickets, oldest first. */
  readonly plans: readonly BucketPlan[];
  /** Ticks are scheduled up to and including this slot; 0 before the first. */
  readonly awakeUntilMs: number;
  /** Up to here they are known to be sent; less than promised while somebody sends them, or has crashed. */
  readonly sentUntilMs: number;
  /** Set when the queue was deleted: no new tickets; who waits is still served. */
  readonly deletedAt?: string;
}
