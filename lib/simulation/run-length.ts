import { durationText } from './duration.ts';
import type { Measures } from './measures.ts';

/**
 * A run of so many time-outs shows who times out: only tickets of the last fifth can have a time-out that the run does
 * not see. Of any period up to half the time-out it shows ten.
 */
const TIMEOUTS_PER_RUN = 5;
/** The players of so many seconds arrive in a few percent more or less. */
const TOLERANCE = 0.9;
/** From this share on, the players who wait at the end are seen in the 99 % of waits. */
const WAITING_SHARE = 0.01;

/** How long a run has to be before waits and time-outs can be compared, in virtual seconds. */
export function runSecondsMin(timeoutSeconds: number): number {
  return TIMEOUTS_PER_RUN * timeoutSeconds;
}

/** Whether waits and time-outs of a run may be far too low because it ends early. */
export function isShortRun(seconds: number, timeoutSeconds: number): boolean {
  return seconds < TOLERANCE * runSecondsMin(timeoutSeconds);
}

/** @returns a sentence when the end of a short run cuts so many waits that the results show it */
export function shortRunWarning(
  { players, seconds, outcome }: Measures,
  timeoutSeconds: number,
): string | undefined {
  const share = outcome.waiting / players;
  if (!(share >= WAITING_SHARE) || !isShortRun(seconds, timeoutSeconds)) return undefined;
  return (
    `${(100 * share).toFixed(1)} % of the players still wait at the end of a run of ${durationText(seconds)}. ` +
    'They count with their wait so far, so waits and time-outs of a longer run are higher. ' +
    `Play more players, for ${durationText(runSecondsMin(timeoutSeconds))} at least.`
  );
}
