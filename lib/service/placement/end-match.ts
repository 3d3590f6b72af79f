import { matchEnd } from '../../contract/backfill.ts';
import { conflict, parseWith } from '../../contract/problem.ts';
import { type OffenceDeps, recordOffences } from '../commits/record-offences.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { unknownMatch } from './assign-match.ts';

export interface EndDeps extends OffenceDeps {
  readonly matches: SingleMatchStore;
  readonly queues: Pick<QueueStore, 'get'>;
}

/**
 * Ends a match permanently. No backfill of it can be filled afterwards, because a fill requires that the match has not ended. A
 * repeated request returns the match unchanged, and records leavers that it names for the first time.
 *
 *     end      one conditional write, with the time of the end
 *     record   the leavers, if the queue has cooldowns for them: see `commits/record-offences.ts`. A crash before it: the studio
 *              has no response and repeats the request, which records them with the time of the end
 *
 * @throws Problem 400, 404, 409 the match is not COMPLETED
 */
export async function endMatch(
  deps: EndDeps,
  matchId: string,
  body: unknown,
  nowMs: number,
): Promise<StoredMatch> {
  const { leavers = [] } = parseWith(matchEnd, body, 'The end of the match');
  const result = await deps.matches.end(matchId, nowMs);
  if (result === undefined) throw unknownMatch(matchId);
  if (result.endedAt !== undefined) {
    await recordLeavers(deps, result, leavers, nowMs);
    return result;
  }
  throw conflict('MATCH_STATUS', `Match ${matchId} cannot be ended: it is ${result.status}.`, {
    matchStatus: result.status,
  });
}

/** Records the players who have left a match that has ended. */
export async function recordLeavers(
  deps: EndDeps,
  { matchId, queue, endedAt }: StoredMatch,
  leavers: readonly string[],
  nowMs: number,
): Promise<void> {
  if (leavers.length === 0) return;
  const record = await deps.queues.get(queue, DEFINITION_AGE_MS);
  if (record === undefined) return;
  const offence = { kind: 'leave', matchId, atMs: Date.parse(endedAt!) } as const;
  await recordOffences(deps, record.definition, offence, leavers, nowMs);
}
