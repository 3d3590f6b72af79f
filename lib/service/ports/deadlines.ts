/** Schedules checks of deadlines. */
export interface DeadlineTimer {
  /** Schedules another check of each match. The delay is capped at 15 minutes, so a check may come before the deadline. */
  again(matchIds: readonly string[], afterMs: number): Promise<void>;
}

/** Finds matches whose deadline has passed and that have not ended. */
export interface OverdueMatches {
  /**
   * The ids of matches whose deadline is at or before this time. May lag behind writes by moments. It returns at most some
   * thousands: the longest overdue, and others from a random deadline on.
   */
  findOverdue(byMs: number): Promise<string[]>;
}
