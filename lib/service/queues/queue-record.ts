import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { BucketLayout } from '../ticks/buckets.ts';

/** A stored queue: its definition and its state. */
export interface QueueRecord extends QueueState {
  readonly definition: QueueDefinition;
}

export interface QueueState {
  /** Increases by one with every change of the definition. */
  readonly version: number;
  /** Bucket layouts that are in force or still contain tickets, oldest first. */
  readonly layouts: readonly BucketLayout[];
  /** Ticks are scheduled up to and including this slot; 0 before the first. */
  readonly awakeUntilMs: number;
  /** Ticks are sent up to this slot. Less than `awakeUntilMs` while a caller sends them, or after a crash. */
  readonly sentUntilMs: number;
  /** Set when the queue is deleted. It accepts no new tickets, but waiting tickets can still be matched. */
  readonly deletedAt?: string;
}
