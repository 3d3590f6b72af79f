/**
 * Lower bounds on the skillSpread v_q of a game of which some players are chosen, in the unit of skill. They make
 * exact search practical; research/docs/engine-proofs.md has all bounds in one place.
 *
 * Throughout, N players make a game, and a search chooses them in ascending order of skill: m are
 * chosen, r = N − m are taken later, all of them from a sorted list. The **fill** is the next r of that list.
 * Whichever r players are taken, their i-th smallest is at least the i-th of the fill ("the rest dominates the
 * fill"). So a bound that holds for every rest that dominates the fill holds for every completion, and
 * also for every later start of the fill: a search may stop at the first start that fails.
 */

/** SSD: the sum of squared deviations from the mean of `count` values with this sum and sum of squares. */
export function ssd(count: number, sum: number, squares: number): number {
  return squares - (sum * sum) / count;
}

/**
 * For q = ∞: the mean of a completion is at least `meanWithFill`, so the lowest player is at least that far
 * below the mean. Half the range is another bound (Lemma 6).
 */
export function farthestBound(lowest: number, meanWithFill: number, highest: number): number {
  return Math.max(meanWithFill - lowest, (highest - lowest) / 2);
}

/**
 * For q = 1: N·v_1 = Σ|s − μ| = 2·Σ max(0, μ − s), at least the same over the m chosen alone, and μ is at least
 * `meanWithFill`. By the power mean inequality v_q ≥ v_1 for all q, so this serves 1 ≤ q < 2.
 */
export function meanDeviationBound(chosen: Float64Array, m: number, meanWithFill: number, n: number): number {
  let below = 0;
  for (let i = 0; i < m; i++) if (chosen[i] < meanWithFill) below += meanWithFill - chosen[i];
  return (2 * below) / n;
}

/**
 * The players that a search has chosen, in the form that the bounds need. Each player counts as the mean of its party:
 * replacing values by their mean never raises a convex symmetric function such as v_q (Jensen), so all bounds stay valid.
 */
export interface Chosen {
  /** The first m of these are the values of the players chosen. */
  readonly values: Float64Array;
  readonly m: number;
  readonly sum: number;
  readonly squares: number;
  /** The SSD inside the chosen parties around their own means; for q ≥ 2 it is added. */
  readonly within: number;
}

/**
 * A lower bound on v_q of the chosen with any rest that dominates the fill (ascending, r values, m + r = N), for every q.
 *
 * @param perRange c of Lemma 6
 */
export function skillSpreadBound(
  chosen: Chosen,
  fill: Float64Array,
  r: number,
  q: number,
  perRange: number,
): number {
  const { values, m, sum } = chosen;
  if (q === 2) return dominanceBound(chosen, fill, r);
  const n = m + r;
  let total = sum + fill[r - 1];
  let lowest = values[0];
  let highest = fill[r - 1];
  for (let i = 0; i < m; i++) {
    lowest = Math.min(lowest, values[i]);
    highest = Math.max(highest, values[i]);
  }
  for (let i = 0; i < r - 1; i++) total += fill[i];
  if (q === Number.POSITIVE_INFINITY) return farthestBound(lowest, total / n, highest);
  const byRange = perRange * (highest - lowest);
  if (q < 2) return Math.max(byRange, meanDeviationBound(values, m, total / n, n));
  return Math.max(byRange, dominanceBound(chosen, fill, r));
}

/**
 * The **dominance bound** for q = 2: the SSD of the chosen together with the top u of the fill, for any u with
 * fill[r − u] ≥ the mean of those m + u. N·v_2² of every completion is at least that; by the power mean inequality
 * v_q ≥ v_2 for q ≥ 2.
 *
 * Proof. Dropping players never raises the SSD, so keep the chosen and the top u of the rest, z ≥ b, where b
 * is the top u of the fill. The SSD is a convex function of the values with gradient 2·(b_i − mean) ≥ 0 at b,
 * so SSD(z) ≥ SSD(b) + gradient·(z − b) ≥ SSD(b). ∎
 *
 * The largest such u gives the exact minimum over all rests that dominate the fill: those of the fill below the
 * mean could move up to it at no cost.
 */
function dominanceBound({ m, sum, squares, within }: Chosen, fill: Float64Array, r: number): number {
  const last = fill[r - 1];
  const total = sum + last;
  // Even the last of the fill is below the mean. Then a rest can lie at the mean at no cost.
  if (last * m < sum) return Math.sqrt(Math.max(0, ssd(m, sum, squares) + within) / (m + r));
  let top = 1;
  let topSum = total;
  let topSquares = squares + last * last;
  while (top < r && fill[r - top - 1] * (m + top) >= topSum) {
    const value = fill[r - top - 1];
    topSum += value;
    topSquares += value * value;
    top++;
  }
  return Math.sqrt(Math.max(0, ssd(m + top, topSum, topSquares) + within) / (m + r));
}
