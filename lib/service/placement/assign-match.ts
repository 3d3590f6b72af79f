import { assignment } from '../../contract/match.ts';
import { conflict, Problem, parseWith } from '../../contract/problem.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';

/**
 * Stores an assignment from the studio. Repeating the same assignment returns the match unchanged.
 * @throws Problem 400, 404, 409 the match has another assignment, or its status allows none
 */
export async function assignMatch(
  deps: { readonly matches: SingleMatchStore },
  matchId: string,
  body: unknown,
): Promise<StoredMatch> {
  const result = await deps.matches.assign(matchId, parseWith(assignment, body, 'The assignment'));
  if (result === undefined) throw unknownMatch(matchId);
  if (result.outcome === 'assigned') return result.match;
  const { status } = result.match;
  const why = result.match.assignment ? 'it has another assignment' : `it is ${status}`;
  const code = result.match.assignment ? 'MATCH_ASSIGNED' : 'MATCH_STATUS';
  throw conflict(code, `Match ${matchId} cannot be assigned: ${why}.`, { matchStatus: status });
}

/** @throws Problem (404) */
export async function getMatch(
  deps: { readonly matches: SingleMatchStore },
  matchId: string,
): Promise<StoredMatch> {
  const match = await deps.matches.get(matchId);
  if (match === undefined) throw unknownMatch(matchId);
  return match;
}

export function unknownMatch(matchId: string): Problem {
  return new Problem(404, `There is no match ${JSON.stringify(matchId)}. Matches are kept for a week.`);
}
