/** Schedules checks of deadlines. */
export interface DeadlineTimer {
  /** Schedules another check of each match. The delay is capped at 15 minutes, so a check may come before the deadline. */
  again(matchIds: readonly string[], afterMs: number): Promise<void>;
}
