import type { TickReport } from '../ticks/tick-report.ts';

/** What ticks leave for each other: leases on cells, and the reports of ranges. */
export interface RangeStore {
  /**
   * Leases all cells or none, for one slot, until a time. `held`: another tick has one of them.
   * `done`: this slot, or a later one, has been searched there already.
   * @param cells 1 to 3
   */
  takeLease(queue: string, cells: readonly string[], lease: Lease): Promise<LeaseOutcome>;
  /** Ends the leases of those cells that are still the caller's. */
  endLease(queue: string, cells: readonly string[], lease: Lease): Promise<void>;
  /**
   * Closes cells for good: whoever asks for a lease on one is told `done`. False: a tick has one of them still; the
   * others are closed.
   */
  close(queue: string, cells: readonly string[], nowMs: number): Promise<boolean>;
  /** Keeps the report of a range, unless there is one of a later slot; it is forgotten after a day. */
  putReport(queue: string, range: string, report: TickReport, nowMs: number): Promise<void>;
  /** The last reports of these ranges, by the range's name. One that cannot be read counts as none. */
  reports(queue: string, ranges: readonly string[]): Promise<ReadonlyMap<string, TickReport>>;
  /** Removes leases and reports. What is not named here is forgotten a day after its last tick. */
  remove(queue: string, cells: readonly string[], ranges: readonly string[]): Promise<void>;
}
export type LeaseOutcome = 'leased' | 'held' | 'done';
export interface Lease {
  readonly owner: string;
  readonly slotMs: number;
  readonly nowMs: number;
  readonly untilMs: number;
}
