import { drifted, type Ladder, type Rating } from './ladder.ts';
import { rawOdds } from './odds.ts';
import { rateMatch } from './rate-match.ts';
import { winShares } from './result.ts';

/** The rating of a player after some matches. */
export interface PlayerRating extends Rating {
  readonly matches: number;
  /** When the latest of them ended, milliseconds since the epoch. A match that ended earlier may be rated after it. */
  readonly updatedAtMs?: number | undefined;
}

/** A player of a match, with the rating that the matches before it have left. */
export interface KnownSeat {
  readonly known: PlayerRating;
  /** The part of the match that the player was there for, 0 to 1. */
  readonly weight: number;
}

/** A rated match, by team and seat. */
export interface RatedGame {
  /** The ratings before it, with the drift since each player's last match. */
  readonly before: readonly (readonly Rating[])[];
  readonly after: readonly (readonly PlayerRating[])[];
  /** The odds before it; see {@link rawOdds}. */
  readonly raw: readonly number[];
  /** The share of the win of each team. */
  readonly shares: readonly number[];
}

/** The rating of a player without a match. */
export function newRatingOf({ initial }: Ladder): PlayerRating {
  return { ...initial, matches: 0 };
}

/**
 * Rates one match: a replay of a file and the running service both do it here, so the same matches in the same order give the
 * same ratings to the last bit.
 * @param ranks of the teams: the lowest has won, and equal ones are a draw
 * @param atMs when it ended; undefined: nothing drifts by the day
 */
export function rateGame(
  ladder: Ladder,
  teams: readonly (readonly KnownSeat[])[],
  ranks: readonly number[],
  atMs: number | undefined,
): RatedGame {
  const seats = teams.map((team) =>
    team.map(({ known, weight }) => {
      const sinceMs = (atMs ?? 0) - (known.updatedAtMs ?? atMs ?? 0);
      return { weight, rating: drifted(ladder, known, sinceMs) };
    }),
  );
  const before = seats.map((team) =>
    team.map(({ rating: { mean, deviation } }): Rating => ({ mean, deviation })),
  );
  const after = rateMatch(ladder, seats, ranks);
  return {
    before,
    raw: rawOdds(ladder, before),
    shares: winShares(ranks),
    after: after.map((team, t) =>
      team.map((rating, i) => ({
        ...rating,
        matches: teams[t]![i]!.known.matches + 1,
        updatedAtMs: latest(teams[t]![i]!.known.updatedAtMs, atMs),
      })),
    ),
  };
}

function latest(beforeMs: number | undefined, atMs: number | undefined): number | undefined {
  return beforeMs === undefined || atMs === undefined ? (atMs ?? beforeMs) : Math.max(beforeMs, atMs);
}
