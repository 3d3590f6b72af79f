import type { CustomFailure } from '../../rules/custom/calls.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { RecentMatch } from '../domain/tick-report.ts';

export type TickOutcome = Searched | SetAsideTick | Dropped;

/** The range was searched. */
export interface Searched {
  readonly outcome: 'searched';
  /** The matches committed. */
  readonly matches: readonly StoredMatch[];
  readonly metrics: TickMetrics;
  /** Tickets cancelled because this version of Muster cannot read them. */
  readonly unreadable: readonly string[];
  /** Tickets and backfills cancelled because no item of the store can hold their match. */
  readonly tooLarge: readonly string[];
  /** Why tickets were kept although pings of their players are missing. */
  readonly held?: string;
}

/** The range is set aside: only overdue tickets were ended. */
export interface SetAsideTick {
  readonly outcome: 'set-aside';
  readonly metrics: TickMetrics;
  readonly unreadable: readonly string[];
  readonly why: string;
}

/** The tick has read and ended nothing. */
export interface Dropped {
  readonly outcome: 'dropped';
  readonly why: string;
}

export function dropped(why: string): Dropped {
  return { outcome: 'dropped', why };
}

/** The metrics of a tick, for dashboards. */
export interface TickMetrics {
  readonly queue: string;
  readonly waiting: number;
  /** The matches committed. */
  readonly recent: readonly RecentMatch[];
  readonly timedOut: number;
  /** Whether the search was cut short because its time was up. */
  readonly isCut: boolean;
  /** Tickets that are still waiting after their last chance although it was not proved that they had no game. */
  readonly missedLastChances: number;
  /** The calls of the studio's functions that failed, and so refused their games. */
  readonly failures: readonly CustomFailure[];
  /** Matches that were planned but not committed, because a ticket was taken or the store was busy. */
  readonly lostRaces: number;
  readonly busy: number;
  readonly durationMs: number;
  readonly ageMs: number;
  /**
   * The share of the players, in percent, who would have to accept any side, role or region so that every wait is bounded.
   * Present once every ten seconds, for queues with choices.
   */
  readonly choiceFreeNeeded?: number | undefined;
}
