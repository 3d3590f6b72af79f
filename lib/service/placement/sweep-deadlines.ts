import type { DeadlineTimer } from '../ports/deadline-timer.ts';
import type { OverdueMatches } from '../ports/overdue-matches.ts';

/**
 * A match that is overdue by less is left to its own message, which may be on its way or in a queue.
 * Milliseconds.
 */
const OVERDUE_MS = 30_000;

export interface SweepDeps {
  readonly overdue: OverdueMatches;
  readonly timer: DeadlineTimer;
}

/**
 * Finds the matches whose time was up long ago and sends them to `deadline` again. Each match has a message
 * of its own that ends it in time; this is for those whose message was lost: an event that was never published,
 * or a dead letter. Returns how many were found.
 *
 *     find     reads only
 *     send     a crash before it: the next minute finds them again. Repeated: `deadline` ends a match once
 */
export async function sweepDeadlines(deps: SweepDeps, nowMs: number): Promise<number> {
  const matchIds = await deps.overdue.until(nowMs - OVERDUE_MS);
  if (matchIds.length > 0) await deps.timer.again(matchIds, 0);
  return matchIds.length;
}
