import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';

/** Timers and clocks are not exact. */
const MARGIN_MS = 50;

/**
 * Waits until no function uses an older definition than the one just stored. So a client that has the response to its PUT or
 * DELETE finds the change at every route: no ticket is created in a queue after the response to its deletion.
 */
export async function untilInForce(clock: Clock): Promise<void> {
  await clock.sleep(DEFINITION_AGE_MS + MARGIN_MS);
}
