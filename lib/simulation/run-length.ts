import { durationText } from './duration.ts';
import type { Measures } from './measures.ts';

/**
 * A run of this many time-outs shows most time-outs: only tickets of the last fifth can time out after its end. It
 * contains ten of any period up to half the time-out.
 */
const TIMEOUTS_PER_RUN = 5;
/** The time in which a number of players arrive varies by a few percent. */
const TOLERANCE = 0.9;
/** From this share on, players waiting at the end affect the 99 % of waits. */
const WAITING_SHARE = 0.01;

/** How long a run has to be before waits and time-outs can be compared, in virtual seconds. */
export function runSecondsMin(timeoutSeconds: number): number {
  return TIMEOUTS_PER_RUN * timeoutSeconds;
}

/** Whether a run is so short that its waits and time-outs may be far too low. */
export function isShortRun(seconds: number, timeoutSeconds: number): boolean {
  return seconds < TOLERANCE * runSecondsMin(timeoutSeconds);
}

/** @returns a warning when a short run cuts off enough waits to affect the results */
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
