import type { RecentMatch } from '../domain/tick-report.ts';

/** The metrics of a tick, for dashboards. */
export interface TickMetrics {
  readonly queue: string;
  readonly waiting: number;
  /** The matches committed. */
  readonly recent: readonly RecentMatch[];
  readonly timedOut: number;
  /** Whether the search was cut short because its time was up. */
  readonly isCut: boolean;
  /** Matches that were planned but not committed, because a ticket was taken or the store was busy. */
  readonly lostRaces: number;
  readonly busy: number;
  readonly durationMs: number;
  readonly ageMs: number;
  /**
   * The share of the players, in percent, who would have to accept any side, role or region for a bounded wait. Present
   * once every ten seconds, for queues whose players choose.
   */
  readonly choiceFreeNeeded?: number | undefined;
}
