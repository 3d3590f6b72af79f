import type { Market } from './closed-forms.ts';

export interface OptimalCost {
  /** No policy costs less per period than this. */
  readonly lower: number;
  /** Some stationary policy costs at most this per period. */
  readonly upper: number;
}

/**
 * The least cost per period over **all** policies, including those that hold balanced games, pick other players
 * than the paper's or wait forever. The states are the numbers of H and L waiting. A decision is to
 * form any possible game, with any number of H, or to wait. A pool of `poolMax` must form a game,
 * as in the paper's own finiteness assumption.
 *
 * Solved by relative value iteration on the process slowed down by half (which removes the period of 2n
 * that the pool's size has): before convergence and after, the least and the greatest change of value in
 * one step bound the optimum from both sides (Puterman 2014, theorem 8.5.5).
 *
 * @param poolMax at least 2n; the paper's pool never exceeds 2n
 * @param precision the iteration ends when the bounds are this close
 */
export function optimalCost(
  { teamSize, highShare }: Market,
  alpha: number,
  poolMax: number = 6 * teamSize,
  precision = 1e-7,
): OptimalCost {
  const gameSize = 2 * teamSize;
  const width = poolMax + 1;
  let values = new Float64Array(width * width);
  let next = new Float64Array(width * width);
  // The best decision from (high, low) after an arrival, in order of pool size, so that the value of the
  // pool that remains after a game is already known.
  const decided = new Float64Array(width * width);

  const sweep = (): OptimalCost => {
    let lower = Number.POSITIVE_INFINITY;
    let upper = Number.NEGATIVE_INFINITY;
    for (let pool = 0; pool <= poolMax; pool++) {
      for (let high = 0; high <= pool; high++) {
        const low = pool - high;
        const at = high * width + low;
        let best = pool < poolMax ? pool + values[at] : Number.POSITIVE_INFINITY;
        const highsMost = Math.min(high, gameSize);
        for (let highs = Math.max(0, gameSize - low); highs <= highsMost; highs++) {
          const left = (high - highs) * width + (low - gameSize + highs);
          best = Math.min(best, (highs % 2) * alpha * gameSize + decided[left]);
        }
        decided[at] = best;
      }
    }
    // `values` belongs to the moment before an arrival.
    for (let pool = 0; pool < poolMax; pool++) {
      for (let high = 0; high <= pool; high++) {
        const at = high * width + pool - high;
        const played = highShare * decided[at + width] + (1 - highShare) * decided[at + 1];
        next[at] = (values[at] + played) / 2;
        lower = Math.min(lower, 2 * (next[at] - values[at]));
        upper = Math.max(upper, 2 * (next[at] - values[at]));
      }
    }
    return { lower, upper };
  };

  for (let sweeps = 0; sweeps < 1_000_000; sweeps++) {
    const bounds = sweep();
    [values, next] = [next, values];
    if (bounds.upper - bounds.lower < precision) return bounds;
    // Only differences of values matter; this keeps them small.
    const origin = values[0];
    for (let at = 0; at < values.length; at++) values[at] -= origin;
  }
  throw new Error(`Expected the bounds to come within ${precision} of each other in a million sweeps`);
}
