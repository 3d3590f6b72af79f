import { type Model, rate, type Rating as SkillRating } from 'openskill';
import { bradleyTerryFull, plackettLuce, thurstoneMostellerFull } from 'openskill/models';
import { type Ladder, RATING_MIN, type Rating, type RatingModel } from './ladder.ts';

/** A player of a match, with the rating before it. */
export interface RatedSeat {
  readonly rating: Rating;
  /** The part of the match that the player was there for, 0 to 1. */
  readonly weight: number;
}

/** How close two performances are in a draw, as a part of beta: the library's default, in its own scale. Of Thurstone–Mosteller. */
const DRAW_MARGIN = 0.024;

/**
 * How fast deviations shrink, as a factor. 1 is the variance that the model itself gives. The library's default is below 1:
 * the ratings of synthetic players of known skill then predict worse (see research/docs/ratings.md).
 */
const GAMMA = 1;

/** A team's mean is at most so many standard deviations of the match away from that of a new one: no result could be surer. */
const REACH = 300;

const MODELS: Readonly<Record<RatingModel, Model>> = {
  'plackett-luce': plackettLuce,
  'bradley-terry': bradleyTerryFull,
  'thurstone-mosteller': thurstoneMostellerFull,
};

/**
 * The ratings after a match, in the order of its seats. The updates are those of openskill (Weng & Lin, "A Bayesian
 * approximation method for online ranking", 2011).
 *
 * A player who was there for a part of the match gets that part of the change, of the mean and of the variance: the library
 * has no such weights. With weight 0 nothing changes.
 * @param ranks of the teams: the lowest has won, and equal ones are a draw
 */
export function rateMatch(
  ladder: Ladder,
  teams: readonly (readonly RatedSeat[])[],
  ranks: readonly number[],
): Rating[][] {
  const before = withinReach(
    ladder,
    teams.map((seats) => seats.map(({ rating }) => centred(ladder, rating))),
  );
  const after = rate(before, {
    model: MODELS[ladder.model],
    rank: [...ranks],
    beta: ladder.beta,
    tau: ladder.drift.perGame,
    epsilon: DRAW_MARGIN * ladder.beta,
    gamma: () => GAMMA,
  });
  const rangeOf = varianceRanges(ladder, before);
  return teams.map((seats, t) =>
    seats.map(({ rating, weight }, i) => {
      const { mu, sigma } = after[t]![i]!;
      const change = mu - before[t]![i]!.mu;
      const { least, most } = rangeOf(t, rating.deviation);
      const left = Math.min(most, Math.max(least, sigma ** 2));
      const variance = rating.deviation ** 2 + weight * (left - rating.deviation ** 2);
      const mean = rating.mean + weight * change;
      return {
        mean: Math.abs(mean) < RATING_MIN ? 0 : mean,
        deviation: Math.max(RATING_MIN, Math.sqrt(variance)),
      };
    }),
  );
}

/** The least part of a variance that the library leaves. */
const KAPPA = 1e-4;

/**
 * The variances after a match, within what any result can make of them: no more than before, and less by at most the part of each
 * comparison with another team (Weng & Lin, 2011: the factor w of Thurstone–Mosteller is from 0 to 1). The library divides by the
 * tail of a normal distribution, which has no digits left 8 deviations from its middle: there its factors are from −2 to 20.
 * @returns by team and the deviation before, the range of the variance
 */
function varianceRanges({ beta, drift }: Ladder, teams: readonly (readonly SkillRating[])[]) {
  const added = drift.perGame ** 2;
  const sums = teams.map((team) => team.reduce((sum, { sigma }) => sum + sigma ** 2 + added, 0));
  const parts = sums.map((own, t) =>
    sums.reduce((sum, other, q) => (q === t ? sum : sum + 1 / (own + other + 2 * beta ** 2)), 0),
  );
  return (team: number, deviation: number): { readonly least: number; readonly most: number } => {
    const most = deviation ** 2 + added;
    return { least: most * Math.max(KAPPA, 1 - most * parts[team]!), most };
  };
}

/**
 * Teams whose means the library can take: Plackett–Luce takes exponentials of them, which are infinite for a rating that was
 * imported in another scale. How much a player changes depends on the means of the teams alone, so those out of reach are brought
 * nearer, each with the same mean for all of its players. All other teams stay as they are.
 */
function withinReach({ beta }: Ladder, teams: readonly SkillRating[][]): SkillRating[][] {
  const means = teams.map((team) => team.reduce((sum, { mu }) => sum + mu, 0));
  const reach = REACH * Math.hypot(...teams.flatMap((team) => [beta, ...team.map(({ sigma }) => sigma)]));
  if (means.every((mean) => Math.abs(mean) <= reach)) return [...teams];
  const middle = (Math.max(...means) + Math.min(...means)) / 2;
  return teams.map((team, t) => {
    const mean = Math.max(-reach, Math.min(reach, means[t]! - middle));
    return team.map(({ sigma }) => ({ mu: mean / team.length, sigma }));
  });
}

/**
 * A rating as the library takes it, with a new player at 0. A team's skill is the sum of its players', so a team with one
 * player more is neither better nor worse before its players are known. It also keeps the library's exponentials small.
 */
export function centred({ initial }: Ladder, { mean, deviation }: Rating): SkillRating {
  return { mu: mean - initial.mean, sigma: deviation };
}
