import type { RecentMatch } from './tick-report.ts';

/** The measures of a tick, for dashboards. */
export interface TickMetrics {
  readonly queue: string;
  readonly waiting: number;
  /** The matches committed. */
  readonly recent: readonly RecentMatch[];
  readonly timedOut: number;
  /** Matches that were planned and not committed: somebody was faster, or the store was busy. */
  readonly lostRaces: number;
  readonly busy: number;
  readonly durationMs: number;
  readonly ageMs: number;
}
