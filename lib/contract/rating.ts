import * as z from 'zod';
import { RATING_MIN } from '../ratings/ladder.ts';
import { expected } from '../vocabulary/expected.ts';
import { SCALE_MAX } from './ladder.ts';
import { wholeIn } from './limit.ts';
import { LIMITS } from './queue-definition.ts';
import { id } from './ticket.ts';

/** The maximum of latest ratings of a player that are kept for a chart. */
export const RECENT_RATINGS_MAX = 50;

/** The range of stored means: a mean may be below 0, so that exported ratings can be imported. */
const mean = z
  .number()
  .min(-SCALE_MAX)
  .max(SCALE_MAX)
  .refine((value) => value === 0 || Math.abs(value) >= RATING_MIN, {
    error: expected(`0 or a number that is at least ${RATING_MIN} away from it`),
  });
const deviation = z.number().min(RATING_MIN).max(SCALE_MAX);

/** The rating of a player on a ladder. */
export const ratingView = z
  .object({
    playerId: z.string(),
    mean: z.number().meta({ description: 'The expected skill' }),
    deviation: z.number().meta({ description: 'How little is known of it, as a standard deviation' }),
    matches: z
      .number()
      .int()
      .meta({ description: '0: a new player, with the rating that the ladder begins with' }),
    placement: z.number().int().meta({
      description:
        "How many of the ladder's placement matches are left; 0 when they are over, or it has none",
    }),
    updatedAt: z.iso.datetime().optional().meta({
      description: 'When the last rated match ended, or the rating was imported. Absent for a new player',
    }),
    recent: z
      .array(z.object({ at: z.iso.datetime(), mean: z.number() }))
      .max(RECENT_RATINGS_MAX)
      .meta({
        description: `The means after the latest matches, oldest first, at most ${RECENT_RATINGS_MAX}: to the minute, with four digits`,
      }),
  })
  .meta({ id: 'Rating' });
export type RatingView = z.output<typeof ratingView>;

/** The body of a request that imports a rating. */
export const newRating = z
  .strictObject({
    mean,
    deviation: deviation.exactOptional().meta({ description: 'Default: that of a new player' }),
    matches: wholeIn(0, 1_000_000_000)
      .exactOptional()
      .meta({ description: 'How many matches it is from (default 0)' }),
  })
  .meta({ id: 'NewRating' });

/** The query of a request for several ratings. */
export const playerIdsQuery = z.object({
  playerIds: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(id).max(LIMITS.ticketsPerBatchMax))
    .meta({ description: `1 to ${LIMITS.ticketsPerBatchMax} ids, separated by commas` }),
});

/** The ratings in the order of the requested ids, each once. */
export const ratingList = z.object({ ratings: z.array(ratingView) }).meta({ id: 'RatingList' });
