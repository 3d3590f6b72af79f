import { predictWin } from 'openskill';
import type { Ladder, Rating } from './ladder.ts';
import { centred } from './rate-match.ts';

/** The least chance that a team is given: no result is impossible, and its log loss is finite. */
const LEAST = 1e-6;

/**
 * The chance of each team to win, as the ratings have it, summing to 1: openskill's prediction from the means and deviations
 * of all players. It is often too sure; {@link calibrated} corrects that.
 */
export function rawOdds(ladder: Ladder, teams: readonly (readonly Rating[])[]): number[] {
  const sides = teams.map((ratings) => ratings.map((rating) => centred(ladder, rating)));
  return normalized(predictWin(sides, { beta: ladder.beta }).map((chance) => Math.max(LEAST, chance)));
}

/**
 * Odds with another sureness: their logits times a slope. A slope below 1 moves them towards "all teams alike", 1 leaves
 * them as they are. Of several teams it is that of the logarithms of all odds.
 */
export function calibrated(odds: readonly number[], slope: number): number[] {
  const logs = odds.map((chance) => slope * Math.log(chance));
  const most = Math.max(...logs);
  return normalized(logs.map((log) => Math.max(LEAST, Math.exp(log - most))));
}

function normalized(chances: readonly number[]): number[] {
  const sum = chances.reduce((a, b) => a + b, 0);
  return chances.map((chance) => chance / sum);
}
