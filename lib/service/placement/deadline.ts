import { returnDissolved, returnTickets } from '../commits/return-tickets.ts';
import { isDissolving } from '../domain/returning.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { type UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { DeadlineTimer, OverdueMatches } from '../ports/deadlines.ts';
import { type AcceptanceDeps, followAnswers } from '../tickets/acceptance.ts';
import { wake } from '../waking/schedule.ts';
import { failPlacement } from './fail-placement.ts';

export interface DeadlineDeps extends AcceptanceDeps {
  readonly timer: DeadlineTimer;
  /** Called with the match when it is read, to add its ids to the log. */
  readonly found?: (match: Pick<StoredMatch, 'queue' | 'ticketIds'>) => void;
}

/**
 * `over`: the match no longer needs a deadline. `waiting`: it is not due yet, and is checked again later. `ended`: this call has
 * failed the match. `UnreadableQueue`: nothing has changed, and `dispatch` sends the match again every minute.
 */
export type DeadlineOutcome = 'over' | 'waiting' | 'ended' | UnreadableQueue;

/**
 * Ends an acceptance or a placement at its deadline. Every match with a deadline gets a message when it is formed. A message that
 * arrives early is put back with a delay. If all messages of a match are lost, `dispatch` finds it overdue and sends another; see
 * `sweepDeadlines`.
 *
 *     read queue   if it cannot be read, the message is deleted, because `dispatch` finds the match overdue and sends another one
 *                  until the queue can be read
 *     put back     a crash after it, before this message is deleted: two messages remain, which is harmless
 *     end match    conditional writes: repeating them changes nothing
 *
 * It also returns the tickets of matches that were not placed, and those that a crash has left in dissolved and abandoned
 * matches. These matches keep a deadline until their tickets are returned.
 */
export function checkDeadline(deps: DeadlineDeps, matchId: string, nowMs: number): Promise<DeadlineOutcome> {
  return unlessUnreadable(() => check(deps, matchId, nowMs));
}

async function check(deps: DeadlineDeps, matchId: string, nowMs: number): Promise<DeadlineOutcome> {
  const match = await deps.matches.get(matchId);
  if (match === undefined) return returnAbandoned(deps, matchId, nowMs);
  deps.found?.(match);
  if (match.deadline === undefined) return 'over';
  if (isDissolving(match)) await returnDissolved(deps, match, nowMs);
  if (match.status !== 'REQUIRES_ACCEPTANCE' && match.status !== 'PLACING') return 'over';
  const leftMs = Date.parse(match.deadline) - nowMs;
  if (leftMs > 0) {
    await deps.timer.again([matchId], leftMs);
    return 'waiting';
  }
  if (match.status === 'PLACING') {
    const definition = (await deps.queues.get(match.queue, DEFINITION_AGE_MS))?.definition;
    const reason = `no assignment arrived by ${match.deadline}`;
    const why = { reason, reasonCode: 'PLACEMENT_TIMED_OUT' } as const;
    const isEnded = await failPlacement(deps, match, definition, why, nowMs);
    // A backfill may have changed its tickets since it was read, or an earlier request of this write may have failed it.
    const failed = await deps.matches.get(matchId);
    if (failed !== undefined && isDissolving(failed)) await returnDissolved(deps, failed, nowMs);
    return isEnded ? 'ended' : 'over';
  }
  // An accept that arrives before the answers are closed may be the last one. A later one finds them closed.
  const answers = await deps.matches.answer(match, 'expire', [], nowMs);
  return (await followAnswers(deps, match, answers, nowMs)) === 'dissolved' ? 'ended' : 'over';
}

/** Returns the tickets that a slow tick has claimed after the match was abandoned. */
async function returnAbandoned(deps: DeadlineDeps, matchId: string, nowMs: number): Promise<DeadlineOutcome> {
  const match = await deps.matches.abandoned(matchId);
  if (match === undefined) return 'over';
  deps.found?.(match);
  const record = await deps.queues.get(match.queue, DEFINITION_AGE_MS);
  const waiting = await returnTickets(deps, record, match, nowMs);
  if (record !== undefined && waiting > 0) await wake(deps, record, nowMs);
  await deps.matches.ticketsReturned(matchId);
  return 'over';
}

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
