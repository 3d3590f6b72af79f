import { type Chosen, ssd } from './fill-bound.ts';

/**
 * Lower bounds on the whole imbalance α·d_1 + v_q, for where a bound on v_q alone is far off: around a player who stands
 * apart. With whomever it plays v_q is much the same, but its team is ahead by the distance, and to make up for
 * that the others must stand apart as well.
 *
 * As in `bounds.ts` the values ascend, m players are chosen and r = 2k − m come later, the i-th of them at least the i-th
 * of the fill. The lowest of all is the **extreme**.
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

/** What is chosen, where teamGap is in the bound. */
export interface ChosenAround extends Chosen {
  /** The sum of the extreme and of its opponents among the chosen. */
  readonly lead: number;
}

/**
 * A lower bound on α·d_1 + v_q of the m chosen with any rest that dominates the fill, for k ≥ 2; `skillSpread`, which is a
 * bound on v_q, if it can say no more.
 *
 * Let v_q ≥ Σ g_i·(value)_i for all values, with coefficients that sum to 0, as every norm of the deviations has them. With
 * 0 ≤ λ ≤ α then f ≥ λ·deficit + Σ g_i·(value)_i, in which mates have the coefficient g_i − λ and opponents g_i + λ. If
 * these are not negative for any of the rest, it is least at the fill. ∎
 *
 * @param opponents how many of the rest, the first of them, are opponents: with those among the chosen there are k
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
  const { values, m, sum, lead } = chosen;
  const n = m + r;
  let total = sum;
  let leadWithFill = lead;
  for (let i = 0; i < r; i++) total += fill[i];
  for (let i = 0; i < opponents; i++) leadWithFill += fill[i];
  const deficit = deficitOf(leadWithFill, total, extreme);
  if (deficit <= 0 || opponents === r) return skillSpread;

  // v_∞ ≥ μ − extreme: every g_i of the rest is 1/N.
  if (q === Number.POSITIVE_INFINITY)
    return Math.max(skillSpread, total / n - extreme + Math.min(alpha, 1 / n) * deficit);
  if (q >= 2) return Math.max(skillSpread, levelBound(chosen, total, deficit, fill, r, opponents, alpha));
  // N·v_1 ≥ 2·Σ (μ − s) over any u of the chosen: every g_i of the rest is 2u/N².
  let u = 0;
  let below = 0;
  for (let i = 0; i < m; i++) {
    if (values[i] * n >= total) continue;
    below += total / n - values[i];
    u++;
  }
  return Math.max(skillSpread, (2 * below) / n + Math.min(alpha, (2 * u) / (n * n)) * deficit);
}

/**
 * q ≥ 2: the least of α·deficit + v_2. To lessen the deficit mates go up, and those at the lowest cost the least: so all
 * below some level t go up to t, until the deficit is 0. With z the values then, μ their mean and v their v_2,
 * g_i = (z_i − μ)/(N·v) and λ = (t − μ)/(N·v): the mates at t have the coefficient 0, those above it more, and at the fill the bound
 * is just v. With λ > α it is v − (λ − α)·deficit(fill). (The SSD within parties is one more coordinate of the norm.)
 * Where a coefficient would be negative it is 0: no bound.
 *
 * @param total the sum of the chosen and the fill
 */
function levelBound(
  { m, squares, within }: Chosen,
  total: number,
  deficit: number,
  fill: Float64Array,
  r: number,
  opponents: number,
  alpha: number,
): number {
  const n = m + r;
  let raised = 1;
  let below = deficit + fill[opponents];
  while (opponents + raised < r && below > raised * fill[opponents + raised]) {
    below += fill[opponents + raised];
    raised++;
  }
  const level = below / raised;
  let allSquares = squares + below * level;
  for (let i = 0; i < opponents; i++) allSquares += fill[i] * fill[i];
  for (let i = opponents + raised; i < r; i++) allSquares += fill[i] * fill[i];
  const mean = (total + deficit) / n;
  const v = Math.sqrt(Math.max(0, ssd(n, total + deficit, allSquares) + within) / n);
  const slope = (level - mean) / (n * v);
  if (!(slope > 0)) return 0;
  if (opponents > 0 && (fill[0] - mean) / (n * v) < -Math.min(slope, alpha)) return 0;
  return v - Math.max(0, slope - alpha) * deficit;
}
