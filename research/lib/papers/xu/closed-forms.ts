/**
 * The closed forms of Xu, Yu & Wu, "Rule Designs for Optimal Online Game Matchmaking", sections II and
 * III, as printed and, where the paper has a mistake, as derived again. Means and variances are over players: a
 * pair counts twice.
 */
import { type PartyRates, totalRate } from './central-queue.ts';

/** (1): E[T] = (k − 1)/(2λ) for a game of any k players. */
export function meanWait(gameSize: number, rate: number): number {
  return (gameSize - 1) / (2 * rate);
}

/** (3): E[T] = 3/(2λ_total) for 2v2 with one queue, in any order of service. */
export function meanWaitCentral(rates: PartyRates): number {
  return 3 / (2 * totalRate(rates));
}

/** (4): E[T1] = 3/(2λ1), the wait of solos with separate queues. */
export function meanWaitOfSolos({ solos }: PartyRates): number {
  return meanWait(4, solos);
}

/** (5): E[T2] = 1/(2λ2), the wait of pairs with separate queues. */
export function meanWaitOfPairs({ pairs }: PartyRates): number {
  return meanWait(2, pairs);
}

/** (6): E[T] = 5/(2λ_total) for 2v2 with separate queues for solos and pairs. */
export function meanWaitTwoQueues(rates: PartyRates): number {
  return 5 / (2 * totalRate(rates));
}

/** (7) as printed. */
export function printedVarianceTwoQueues(rates: PartyRates): number {
  const { solos: a, pairs: b } = rates;
  return (3 * a ** 2 - a * b + 11 * b ** 2) / (2 * totalRate(rates) ** 2 * a * b);
}

/**
 * (7) derived again: (8λ1² + 11λ1λ2 + 40λ2²)/(4·λ_total²·λ1·λ2).
 *
 * A solo finds j = 0 … 3 others with probability 1/4 each and waits for 3 − j more, so E[T1²] = 5/λ1²; a
 * pair in the same way E[T2²] = 1/λ2². The share of solos among the players is λ1/λ_total, so
 * E[T²] = (5/λ1 + 2/λ2)/λ_total; the variance is this minus the square of (6). The paper has Var[T1] and Var[T2] in
 * place of E[T1²] and E[T2²], and so subtracts the squares of the means twice.
 */
export function varianceTwoQueues(rates: PartyRates): number {
  const { solos: a, pairs: b } = rates;
  return (8 * a ** 2 + 11 * a * b + 40 * b ** 2) / (4 * totalRate(rates) ** 2 * a * b);
}

/** (11) as printed: the share λ1/λ_total at which (7) is least. */
export const PRINTED_BEST_SOLO_SHARE = 2 * Math.sqrt(33) - 11;

/** (11) from (7) derived again: 5/x + 4/(1 − x) is least at x = 5 − 2√5. */
export const BEST_SOLO_SHARE = 5 - 2 * Math.sqrt(5);

/** (9) as printed, for FIFO and packing. */
export function printedVarianceFifo(rates: PartyRates): number {
  const { solos: a, pairs: b } = rates;
  const events = a + b;
  return (
    (7 * a ** 2 + a * b + 4 * b ** 2) / (2 * a * events ** 3) -
    (2 * a * b ** 3 + 3 * b ** 4) / (a * totalRate(rates) * events ** 4) -
    meanWaitCentral(rates) ** 2
  );
}

/**
 * (9) derived again. With Λ = λ1 + λ2, a player waits for a number N of further arrivals, so T is a sum of
 * N independent exponential times and E[T²] = E[N(N + 1)]/Λ² = E[N²]/Λ² + E[T]/Λ. The paper has E[N²]/Λ²
 * alone, as if every arrival took exactly 1/Λ; and of that the term λ1³λ2 is missing in the second
 * numerator.
 */
export function varianceFifo(rates: PartyRates): number {
  const { solos: a, pairs: b } = rates;
  const events = a + b;
  const squaredArrivals =
    (7 * a ** 2 + a * b + 4 * b ** 2) / (2 * a * events ** 3) -
    (a ** 3 * b + 2 * a * b ** 3 + 3 * b ** 4) / (a * totalRate(rates) * events ** 4);
  const mean = meanWaitCentral(rates);
  return squaredArrivals + mean / events - mean ** 2;
}

/** (10) as printed, for LIFO. */
export function printedVarianceLifo(rates: PartyRates): number {
  return squaredArrivalsLifo(rates, 8) - meanWaitCentral(rates) ** 2;
}

/** (10) derived again: 7λ1² instead of 8λ1², and E[T]/Λ added as in (9). */
export function varianceLifo(rates: PartyRates): number {
  const mean = meanWaitCentral(rates);
  return squaredArrivalsLifo(rates, 7) + mean / (rates.solos + rates.pairs) - mean ** 2;
}

function squaredArrivalsLifo({ solos: a, pairs: b }: PartyRates, coefficient: number): number {
  const events = a + b;
  return (
    (5 * a ** 3 * b + 7 * a ** 2 * b ** 2 + 10 * a * b ** 3 + 2 * b ** 4) /
      (2 * a * events ** 3 * (a ** 2 + 2 * a * b + 2 * b ** 2)) +
    (coefficient * a ** 2 + 7 * a * b) / (2 * events ** 4)
  );
}
