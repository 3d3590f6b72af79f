import type { Grid } from './cells.ts';
import { costOfLeaving, type Instance } from './instance.ts';
import type { Pricing } from './pricing.ts';

/**
 * Prices such that certainly no game costs less than the prices of its tickets, and no ticket less than its own outside all
 * games. They may be negative: every ticket plays exactly once, so the sum of all prices is a bound all the same.
 *
 * @param wanted prices that should be lowered as little as possible, in the order of `instance.parts`
 */
export function certifiedPrices(instance: Instance, pricing: Pricing, wanted: Float64Array): Float64Array {
  const prices = wanted.map((price, i) => Math.min(price, costOfLeaving(instance, instance.parts[i])));
  const falls = new Float64Array(prices.length);
  pricing.find(prices, FINE, (found) => {
    found.each((at, fall) => {
      falls[at] = Math.max(falls[at], fall);
    });
  });
  return prices.map((price, i) => price - falls[i] - ROUNDING * Math.abs(price));
}

const FINE: Grid = { ratio: 1.3, step: 0.35, divisions: 2 };
/** Added to what prices are lowered by, as a share: far above the rounding of the sums. */
const ROUNDING = 1e-9;
