/** Where a deadline that is still to come is put back to. */
export interface DeadlineTimer {
  /** Has each of these matches checked after a time; at most 15 minutes at once, so it may come early. */
  again(matchIds: readonly string[], afterMs: number): Promise<void>;
}
