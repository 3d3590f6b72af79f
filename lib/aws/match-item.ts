import * as z from 'zod';
import { assignmentView } from '../contract/match.ts';
import { type StoredMatch, storedGame, storedMatchState } from '../service/domain/stored-match.ts';
import { type StoredRatings, storedResult } from '../service/domain/stored-rating.ts';
import { readWith } from '../service/domain/unreadable.ts';
import { type Condition, isAsRead } from './change-item.ts';
import { packedGame, packGame } from './compact-game.ts';
import { deadlineGroup } from './deadline-index.ts';
import { secondsAfter } from './dynamo.ts';
import { jsonOf, stringSet } from './item.ts';

/** Days that a match is kept. It outlives its tickets, because it holds their status. */
export const MATCH_DAYS = 7;

/** The status of an abandoned match. */
export const ABANDONED = 'ABANDONED';

/** Whether an item of the matches table is an abandoned match. */
export function isAbandoned(item: Record<string, unknown> | undefined): boolean {
  return item?.status === ABANDONED;
}

/** The item of a match. The game is packed JSON: exact for every number, and small. */
export function toItem(match: StoredMatch, nowMs: number): Record<string, unknown> {
  const { matchId, queue, status, createdAt, deadline } = match;
  return {
    matchId,
    queue,
    status,
    createdAt,
    deadline,
    deadlineGroup: deadline && deadlineGroup(matchId),
    game: packGame(gameOf(match)),
    expiresAt: secondsAfter(nowMs, MATCH_DAYS),
  };
}

/** A match from its item; undefined when there is none or it was abandoned. */
export function toExistingMatch(item: Record<string, unknown> | undefined): StoredMatch | undefined {
  return item === undefined || isAbandoned(item) ? undefined : toMatch(item);
}

/**
 * An abandoned match from its item.
 * @throws Unreadable
 */
export function toAbandoned(item: Record<string, unknown>): z.output<typeof abandonedItem> {
  return readWith(abandonedItem, item, `abandoned match ${item.matchId}`);
}

const abandonedItem = z.object({ matchId: z.string(), queue: z.string(), ticketIds: stringSet });

/** The fields of a match that are stored in its attribute `game`. */
export function gameOf(match: StoredMatch) {
  const { matchId, queue, status, createdAt, deadline, accepted, cancelled, assignment, ...rest } = match;
  const { reason, reasonCode, acceptBy, declined, requeued, ...later } = rest;
  const { roster, newTicketIds, endedAt, backfillId, result, rated, erasures, ...game } = later;
  return game;
}

/**
 * The changes of ratings by a match, packed: for each of its seats `[mean, deviation, mean, deviation]` with nine digits, or 0
 * for a seat that is not rated. The players are those of the seats. So a match of ten players stays below two kilobytes, each of
 * which costs two units in a transaction.
 */
export function packRatings({ teams }: Pick<StoredMatch, 'teams'>, rated: StoredRatings): string {
  const of = new Map(rated.map(([playerId, ...numbers]) => [playerId, numbers]));
  const seats = teams.flatMap(({ players }) =>
    players.map(({ playerId, bot }) => (bot ? undefined : of.get(playerId))),
  );
  return JSON.stringify(seats.map((numbers) => numbers?.map((one) => Number(one.toPrecision(9))) ?? 0));
}

function unpackRatings(
  { teams }: Pick<StoredMatch, 'teams'>,
  packed: z.output<typeof packedRatings>,
): StoredRatings {
  const seats = teams.flatMap(({ players }) => players);
  return packed.flatMap(
    (numbers, seat): StoredRatings => (numbers === 0 ? [] : [[seats[seat]!.playerId, ...numbers]]),
  );
}

const packedRatings = z.array(
  z.union([z.literal(0), z.tuple([z.number(), z.number(), z.number(), z.number()])]),
);

const matchItem = storedMatchState.extend({
  game: packedGame(storedGame),
  assignment: jsonOf(assignmentView).exactOptional(),
  result: jsonOf(storedResult).exactOptional(),
  rated: jsonOf(packedRatings).exactOptional(),
});

/**
 * A match from its item.
 * @throws Unreadable
 */
export function toMatch(item: Record<string, unknown>): StoredMatch {
  const { game, rated, ...state } = readWith(matchItem, item, `match ${item.matchId}`);
  return { ...game, ...state, ...(rated && { rated: unpackRatings(game, rated) }) };
}

/** The condition that no player was erased from a match since it was read. Otherwise a write would restore the player's name. */
export function hasErasures({ erasures }: Pick<StoredMatch, 'erasures'>): Condition {
  return isAsRead('erasures', erasures);
}
