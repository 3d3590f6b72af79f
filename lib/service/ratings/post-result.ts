import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { conflict, type FieldProblem, invalid, type Problem, parseWith } from '../../contract/problem.ts';
import { LIMITS } from '../../contract/queue-definition.ts';
import { newResult } from '../../contract/result.ts';
import { ranksOf } from '../../ratings/result.ts';
import { isErased } from '../domain/erased-name.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredResult } from '../domain/stored-rating.ts';
import { unknownMatch } from '../placement/assign-match.ts';
import { type EndDeps, recordLeavers } from '../placement/end-match.ts';
import type { LadderStore } from '../ports/ladder-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';

export interface ResultDeps extends EndDeps {
  readonly ladders: Pick<LadderStore, 'get'>;
}

/** Each further try means that a backfill of the match was filled, or one of its players was erased, at the same time. */
const TRIES_MAX = 5;

/**
 * Stores the result of a match. The first result is final, and a repetition of it changes nothing.
 *
 *     read     the match and its ladder. A crash before or after changes nothing
 *     result   one conditional write, with the current ladder, and with the end of the match if it has not ended. From then on
 *              the result is accepted, and the stream delivers it to `rate`
 *     record   the leavers, as when a match is ended without a result
 *
 * @throws Problem 400, 404, 409 the match is not COMPLETED, has no ladder, or has another result
 */
export async function postResult(
  deps: ResultDeps,
  matchId: string,
  body: unknown,
  nowMs: number,
): Promise<StoredMatch> {
  const posted = parseWith(newResult, body, 'The result');
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const match = await deps.matches.get(matchId);
    if (match === undefined) throw unknownMatch(matchId);
    const stored = match.result === undefined ? await store(deps, match, posted, nowMs) : match;
    if (stored?.result === undefined) continue;
    if (!isSame(stored.result, resultOf(stored, posted, stored.result))) throw anotherResult(matchId);
    await recordLeavers(deps, stored, posted.leavers ?? [], nowMs);
    return stored;
  }
  throw new StoreBusy(`match ${matchId} is being changed by others`);
}

type Posted = z.output<typeof newResult>;

/** Stores the first result. Returns the match afterwards; it has no result if it was changed since it was read. */
async function store(
  { ladders, matches }: ResultDeps,
  match: StoredMatch,
  posted: Posted,
  nowMs: number,
): Promise<StoredMatch | undefined> {
  const { matchId, status, ladder: name, queue } = match;
  if (status !== 'COMPLETED')
    throw conflict('MATCH_STATUS', `Match ${matchId} cannot have a result: it is ${status}.`, {
      matchStatus: status,
    });
  if (name === undefined)
    throw conflict(
      'MATCH_NOT_RATED',
      `Match ${matchId} is not rated: queue ${queue} named no ladder when it was made. POST /matches/${matchId}/end ends it.`,
    );
  const problems = faultsOf(match, posted);
  if (problems.length > 0) throw invalid('The result', problems);
  const record = await ladders.get(name);
  if (record === undefined)
    throw conflict('LADDER_REMOVED', `Match ${matchId} is not rated: its ladder ${name} was removed.`);
  const at = new Date(nowMs).toISOString();
  return matches.result(match, resultOf(match, posted, { at, ladder: record.definition }));
}

/** The fields of a result that do not fit the match. */
function faultsOf({ teams }: StoredMatch, { ranks, scores, players = [] }: Posted): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [key, values] of Object.entries({ ranks, scores }))
    if (values !== undefined && values.length !== teams.length)
      problems.push({
        pointer: `#/${key}`,
        detail: `Expected a number for each of the ${teams.length} teams, got ${values.length}`,
      });
  const seated = peopleOf(teams);
  for (const [i, { playerId }] of players.entries())
    if (!seated.includes(playerId))
      problems.push({
        pointer: `#/players/${i}/playerId`,
        detail: `Expected a player of the match, got ${playerId}`,
      });
  if (seated.length > LIMITS.ratedSeatsMax)
    problems.push({
      pointer: '#',
      detail: `Expected a match of at most ${LIMITS.ratedSeatsMax} players, got ${seated.length}: end it without a result`,
    });
  return problems;
}

function peopleOf(teams: StoredMatch['teams']): string[] {
  return teams.flatMap(({ players }) => players.flatMap(({ playerId, bot }) => (bot ? [] : playerId)));
}

/** The stored form of a posted result. Newcomers of backfills are weighted by their part of the match. */
function resultOf(
  { teams, createdAt, endedAt, joined = {} }: StoredMatch,
  { ranks, scores, players = [] }: Posted,
  { at, ladder }: Pick<StoredResult, 'at' | 'ladder'>,
): StoredResult {
  const given = new Map(players.map(({ playerId, weight }) => [playerId, weight]));
  const [beginMs, endMs] = [Date.parse(createdAt), Date.parse(endedAt ?? at)];
  const partOf = (ticketId: string | undefined) => {
    if (ticketId === undefined || !Object.hasOwn(joined, ticketId) || endMs <= beginMs) return 1;
    const joinedAt = joined[ticketId]!;
    const part = (endMs - Date.parse(joinedAt)) / (endMs - beginMs);
    return Math.round(1_000 * Math.min(1, Math.max(0, part))) / 1_000;
  };
  const weights = teams.flatMap(({ players: seats }) =>
    seats.flatMap(({ playerId, ticketId, bot }): [string, number][] => {
      const weight = given.get(playerId) ?? partOf(ticketId);
      return bot || weight === 1 ? [] : [[playerId, weight]];
    }),
  );
  const order = ranks ?? (scores && ranksOf(scores));
  return {
    at,
    ladder,
    ...(order && { ranks: order }),
    ...(order && weights.length > 0 && { weights }),
  };
}

/** Whether a repeated request means the stored result. The stored one no longer names players who were erased since. */
function isSame(a: StoredResult, b: StoredResult): boolean {
  const [stored, meant] = [a, b].map(({ weights = [], ...rest }) => ({
    ...rest,
    weights: weights.filter(([playerId]) => !isErased(playerId)),
  }));
  // As stored: JSON has no −0.
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(meant)));
}

function anotherResult(matchId: string): Problem {
  return conflict(
    'MATCH_HAS_RESULT',
    `Match ${matchId} already has another result: GET /matches/${matchId} returns it.`,
  );
}
