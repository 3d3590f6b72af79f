/** A tick's lease ends by itself after this; the tick function's own time limit is no longer. */
export const LEASE_MS = 10_000;
/** How much later than its successor's slot a tick may come and still be searched. */
export const TICK_LATE_MS = 5_000;
