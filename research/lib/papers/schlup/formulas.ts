/**
 * The closed forms of Schlup, section 4, per game, with f_d = k/D. All of them ignore time-outs, so they
 * hold when a·τ_max is large. `rate` is a, players per time unit.
 */
import type { Setting } from './model.ts';

/** (2): A_G. The same for any D, since the criteria's costs are averaged. */
export function greedyCost({ players: k, longestWait }: Setting, rate: number): number {
  return (k * (k - 1)) / (k + 1) + (k * (k - 1)) / (2 * rate * longestWait);
}

/** (5): A_PM with n players per period. */
export function periodicCost(
  { players: k, longestWait }: Setting,
  rate: number,
  periodPlayers: number,
): number {
  return (k * (k - 1)) / (periodPlayers + 1) + (k * (periodPlayers - 1)) / (2 * rate * longestWait);
}

/** (6): the n at which (5) is least. */
export function bestPeriodPlayers({ players: k, longestWait }: Setting, rate: number): number {
  return Math.sqrt(2 * rate * (k - 1) * longestWait) - 1;
}

/** (7): A_MQ with r ranges; with r_d ranges per criterion the criteria's costs are averaged. */
export function multiQueueCost(
  { players: k, longestWait }: Setting,
  rate: number,
  ranges: readonly number[],
): number {
  const queues = ranges.reduce((product, count) => product * count, 1);
  const narrowing = ranges.reduce((sum, count) => sum + 1 / count, 0) / ranges.length;
  return ((k * (k - 1)) / (k + 1)) * narrowing + (queues * k * (k - 1)) / (2 * rate * longestWait);
}

/** (9): the r at which (7) is least, for D = 1. */
export function bestRanges({ players: k, longestWait }: Setting, rate: number): number {
  return Math.sqrt((2 * rate * longestWait) / (k + 1));
}

/** (3) as printed: the probability that A_G fills a game, Σ_{x=1}^{k−1} λ^x·e^(−λ)/x!, λ = a·τ_max. */
export function printedFillShare({ players: k, longestWait }: Setting, rate: number): number {
  let sum = 0;
  for (let arrivals = 1; arrivals <= k - 1; arrivals++) sum += poisson(arrivals, rate * longestWait);
  return sum;
}

/**
 * (3) derived again: Σ_{x=0}^{k−2}. The first player opens the window of τ_max, so a game is filled by computer players
 * when fewer than k − 1 **others** arrive. The paper counts the first player among the Poisson arrivals.
 */
export function fillShare({ players: k, longestWait }: Setting, rate: number): number {
  let sum = 0;
  for (let others = 0; others <= k - 2; others++) sum += poisson(others, rate * longestWait);
  return sum;
}

/** (4) as printed: the maximum relative error of (2), 2k·P/cost², with P of (3). */
export function printedErrorBound(setting: Setting, rate: number): number {
  return (2 * setting.players * printedFillShare(setting, rate)) / greedyCost(setting, rate) ** 2;
}

/**
 * (4) derived again, an absolute error: 2k·P. (2) and the true cost agree for games that stay unfilled, and a filled game costs
 * at most 2k. So does what (2) expects for it, unless so few players come that (2) itself exceeds 2k.
 */
export function errorBound(setting: Setting, rate: number): number {
  return 2 * setting.players * fillShare(setting, rate);
}

/**
 * (2) with time-outs, derived again, for any a·τ_max. A game is filled with probability (3); it then costs k
 * for its criteria and 1 per computer player. After j others have arrived, 1 + j players wait, for
 * P(more than j arrive within τ_max)/a on average.
 */
export function greedyCostWithTimeOuts(setting: Setting, rate: number): number {
  const { players: k, longestWait } = setting;
  const filled = fillShare(setting, rate);
  let cost = k * ((k - 1) / (k + 1)) * (1 - filled) + k * filled;
  let atMost = 0;
  for (let others = 0; others <= k - 2; others++) {
    const probability = poisson(others, rate * longestWait);
    atMost += probability;
    cost += (k - 1 - others) * probability;
    cost += ((1 + others) * (1 - atMost)) / (rate * longestWait);
  }
  return cost;
}

function poisson(count: number, mean: number): number {
  let probability = Math.exp(-mean);
  for (let i = 1; i <= count; i++) probability *= mean / i;
  return probability;
}
