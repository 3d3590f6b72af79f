import type { DeadlineTimer } from '../ports/deadline-timer.ts';
import type { AcceptanceDeps } from '../tickets/acceptance.ts';
import { advanceIfAccepted, dissolveMatch } from '../tickets/acceptance.ts';
import type { StoredMatch } from './stored-match.ts';

export interface DeadlineDeps extends AcceptanceDeps {
  readonly timer: DeadlineTimer;
}

/**
 * `over`: the match needs no deadline any more. `waiting`: it is not due yet, and is checked again later. `ended`: the
 * match failed now.
 */
export type DeadlineOutcome = 'over' | 'waiting' | 'ended';

/**
 * Ends an acceptance or a placement at its deadline. Every match with a deadline gets a message when it is found. A
 * message that arrives early is put back with a delay. If all messages of a match are lost, `dispatch` finds it overdue
 * and sends another; see `sweep-deadlines.ts`.
 *
 *     put back       a crash after it, before this message is deleted: two messages remain, which is harmless
 *     end the match  one conditional write or transaction: repeating it changes nothing
 */
export async function checkDeadline(
  deps: DeadlineDeps,
  matchId: string,
  nowMs: number,
): Promise<DeadlineOutcome> {
  const match = await deps.matches.get(matchId);
  if (match === undefined || match.deadline === undefined) return 'over';
  if (match.status !== 'REQUIRES_ACCEPTANCE' && match.status !== 'PLACING') return 'over';
  const leftMs = Date.parse(match.deadline) - nowMs;
  if (leftMs > 0) {
    await deps.timer.again([matchId], leftMs);
    return 'waiting';
  }
  if (match.status === 'PLACING') {
    const reason = `no assignment arrived by ${match.deadline}`;
    return (await deps.matches.advance(matchId, 'PLACING', 'FAILED', { reason })) ? 'ended' : 'over';
  }
  return endAcceptance(deps, match, nowMs);
}

async function endAcceptance(
  deps: DeadlineDeps,
  match: StoredMatch,
  nowMs: number,
): Promise<DeadlineOutcome> {
  if (await advanceIfAccepted(deps, match, nowMs)) return 'over';
  const outcome = await dissolveMatch(deps, match, {
    cancelled: (ticketId) => !match.accepted?.includes(ticketId),
    reason: `not every ticket accepted by ${match.deadline}`,
    nowMs,
  });
  // A ticket has accepted since the match was read, so check again. This happens at most once for each ticket.
  return outcome === 'dissolved' ? 'ended' : checkDeadline(deps, match.matchId, nowMs);
}
