import { describe, expect, it } from 'vitest';
import { effectOf, type Pair, roundsToSee, type Total } from '../../lib/experiments/effect.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { sample } from '../long.ts';

/** Blocks as they would be without a variant: a level that drifts, with different numbers of players. */
function untouched(rounds: number, seed: number): [Total, Total][] {
  const random = seededRandom(seed);
  let level = 60;
  const next = (): Total => {
    level += random.normal(0, 8);
    const count = 1 + random.integer(40);
    return { count, sum: count * (level + random.normal(0, 5)) };
  };
  return Array.from({ length: rounds }, () => [next(), next()]);
}

/** What an order of the blocks shows, when the variant adds `effect` to each of its players. */
function played(blocks: readonly [Total, Total][], order: number, effect: number): Pair[] {
  return blocks.map(([first, second], at) => {
    const [control, other] = (order >>> at) & 1 ? [second, first] : [first, second];
    return { control, variant: { count: other.count, sum: other.sum + effect * other.count } };
  });
}

describe('the interval of an effect', () => {
  it.each([
    { rounds: 6, effect: 0 },
    { rounds: 8, effect: 4.5 },
    { rounds: sample(9, 10), effect: -13 },
  ])('contains a true effect of $effect in 95 % of all orders of $rounds rounds', ({ rounds, effect }) => {
    const blocks = untouched(rounds, rounds);
    let contains = 0;
    for (let order = 0; order < 2 ** rounds; order++) {
      const { low, high } = effectOf(played(blocks, order, effect))!;
      if (low <= effect + 1e-9 && effect - 1e-9 <= high) contains++;
    }
    const share = contains / 2 ** rounds;
    expect(share).toBeGreaterThanOrEqual(0.95);
    expect(share).toBeLessThanOrEqual(0.975);
  });

  it('contains it in 95 % of drawn orders of many rounds', () => {
    const random = seededRandom(7);
    const blocks = untouched(20, 11);
    let contains = 0;
    const draws = sample(60, 150);
    for (let draw = 0; draw < draws; draw++) {
      const { low, high } = effectOf(played(blocks, random.integer(2 ** 20), 2), draw)!;
      if (low <= 2 && 2 <= high) contains++;
    }
    const standardError = Math.sqrt((0.95 * 0.05) / draws);
    expect(contains / draws).toBeGreaterThanOrEqual(0.95 - 3 * standardError);
  });

  it('shifts with the measure and scales with its unit', () => {
    const pairs = played(untouched(8, 3), 5, 1);
    const scaled = pairs.map(({ control, variant }) => ({
      control: { ...control, sum: 60 * control.sum },
      variant: { ...variant, sum: 60 * variant.sum + 600 * variant.count },
    }));
    const [before, after] = [effectOf(pairs)!, effectOf(scaled)!];
    expect(after.difference).toBeCloseTo(60 * before.difference + 600, 6);
    expect(after.low).toBeCloseTo(60 * before.low + 600, 6);
    expect(after.high).toBeCloseTo(60 * before.high + 600, 6);
  });

  it('is the whole line for five rounds, and finite for six', () => {
    const pairs = played(untouched(6, 1), 3, 0);
    expect(effectOf(pairs.slice(1))).toMatchObject({ low: -Infinity, high: Infinity, rounds: 5 });
    const { low, high } = effectOf(pairs)!;
    expect(Number.isFinite(low) && Number.isFinite(high)).toBe(true);
  });

  it('is a point when all blocks are equal', () => {
    const equal = Array.from({ length: 7 }, () => ({
      control: { sum: 30, count: 3 },
      variant: { sum: 30, count: 3 },
    }));
    expect(effectOf(equal)).toEqual({
      control: 10,
      variant: 10,
      difference: 0,
      low: 0,
      high: 0,
      pValue: 1,
      rounds: 7,
    });
  });

  it('leaves out rounds in which a variant had no players', () => {
    const pairs = played(untouched(7, 2), 1, 0);
    const empty = { control: { sum: 0, count: 0 }, variant: { sum: 5, count: 1 } };
    expect(effectOf([...pairs, empty])).toEqual(effectOf(pairs));
    expect(effectOf([empty])).toBeUndefined();
    expect(effectOf([])).toBeUndefined();
  });

  it('has a p-value below 5 % exactly when 0 is outside', () => {
    const blocks = untouched(8, 4);
    const outside = (effect: number) =>
      Array.from({ length: 256 }, (_, order) => effectOf(played(blocks, order, effect))!).filter(
        ({ low, high, pValue }) => {
          expect(pValue <= 0.05).toBe(low > 0 || high < 0);
          return pValue <= 0.05;
        },
      ).length;
    expect(outside(0) / 256).toBeLessThanOrEqual(0.05);
    expect(outside(40) / 256).toBeGreaterThan(0.9);
  });
});

describe('the rounds that a difference needs', () => {
  it('grow with the square of the precision', () => {
    const effect = effectOf(played(untouched(40, 5), 9, 0))!;
    const [coarse, fine] = [roundsToSee(effect, 0.1)!, roundsToSee(effect, 0.05)!];
    expect(fine / coarse).toBeCloseTo(4, 1);
  });

  it('are unknown without an interval, or when the control is 0', () => {
    const effect = effectOf(played(untouched(5, 6), 0, 0))!;
    expect(roundsToSee(effect, 0.1)).toBeUndefined();
    expect(roundsToSee({ ...effect, low: -1, high: 1, control: 0 }, 0.1)).toBeUndefined();
  });
});
