import { calibrated } from './odds.ts';

/** What is learnt about how sure odds should be. */
export interface OddsSlope {
  /** See {@link calibrated}. */
  readonly slope: number;
  /** How much is known about it: the curvature of the log loss of the results learnt from. Above 0. */
  readonly information: number;
}

/** Before any result the odds are taken as they are. This weighs as much as some hundred results. */
export const NEW_SLOPE: OddsSlope = { slope: 1, information: 10 };

/** After so many results an earlier one counts half: the sureness of odds changes while ratings settle. research/docs/ratings.md compares it with others. */
export const HALF_LIFE_RESULTS = 250;

const SLOPE_MIN = 0.05;
const SLOPE_MAX = 3;

/**
 * Learns from one result: a Newton step of the log loss of the calibrated odds, with the curvature of all results before as
 * its weight. It is logistic regression with one parameter, done as results come, that forgets.
 * @param odds the raw odds before the match
 * @param shares the share of the win of each team
 */
export function learn(
  { slope, information }: OddsSlope,
  odds: readonly number[],
  shares: readonly number[],
  halfLifeResults = HALF_LIFE_RESULTS,
): OddsSlope {
  const { gradient, curvature } = lossAt(odds, shares, slope);
  const kept = information * 2 ** (-1 / halfLifeResults);
  const known = Math.max(NEW_SLOPE.information, kept) + curvature;
  return {
    slope: Math.min(SLOPE_MAX, Math.max(SLOPE_MIN, slope - gradient / known)),
    information: known,
  };
}

/** The derivatives of the log loss of one result by the slope. */
export function lossAt(
  odds: readonly number[],
  shares: readonly number[],
  slope: number,
): { readonly gradient: number; readonly curvature: number } {
  const chances = calibrated(odds, slope);
  let expected = 0;
  let squared = 0;
  let happened = 0;
  for (const [team, chance] of chances.entries()) {
    const log = Math.log(odds[team]!);
    expected += chance * log;
    squared += chance * log * log;
    happened += shares[team]! * log;
  }
  return { gradient: expected - happened, curvature: Math.max(0, squared - expected * expected) };
}
