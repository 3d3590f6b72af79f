/** Where a deadline that is still to come is put back to. */
export interface DeadlineTimer {
  /** Calls again after a time; at most 15 minutes at once, so it may come early. */
  again(matchId: string, afterMs: number): Promise<void>;
}
