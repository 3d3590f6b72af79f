import { type Chosen, ssd } from './fill-bound.ts';

/**
 * Lower bounds on the whole imbalance α·d_1 + v_q. They are needed around a player far from all others, where a bound on
 * v_q alone is weak: v_q is much the same for all of its games, but the distance makes the teams unequal, and only other
 * players far apart can compensate for that.
 *
 * As in `fill-bound.ts` the values ascend, m players are chosen and r = 2k − m are taken later, the i-th of them at least
 * the i-th of the fill. The lowest of all is the **extreme**.
 */

/**
 * The **deficit**: how far the team of the extreme is behind when its mates are the k − 1 highest, and the k lowest of the
 * others play against it. Every division of this set is at least as unfair: d_1 ≥ deficit.
 *
 * @param lead the sum of the k + 1 lowest, the extreme among them
 * @param total the sum of all 2k
 */
export function deficitOf(lead: number, total: number, extreme: number): number {
  return 2 * (lead - extreme) - total;
}

/** The chosen players, for bounds that include teamGap. */
export interface ChosenAround extends Chosen {
  /** The sum of the extreme and of its opponents among the chosen. */
  readonly lead: number;
}

/**
 * A lower bound on α·d_1 + v_q of the m chosen with any rest that dominates the fill, for k ≥ 2. It returns `skillSpread`,
 * a bound on v_q, when that is no weaker. research/docs/engine-proofs.md has the proof: v_q is at least a linear function of the
 * values, and λ·deficit with 0 ≤ λ ≤ α is also linear. If no coefficient of the rest is negative, their sum is least at
 * the fill.
 *
 * @param opponents how many of the first of the rest are opponents; with those among the chosen there are k
 */
export function jointBound(
  skillSpread: number,
  chosen: ChosenAround,
  extreme: number,
  fill: Float64Array,
  r: number,
  opponents: number,
  alpha: number,
  q: number,
): number {
  const n = chosen.m + r;
  let total = chosen.sum;
  let lead = chosen.lead;
  for (let i = 0; i < r; i++) total += fill[i];
  for (let i = 0; i < opponents; i++) lead += fill[i];
  const deficit = deficitOf(lead, total, extreme);
  if (deficit <= 0 || opponents === r) return skillSpread;
  if (q === Number.POSITIVE_INFINITY)
    return Math.max(skillSpread, byDistanceOfExtreme(total, extreme, n, deficit, alpha));
  if (q >= 2) return Math.max(skillSpread, byRaisedMates(chosen, total, deficit, fill, r, opponents, alpha));
  return Math.max(skillSpread, byMeanDeviation(chosen, total, n, deficit, alpha));
}

/** q = ∞: v_∞ ≥ mean − extreme. In it each of the rest has the coefficient 1/n, so λ is the lesser of 1/n and α. */
function byDistanceOfExtreme(
  total: number,
  extreme: number,
  n: number,
  deficit: number,
  alpha: number,
): number {
  return total / n - extreme + Math.min(alpha, 1 / n) * deficit;
}

/**
 * 1 ≤ q < 2: n·v_1 ≥ 2·Σ (mean − s) over the u chosen players below the mean. In it each of the rest has the coefficient
 * 2u/n², so λ is the lesser of that and α.
 */
function byMeanDeviation(
  { values, m }: Chosen,
  total: number,
  n: number,
  deficit: number,
  alpha: number,
): number {
  let u = 0;
  let below = 0;
  for (let i = 0; i < m; i++) {
    if (values[i] * n >= total) continue;
    below += total / n - values[i];
    u++;
  }
  return (2 * below) / n + Math.min(alpha, (2 * u) / (n * n)) * deficit;
}

/**
 * q ≥ 2: the least value of α·deficit + v_2. It is reached when the lowest mates are raised to one level until the deficit
 * is 0; a smaller α leaves a part of the deficit. Returns 0, a trivial bound, if a coefficient of the rest were negative.
 *
 * @param total the sum of the chosen and the fill
 */
function byRaisedMates(
  { m, squares, within }: Chosen,
  total: number,
  deficit: number,
  fill: Float64Array,
  r: number,
  opponents: number,
  alpha: number,
): number {
  const n = m + r;
  // The mates follow the opponents in the fill. Raise the lowest of them to one level that compensates for the deficit.
  let raised = 1;
  let raisedSum = deficit + fill[opponents];
  while (opponents + raised < r && raisedSum > raised * fill[opponents + raised]) {
    raisedSum += fill[opponents + raised];
    raised++;
  }
  const level = raisedSum / raised;
  // v_2 of these values. The SSD within parties is one more coordinate of the norm.
  let allSquares = squares + raisedSum * level;
  for (let i = 0; i < opponents; i++) allSquares += fill[i] * fill[i];
  for (let i = opponents + raised; i < r; i++) allSquares += fill[i] * fill[i];
  const mean = (total + deficit) / n;
  const v = Math.sqrt(Math.max(0, ssd(n, total + deficit, allSquares) + within) / n);
  // With this λ the raised mates have the coefficient 0, and higher mates a larger one.
  const lambda = (level - mean) / (n * v);
  if (!(lambda > 0)) return 0;
  const lowestOpponent = (fill[0] - mean) / (n * v);
  if (opponents > 0 && lowestOpponent < -Math.min(lambda, alpha)) return 0;
  return v - Math.max(0, lambda - alpha) * deficit;
}
