import type { Ladder } from './ladder.ts';
import { calibrated } from './odds.ts';
import { HALF_LIFE_RESULTS, learn, NEW_SLOPE, type OddsSlope } from './odds-slope.ts';
import { newRatingOf, type PlayerRating, rateGame } from './rate-game.ts';

/** A match that was played, with its result. */
export interface PlayedMatch {
  /** When it ended, milliseconds since the epoch; without times nothing drifts by the day. */
  readonly atMs?: number | undefined;
  readonly teams: readonly (readonly PlayedSeat[])[];
  /** The lowest has won, and equal ones are a draw. Undefined: the match is void and changes nothing. */
  readonly ranks?: readonly number[] | undefined;
}

export interface PlayedSeat {
  readonly playerId: string;
  /** The part of the match that the player was there for, 0 to 1. */
  readonly weight: number;
}

/** What was predicted of a match before its result was known. */
export interface Prediction {
  /** The index of the match. */
  readonly index: number;
  readonly raw: readonly number[];
  readonly calibrated: readonly number[];
  readonly shares: readonly number[];
}

export interface Replayed {
  readonly players: ReadonlyMap<string, PlayerRating>;
  readonly slope: OddsSlope;
  readonly rated: number;
  readonly voided: number;
}

/**
 * Rates matches in their order, each from the ratings that the ones before it have left. The odds of a match are computed
 * before its result is used. The same matches give the same ratings to the last bit.
 * @param see takes the prediction of each match that is not void
 */
export function replay(
  ladder: Ladder,
  matches: readonly PlayedMatch[],
  see: (prediction: Prediction) => void = () => {},
  halfLifeResults = HALF_LIFE_RESULTS,
): Replayed {
  const rater = new Rater(ladder, halfLifeResults);
  let rated = 0;
  for (const [index, match] of matches.entries()) {
    const prediction = rater.rate(match);
    if (prediction === undefined) continue;
    see({ index, ...prediction });
    rated++;
  }
  const { players, slope } = rater;
  return { players, slope, rated, voided: matches.length - rated };
}

/** The ratings of a ladder in memory, and what it has learnt about its odds. */
export class Rater {
  readonly #ladder: Ladder;
  readonly #halfLifeResults: number;
  readonly #players = new Map<string, PlayerRating>();
  #slope = NEW_SLOPE;

  constructor(ladder: Ladder, halfLifeResults = HALF_LIFE_RESULTS) {
    this.#ladder = ladder;
    this.#halfLifeResults = halfLifeResults;
  }

  /** Players with a match. */
  get players(): ReadonlyMap<string, PlayerRating> {
    return this.#players;
  }

  get slope(): OddsSlope {
    return this.#slope;
  }

  /** The rating of a player, as it was after the last match; that of a new player before the first. */
  ratingOf(playerId: string): PlayerRating {
    return this.#players.get(playerId) ?? newRatingOf(this.#ladder);
  }

  /** Rates a match. Returns what was predicted of it; undefined for a void match, which changes nothing. */
  rate({ atMs, teams, ranks }: PlayedMatch): Omit<Prediction, 'index'> | undefined {
    if (ranks === undefined) return undefined;
    const seats = teams.map((team) =>
      team.map(({ playerId, weight }) => ({ weight, known: this.ratingOf(playerId) })),
    );
    const { raw, shares, after } = rateGame(this.#ladder, seats, ranks, atMs);
    const prediction = { raw, calibrated: calibrated(raw, this.#slope.slope), shares };
    this.#slope = learn(this.#slope, raw, shares, this.#halfLifeResults);
    for (const [t, team] of teams.entries())
      for (const [i, { playerId }] of team.entries()) this.#players.set(playerId, after[t]![i]!);
    return prediction;
  }
}
