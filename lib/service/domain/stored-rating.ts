import * as z from 'zod';
import type { LadderDefinition } from '../../contract/ladder.ts';
import type { MatchView } from '../../contract/match.ts';
import { type RatingView, RECENT_RATINGS_MAX } from '../../contract/rating.ts';
import type { OddsSlope } from '../../ratings/odds-slope.ts';
import type { OddsSums } from '../../ratings/odds-sums.ts';
import { newRatingOf } from '../../ratings/rate-game.ts';
import { storedLadder } from './stored-definition.ts';
import type { Read } from './unreadable.ts';

/** A player's rating as it is stored. */
export const storedRating = z.object({
  mean: z.number(),
  deviation: z.number(),
  matches: z.number(),
  updatedAtMs: z.number(),
  /** The means after the latest matches, oldest first; see {@link withRecent}. */
  recent: z.string(),
  /** The mark of the last write of the rating. Every write leaves a different one. */
  writeId: z.string(),
});
export type StoredRating = Read<typeof storedRating>;

/** The odds learned for a ladder. */
export interface StoredOdds extends OddsSlope {
  readonly sums: OddsSums;
  readonly writeId: string;
}

/** The size of a player's recent ratings in bytes. It keeps the item below a kilobyte, the unit of a write. */
const RECENT_BYTES = 600;
const MINUTE = 60_000;

/** Appends a mean to the recent ones. They are text: minutes in base 36 and the mean with four digits, `abc:1512`. */
export function withRecent(recent: string, atMs: number, mean: number): string {
  const one = `${Math.floor(atMs / MINUTE).toString(36)}:${Number(mean.toPrecision(4))}`;
  const all = [...(recent === '' ? [] : recent.split(' ')), one].slice(-RECENT_RATINGS_MAX);
  while (all.join(' ').length > RECENT_BYTES) all.shift();
  return all.join(' ');
}

/** A rating in the format of responses; that of a new player when none is stored. */
export function toRatingView(
  playerId: string,
  ladder: LadderDefinition,
  stored: StoredRating | undefined,
): RatingView {
  const { mean, deviation, matches } = stored ?? newRatingOf(ladder);
  return {
    playerId,
    mean,
    deviation,
    matches,
    placement: Math.max(0, (ladder.placementMatches ?? 0) - matches),
    ...(stored && { updatedAt: new Date(stored.updatedAtMs).toISOString() }),
    recent: toRecentView(stored?.recent ?? ''),
  };
}

/** The recent means in the format of responses. */
export function toRecentView(recent: string): RatingView['recent'] {
  return recent.split(' ').flatMap((one) => {
    const [minute, then] = one.split(':');
    if (minute === undefined || then === undefined) return [];
    const at = new Date(Number.parseInt(minute, 36) * MINUTE).toISOString();
    return [{ at, mean: Number(then) }];
  });
}

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
