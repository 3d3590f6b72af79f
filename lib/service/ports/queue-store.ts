import type { QueueRecord } from '../queues/queue-record.ts';
import type { BucketPlan } from '../ticks/buckets.ts';
import type { TickReport } from '../ticks/tick-report.ts';

/** Queues, the leases on their cells, and the reports of their ticks. */
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

  /**
   * Leases all cells or none, for one slot, until a time. `held`: another tick has one of them.
   * `done`: this slot, or a later one, has been searched there already.
   */
  lease(queue: string, cells: readonly string[], lease: Lease): Promise<LeaseOutcome>;
  /** Gives the cells back, if all of them are still the caller's. */
  release(queue: string, cells: readonly string[], lease: Lease): Promise<void>;
  /** Keeps the report of a range, unless there is one of a later slot; it is forgotten after a day. */
  putReport(queue: string, range: string, report: TickReport, nowMs: number): Promise<void>;
  /** The last reports of these ranges, by the range's name. */
  reports(queue: string, ranges: readonly string[]): Promise<ReadonlyMap<string, TickReport>>;
}
export type LeaseOutcome = 'leased' | 'held' | 'done';
export interface Lease {
  readonly owner: string;
  readonly slotMs: number;
  readonly nowMs: number;
  readonly untilMs: number;
}
