/** Finds matches whose deadline has passed and that have not ended. */
export interface OverdueMatches {
  /**
   * The ids of matches whose deadline is at or before this time. May lag behind writes by moments. It returns at most some
   * thousands: the longest overdue, and others from a random deadline on.
   */
  findOverdue(byMs: number): Promise<string[]>;
}
