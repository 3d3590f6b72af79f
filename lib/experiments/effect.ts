import { mix } from './coin.ts';

/** The total of a measure over the players who count in a block. */
export interface Total {
  readonly sum: number;
  /** How many players, ≥ 0. A variant of a block without players says nothing. */
  readonly count: number;
}

/** The blocks of one round that are compared. */
export interface Pair {
  readonly control: Total;
  readonly variant: Total;
}

/** How much a variant differs from the control. */
export interface Effect {
  /** The means over all players. */
  readonly control: number;
  readonly variant: number;
  /** `variant` − `control`. */
  readonly difference: number;
  /**
   * The interval of the differences that the draw of the schedule does not contradict at this level. −Infinity and Infinity when
   * there are too few rounds: five can be ordered in 32 ways, and fewer than 40 cannot leave 2.5 % on each side.
   */
  readonly low: number;
  readonly high: number;
  /** How likely a difference at least this far from 0, on either side, was by the draw of the schedule alone. */
  readonly pValue: number;
  /** The rounds in which both blocks have players. */
  readonly rounds: number;
}

/** The share of draws that an interval leaves out, both sides together: 95 % intervals. */
const LEVEL = 0.05;
/** Up to this many rounds all orders are looked at: 4,096. Beyond, as many are drawn. */
const ALL_ORDERS_OF = 12;

/**
 * Compares a variant with the control by the draw of the schedule (randomisation inference: Fisher 1935; for switchbacks
 * Bojinov, Simchi-Levi & Zhao, Management Science 2023).
 *
 * If the variant adds τ to the measure of each of its players, then taking τ away from them leaves what would have been measured
 * with every other order of the rounds' blocks. τ is in the interval when the difference that is left is not extreme among
 * those of the other orders. It needs no assumption about the players, the hours of a day, or how much one block is like the next.
 * Where τ is not the same for all, the interval is one for its mean, and right for many rounds.
 *
 * With a_r the difference that the order r would show, and b_r the same for players of which those of the variant count 1 and
 * others 0, the order shows a_r − τ b_r where the real one shows d − τ. It is the more extreme one exactly for τ below
 * (d − a_r) / (1 − b_r), so that the ends of the interval are quantiles of these numbers.
 *
 * @param seed of the orders that are drawn, when there are too many for all
 * @returns undefined without a round in which both have players
 */
export function effectOf(pairs: readonly Pair[], seed = 0): Effect | undefined {
  const usable = pairs.filter(({ control, variant }) => control.count > 0 && variant.count > 0);
  if (usable.length === 0) return undefined;
  const [control, variant] = [meanOf(usable, 'control'), meanOf(usable, 'variant')];
  const difference = variant - control;
  const ends: number[] = [];
  const orders = 2 ** Math.min(usable.length, ALL_ORDERS_OF);
  const show = ordersOf(usable);
  let above = 0;
  let below = 0;
  // Order 0 is the real one.
  for (let order = 1; order < orders; order++) {
    const { shown, ofVariant } = show(swapsOf(usable.length, order, seed));
    if (shown >= difference) above++;
    if (shown <= difference) below++;
    // A drawn order that swaps nothing is the real one again, and as extreme for every τ.
    if (ofVariant < 1) ends.push((difference - shown) / (1 - ofVariant));
  }
  ends.sort((a, b) => a - b);
  // The real order is among them.
  const asReal = orders - ends.length;
  const left = Math.floor((LEVEL / 2) * orders) - asReal + 1;
  return {
    control,
    variant,
    difference,
    low: left < 1 ? Number.NEGATIVE_INFINITY : ends[left - 1]!,
    high: left < 1 ? Number.POSITIVE_INFINITY : ends[ends.length - left]!,
    pValue: Math.min(1, (2 * (1 + Math.min(above, below))) / orders),
    rounds: usable.length,
  };
}

/**
 * How many rounds an experiment needs until a true difference of this size is seen four times in five, with the players and the
 * noise of the rounds so far.
 *
 * @param share of the control's mean, > 0
 * @returns undefined without a finite interval, or when the control's mean is 0
 */
export function roundsToSee({ control, low, high, rounds }: Effect, share: number): number | undefined {
  const halfWidth = (high - low) / 2;
  const wanted = Math.abs(share * control);
  if (!Number.isFinite(halfWidth) || wanted === 0) return undefined;
  // Half the width is 1.96 standard errors, and a difference of 2.8 of them is seen with a chance of 80 %.
  return Math.ceil(rounds * ((halfWidth / wanted) * (2.8 / 1.96)) ** 2);
}

function meanOf(pairs: readonly Pair[], side: keyof Pair): number {
  let sum = 0;
  let count = 0;
  for (const pair of pairs) {
    sum += pair[side].sum;
    count += pair[side].count;
  }
  return sum / count;
}

/** What an order of the blocks would show: of the measure itself, and of 1 for players of the variant. */
interface Shown {
  readonly shown: number;
  readonly ofVariant: number;
}

/**
 * The differences that orders show. Thousands of orders of many rounds are asked for, so what a swap of each round moves from the
 * variant to the control is in flat arrays.
 */
function ordersOf(pairs: readonly Pair[]): (swapped: (pair: number) => boolean) => Shown {
  const total = (side: keyof Pair, of: keyof Total) => pairs.reduce((sum, pair) => sum + pair[side][of], 0);
  const [controlSum, controlCount] = [total('control', 'sum'), total('control', 'count')];
  const [variantSum, variantCount] = [total('variant', 'sum'), total('variant', 'count')];
  const sums = Float64Array.from(pairs, ({ control, variant }) => variant.sum - control.sum);
  const counts = Float64Array.from(pairs, ({ control, variant }) => variant.count - control.count);
  const variants = Float64Array.from(pairs, ({ variant }) => variant.count);
  return (swapped) => {
    let [sum, count, ofVariant] = [0, 0, 0];
    for (let pair = 0; pair < sums.length; pair++) {
      if (!swapped(pair)) continue;
      sum += sums[pair]!;
      count += counts[pair]!;
      ofVariant += variants[pair]!;
    }
    const [inControl, inVariant] = [controlCount + count, variantCount - count];
    return {
      shown: (variantSum - sum) / inVariant - (controlSum + sum) / inControl,
      ofVariant: (variantCount - ofVariant) / inVariant - ofVariant / inControl,
    };
  };
}

/** Which rounds an order swaps: the bits of its number while all orders are looked at, else drawn. */
function swapsOf(rounds: number, order: number, seed: number): (pair: number) => boolean {
  if (rounds <= ALL_ORDERS_OF) return (pair) => ((order >>> pair) & 1) === 1;
  const drawn = mix(seed, order);
  return (pair) => (mix(drawn, pair) & 1) === 1;
}
