import type { Clock } from '../ports/clock.ts';

/**
 * The maximum age of a cached queue definition, in milliseconds, where an old one is harmless: when tickets are created,
 * searched and placed. A changed definition is in force everywhere after this time, and the response to the change comes
 * no earlier: see {@link untilInForce}.
 *
 * A running function reads a busy queue's item once in this time. A key allows 3,000 read units a second and the item
 * of a queue with 125 buckets has two, so 1,000 functions stay below the limit.
 */
export const DEFINITION_AGE_MS = 1_000;

/** Timers and clocks are not exact. */
const MARGIN_MS = 50;

/**
 * Waits until no function uses a definition that is older than the one just stored. So a client that has the response to
 * its PUT or DELETE finds the change at every route: no ticket is created in a queue after the response to its deletion.
 */
export async function untilInForce(clock: Clock): Promise<void> {
  await clock.sleep(DEFINITION_AGE_MS + MARGIN_MS);
}
