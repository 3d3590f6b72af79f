import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Why } from '../../contract/reason-code.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';

/**
 * Fails a match without an assignment. In a queue with `onFailure: "requeue"` its tickets return to the pool.
 *
 *     fail     one conditional write decides about every ticket: see `domain/returning.ts`
 *     return   the tickets, by `deadline`: it receives the event MatchFailed, and finds the match overdue if the event is lost
 *
 * Returns false when the match is no longer PLACING; then nothing has changed.
 */
export function failPlacement(
  { matches }: { readonly matches: SingleMatchStore },
  { matchId }: StoredMatch,
  definition: QueueDefinition | undefined,
  why: Why<'PLACEMENT_REFUSED' | 'PLACEMENT_TIMED_OUT'>,
  nowMs: number,
): Promise<boolean> {
  return requeues(definition)
    ? matches.requeue(matchId, why, nowMs)
    : matches.advance(matchId, 'PLACING', 'FAILED', why);
}

/** Whether the tickets of an unplaced match return to the pool. */
function requeues(definition: QueueDefinition | undefined): boolean {
  const provisioner = definition?.provisioner;
  return provisioner !== undefined && provisioner.type !== 'none' && provisioner.onFailure === 'requeue';
}
