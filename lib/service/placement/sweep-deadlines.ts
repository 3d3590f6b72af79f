import type { DeadlineTimer } from '../ports/deadline-timer.ts';
import type { OverdueMatches } from '../ports/overdue-matches.ts';

/**
 * A match that is overdue by less than this is skipped, because its own message may still be in flight. Milliseconds.
 */
const OVERDUE_MS = 30_000;

export interface SweepDeps {
  readonly overdue: OverdueMatches;
  readonly timer: DeadlineTimer;
}

/**
 * Finds overdue matches and sends them to `deadline` again. Each match normally has its own message that ends it in time. The
 * sweep covers lost messages: an event that was never published, or a dead letter. It also finds abandoned matches, which have no
 * message of their own. Returns the number of matches found.
 *
 *     find   reads only
 *     send   a crash before it: the next minute finds them again. Repeated: `deadline` ends a match once
 */
export async function sweepDeadlines(deps: SweepDeps, nowMs: number): Promise<number> {
  const matchIds = await deps.overdue.findOverdue(nowMs - OVERDUE_MS);
  if (matchIds.length > 0) await deps.timer.again(matchIds, 0);
  return matchIds.length;
}
