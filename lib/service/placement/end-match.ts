import { matchEnd } from '../../contract/backfill.ts';
import { Problem, parseWith } from '../../contract/problem.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import { unknownMatch } from './assign-match.ts';

/**
 * Ends a match for good. No backfill of it is filled afterwards: each is filled on the condition that its match has not
 * ended. Repeating it returns the match unchanged.
 * @throws Problem 400, 404, 409 the match is not COMPLETED
 */
export async function endMatch(
  deps: { readonly matches: SingleMatchStore },
  matchId: string,
  body: unknown,
  nowMs: number,
): Promise<StoredMatch> {
  parseWith(matchEnd, body, 'The end of the match');
  const result = await deps.matches.end(matchId, nowMs);
  if (result === undefined) throw unknownMatch(matchId);
  if (result.endedAt !== undefined) return result;
  throw new Problem(409, `Match ${matchId} cannot be ended: it is ${result.status}.`, {
    extensions: { matchStatus: result.status },
  });
}
