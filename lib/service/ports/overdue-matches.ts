/** Finds matches whose deadline has passed but that have not ended. */
export interface OverdueMatches {
  /**
   * The ids of matches with a deadline at or before this time. May lag behind writes by moments. If there are very many,
   * it returns some thousands: the longest overdue, and others from a random time on.
   */
  until(byMs: number): Promise<string[]>;
}
