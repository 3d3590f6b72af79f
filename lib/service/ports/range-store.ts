import type { TickMemory } from '../../policies/memory.ts';
import type { FailedTicks } from '../domain/set-aside.ts';
import type { TickReport } from '../domain/tick-report.ts';
import type { FormingMatch } from './match-store.ts';

/** The shared state of ticks: leases on cells, their journals, and reports of ranges. */
export interface RangeStore {
  /**
   * Leases all cells or none, for one slot, until a time. `held`: another tick holds one of them. `done`: this slot or a later
   * one is already searched there. `Crashed`: either leases have expired without being ended, and the caller must settle the
   * matches of their owners before it takes the lease, or the last ticks have failed, and the caller must know that.
   * @param cells 1 to 3
   * @param settled owners of expired leases whose matches the caller has settled
   */
  takeLease(
    queue: string,
    cells: readonly string[],
    lease: Lease,
    settled?: readonly string[],
  ): Promise<LeaseOutcome>;
  /**
   * Ends the leases that the owner still holds on these cells.
   * @param failed the failures in a row, for the next tick. @default none
   */
  endLease(
    queue: string,
    cells: readonly string[],
    lease: Pick<Lease, 'owner'>,
    failed?: FailedTicks,
  ): Promise<void>;
  /**
   * Permanently closes cells: later requests for a lease get `done`. `held`: a tick still holds one of them; the others are
   * closed. `Crashed`: as for a lease.
   */
  close(
    queue: string,
    cells: readonly string[],
    nowMs: number,
    settled?: readonly string[],
  ): Promise<'closed' | 'held' | Crashed>;
  /** The cells whose leases have expired without being ended, by owner. `failed` includes the crash. */
  crashed(queue: string, cells: readonly string[], nowMs: number): Promise<ReadonlyMap<string, CrashedCells>>;
  /** Stores a page of a tick's journal. It expires after a day. `closed`: the journal was closed, nothing has changed. */
  putJournal(
    queue: string,
    owner: string,
    page: number,
    matches: readonly FormingMatch[],
    nowMs: number,
  ): Promise<'stored' | 'closed'>;
  /**
   * Reads a page of a tick's journal. When there is no such page, closes the journal, so that the tick can store no further page.
   */
  journalUntilClosed(
    queue: string,
    owner: string,
    page: number,
    nowMs: number,
  ): Promise<readonly FormingMatch[] | 'closed'>;
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

export type LeaseOutcome = 'leased' | 'held' | 'done' | Crashed;

/** What earlier ticks have left. */
export interface Crashed {
  /** Owners of leases that expired without being ended. */
  readonly crashed: readonly string[];
  /** The failures in a row up to and including these ticks. */
  readonly failed?: FailedTicks | undefined;
}

/** The expired leases of a crashed tick. */
export interface CrashedCells {
  readonly cells: readonly string[];
  readonly failed: FailedTicks;
}

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
  /** The failures of earlier ticks that the caller knows. @default none; if there are any, the lease is refused */
  readonly failed?: FailedTicks | undefined;
}
