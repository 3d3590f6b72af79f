/** A tick's lease expires after this. The timeout of the tick function is not longer. */
export const LEASE_MS = 10_000;
/** A tick is still searched when it arrives at most this much later than its successor's slot. */
export const TICK_LATE_MS = 5_000;
