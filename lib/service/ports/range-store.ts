import type { TickMemory } from '../../policies/memory.ts';
import type { TickReport } from '../ticks/tick-report.ts';

/** The shared state of ticks: leases on cells, and reports of ranges. */
export interface RangeStore {
  /**
   * Leases all cells or none, for one slot, until a time. `held`: another tick holds one of them. `done`: this slot or a
   * later one is already searched there.
   * @param cells 1 to 3
   */
  takeLease(queue: string, cells: readonly string[], lease: Lease): Promise<LeaseOutcome>;
  /** Ends the leases that the caller still holds on these cells. */
  endLease(queue: string, cells: readonly string[], lease: Lease): Promise<void>;
  /**
   * Permanently closes cells: later requests for a lease get `done`. Returns false if a tick still holds one of them; the
   * others are closed.
   */
  close(queue: string, cells: readonly string[], nowMs: number): Promise<boolean>;
  /** Stores the report of a range unless there is one of a later slot. It expires after a day. */
  putReport(queue: string, range: string, report: TickReport, nowMs: number): Promise<void>;
  /** The last reports of these ranges, by the range's name. A report that cannot be parsed is omitted. */
  reports(queue: string, ranges: readonly string[]): Promise<ReadonlyMap<string, TickReport>>;
  /** Stores the arrivals of all buckets of a queue together. They expire after a day. */
  putArrivals(queue: string, arrivals: TickMemory, nowMs: number): Promise<void>;
  /** The stored arrivals of a queue. Arrivals that cannot be parsed are omitted. */
  arrivals(queue: string): Promise<TickMemory | undefined>;
  /** Removes leases and reports. Others expire a day after their last tick. */
  remove(queue: string, cells: readonly string[], ranges: readonly string[]): Promise<void>;
}

export type LeaseOutcome = 'leased' | 'held' | 'done';

/** A tick's right to search some cells. Times are milliseconds since the epoch. */
export interface Lease {
  /** Unique to the tick. */
  readonly owner: string;
  /** The slot that is searched. */
  readonly slotMs: number;
  /** When the lease is requested. */
  readonly nowMs: number;
  /** When it expires unless it is ended earlier. */
  readonly untilMs: number;
}
