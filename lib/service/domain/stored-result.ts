import * as z from 'zod';
import type { MatchView } from '../../contract/match.ts';
import { storedLadder } from './stored-definition.ts';

/** The result of a match as it is stored. */
export const storedResult = z.object({
  at: z.iso.datetime(),
  /** The ladder when the result was accepted. A later change of the ladder does not change how the result is rated. */
  ladder: storedLadder,
  /** The ranks of the teams, in their order; absent when the result is void. */
  ranks: z.array(z.number()).exactOptional(),
  /** The players with a weight below 1, each once. Not a record, because an id may be `constructor` or `__proto__`. */
  weights: z.array(z.tuple([z.string(), z.number()])).exactOptional(),
});
export type StoredResult = z.output<typeof storedResult>;

/**
 * The ratings that a match has changed, as `[playerId, mean, deviation, mean, deviation]`: before the match, with the drift since
 * each player's last match, and after it.
 */
export const storedRatings = z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number()]));
export type StoredRatings = z.output<typeof storedRatings>;

/** A result in the format of responses and events. */
export function toResultView({ at, ranks, weights = [] }: StoredResult): NonNullable<MatchView['result']> {
  const players = weights.map(([playerId, weight]) => ({ playerId, weight }));
  return {
    at,
    ...(ranks === undefined ? { void: true } : { ranks }),
    ...(players.length > 0 && { players }),
  };
}

/** The ratings that a match has changed, in the format of responses and events. */
export function toRatingsView(rated: StoredRatings): NonNullable<MatchView['ratings']> {
  return rated.map(([playerId, meanBefore, deviationBefore, mean, deviation]) => ({
    playerId,
    before: { mean: meanBefore, deviation: deviationBefore },
    after: { mean, deviation },
  }));
}
