/** Matches whose deadline has passed and that have not ended. */
export interface OverdueMatches {
  /**
   * The ids of matches whose deadline was at this moment or earlier; may lag behind writes by moments. Of very
   * many it returns some thousands, those longest overdue first.
   */
  until(byMs: number): Promise<string[]>;
}
