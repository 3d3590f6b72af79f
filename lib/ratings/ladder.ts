/** The models of openskill that a ladder may use, in its full variants: every pair of teams is compared. */
export const RATING_MODELS = ['plackett-luce', 'bradley-terry', 'thurstone-mosteller'] as const;
export type RatingModel = (typeof RATING_MODELS)[number];

/** How a ladder rates: a set of ratings that belong together, in the studio's own scale. */
export interface Ladder {
  readonly model: RatingModel;
  /** The rating of a player without a match. */
  readonly initial: Rating;
  /** How much chance is in the result of a team: the standard deviation of its performance. Above 0. */
  readonly beta: number;
  /** How much a skill changes: what is added to a deviation, as a standard deviation. 0 or more. */
  readonly drift: { readonly perGame: number; readonly perDay: number };
}

/** What is known of a skill: a normal distribution. */
export interface Rating {
  readonly mean: number;
  /** Its standard deviation, above 0. */
  readonly deviation: number;
}

/** A mean nearer to 0 is 0, and no deviation is smaller: DynamoDB takes no number below 1e-130, and no such difference matters. */
export const RATING_MIN = 1e-100;

const DAY_MS = 86_400_000;

/**
 * A rating some time after the player's last match: less is known of it, but never less than of a new player.
 * @param sinceMs milliseconds since the last match; 0 when it is not known
 */
export function drifted({ initial, drift }: Ladder, rating: Rating, sinceMs: number): Rating {
  const days = Math.max(0, sinceMs) / DAY_MS;
  const deviation = Math.sqrt(rating.deviation ** 2 + days * drift.perDay ** 2);
  return { ...rating, deviation: Math.max(rating.deviation, Math.min(initial.deviation, deviation)) };
}
