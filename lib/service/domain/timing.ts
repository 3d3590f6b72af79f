/** A tick's lease expires after this. The time limit of the tick function is not longer, so no tick outlives its lease. */
export const LEASE_MS = 10_000;
/** A tick is still searched when it arrives at most this much later than its successor's slot. */
export const TICK_LATE_MS = 5_000;

/**
 * The time limits of the stages of a tick, in milliseconds since it began. A stage that reaches its limit ends with its results
 * so far, and the next ones follow, so that the lease ends before Lambda stops the function. A request that began in time may
 * take longer when DynamoDB is slow; then the next tick settles what this one leaves.
 */
export const TICK_STAGES = {
  /** No further try to take the lease, or to settle a crashed tick. Without the lease this tick is dropped. */
  leaseMs: 2_000,
  /** No further page is read. The tickets read so far are searched; later ticks read the others. */
  readMs: 3_000,
  /** Tickets past their time-out end before the search until this time. The others end during the search. */
  endsFirstMs: 4_000,
  /** No further search and no further commit. The next tick finds the remaining games. */
  planMs: 7_000,
  /** No write starts for a ticket or match. */
  writeMs: 8_000,
  /** No further part of a survey or of a new bucket layout. A later tick repeats it. */
  surveyMs: 8_500,
} as const;

/**
 * The maximum age of a cached queue definition, in milliseconds, for uses where an old one is harmless: creating, searching and
 * placing tickets. After this time a changed definition is in force everywhere, and the response to the change is sent no
 * earlier: see `untilInForce`.
 *
 * A running function reads the item of a busy queue once in this time. A key allows 3,000 read units a second, and the item of a
 * queue with 125 buckets takes two, so 1,000 functions stay below the limit.
 */
export const DEFINITION_AGE_MS = 1_000;
