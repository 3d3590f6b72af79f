/** Sends deadlines that are not due yet again. */
export interface DeadlineTimer {
  /** Checks each of these matches again after this time. The delay is capped at 15 minutes, so it may be too early. */
  again(matchIds: readonly string[], afterMs: number): Promise<void>;
}
