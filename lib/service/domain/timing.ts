/** A tick's lease expires after this. The time limit of the tick function is not longer, so no tick outlives its lease. */
export const LEASE_MS = 10_000;
/** A tick is still searched when it arrives at most this much later than its successor's slot. */
export const TICK_LATE_MS = 5_000;

/**
 * The time limits of the stages of a tick, in milliseconds since it began. A stage that is not over by then ends with what it
 * has, and the next ones follow, so that the lease ends before Lambda stops the function. A request that began in
 * time may take longer when DynamoDB is slow; then the next tick settles what this one leaves.
 */
export const TICK_STAGES = {
  /** No further try to get the lease, or to settle what a crashed tick has left. Then this tick is dropped. */
  leaseMs: 2_000,
  /** No further page is read. The tickets read so far are searched; later ticks read the others. */
  readMs: 3_000,
  /** Tickets past their time-out end before the search begins. After this the others end during the search. */
  endsFirstMs: 4_000,
  /** No further search and no further commit. The next tick finds the remaining games. */
  planMs: 7_000,
  /** No write starts for a ticket or match. */
  writeMs: 8_000,
  /** No part of a survey or of a new bucket layout. A later tick repeats it. */
  surveyMs: 8_500,
} as const;

/**
 * The maximum age of a cached queue definition, in milliseconds, where an old one is harmless: when tickets are created,
 * searched and placed. A changed definition is in force everywhere after this time, and the response to the change comes
 * no earlier: see `queues/until-in-force.ts`.
 *
 * A running function reads a busy queue's item once in this time. A key allows 3,000 read units a second and the item
 * of a queue with 125 buckets has two, so 1,000 functions stay below the limit.
 */
export const DEFINITION_AGE_MS = 1_000;
