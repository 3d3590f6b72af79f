import { parseWith } from '../../contract/problem.ts';
import { newRating, type RatingView } from '../../contract/rating.ts';
import { toRatingView } from '../domain/stored-rating.ts';
import type { LadderStore } from '../ports/ladder-store.ts';
import type { RatingStore } from '../ports/rating-store.ts';
import { openLadder } from './ladders.ts';

export interface RatingsDeps {
  readonly ladders: Pick<LadderStore, 'get'>;
  readonly ratings: Pick<RatingStore, 'of' | 'put' | 'remove'>;
}

/** The ratings of players in the order of their ids, each once. @throws Problem (404) there is no such ladder */
export async function getRatings(
  { ladders, ratings }: RatingsDeps,
  ladder: string,
  playerIds: readonly string[],
): Promise<RatingView[]> {
  const { definition } = await openLadder(ladders, ladder);
  const known = await ratings.of(ladder, playerIds);
  return [...new Set(playerIds)].map((playerId) => toRatingView(playerId, definition, known.get(playerId)));
}

/**
 * Stores a rating from another source. A match that is rated concurrently is rated again from the new rating.
 * @throws Problem 400, 404 no such ladder
 */
export async function putRating(
  { ladders, ratings }: RatingsDeps,
  ladder: string,
  playerId: string,
  body: unknown,
  nowMs: number,
): Promise<RatingView> {
  const { definition } = await openLadder(ladders, ladder);
  const {
    mean,
    deviation = definition.initial.deviation,
    matches = 0,
  } = parseWith(newRating, body, 'The rating');
  const stored = await ratings.put(ladder, playerId, { mean, deviation, matches }, nowMs);
  return toRatingView(playerId, definition, stored);
}

/** Deletes the rating of a player. Repeating it changes nothing. @throws Problem (404) no such ladder */
export async function deleteRating(
  { ladders, ratings }: RatingsDeps,
  ladder: string,
  playerId: string,
): Promise<void> {
  await openLadder(ladders, ladder);
  await ratings.remove(ladder, playerId);
}
