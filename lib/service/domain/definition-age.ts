/**
 * The maximum age of a cached queue definition, in milliseconds, where an old one is harmless: when tickets are created,
 * searched and placed. A changed definition is in force everywhere after this time, and the response to the change comes
 * no earlier: see `queues/until-in-force.ts`.
 *
 * A running function reads a busy queue's item once in this time. A key allows 3,000 read units a second and the item
 * of a queue with 125 buckets has two, so 1,000 functions stay below the limit.
 */
export const DEFINITION_AGE_MS = 1_000;
