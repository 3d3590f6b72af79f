import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../lib/simulation/random.ts';

interface Statistics {
  readonly mean: number;
  readonly variance: number;
  readonly standardDeviation: number;
  readonly standardError: number;
  readonly min: number;
  readonly max: number;
}

function draws(count: number, draw: () => number): Statistics {
  const values = Float64Array.from({ length: count }, draw);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const sorted = values.toSorted();
  return {
    mean,
    variance,
    standardDeviation: Math.sqrt(variance),
    standardError: Math.sqrt(variance / count),
    min: sorted[0],
    max: sorted[count - 1],
  };
}

/** Within five standard errors: on a fixed seed this either always holds or never. */
const expectMean = (statistics: Statistics, mean: number) => {
  expect(Math.abs(statistics.mean - mean)).toBeLessThan(5 * statistics.standardError);
};

describe('the seeded random source', () => {
  test('gives the same numbers for the same seed and other numbers for another', () => {
    const take = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 5 }, () => random.uniform());
    };
    expect(take(7)).toEqual(take(7));
    expect(take(7)).not.toEqual(take(8));
    expect(take(2 ** 40)).not.toEqual(take(0));
  });

  test('gives the same first numbers on every machine', () => {
    const random = seededRandom(1);
    expect([random.integer(1000), random.integer(1000), random.integer(1000)]).toMatchInlineSnapshot(`
      [
        636,
        851,
        707,
      ]
    `);
  });

  test('forks depend on seed and label alone, not on what was drawn', () => {
    const fresh = seededRandom(3).fork('arrivals').uniform();
    const used = seededRandom(3);
    used.uniform();
    used.normal();
    expect(used.fork('arrivals').uniform()).toBe(fresh);
    expect(used.fork('skills').uniform()).not.toBe(fresh);
    expect(used.fork('a').fork('b').uniform()).not.toBe(used.fork('b').fork('a').uniform());
  });

  test('uniform has the mean and variance of [0, 1) and never leaves it', () => {
    const random = seededRandom(11);
    const seen = draws(200_000, random.uniform);
    expectMean(seen, 1 / 2);
    expect(seen.variance).toBeCloseTo(1 / 12, 3);
    expect(seen.min).toBeGreaterThanOrEqual(0);
    expect(seen.max).toBeLessThan(1);
  });

  test('neighbouring draws and the first draws of neighbouring seeds are uncorrelated', () => {
    const random = seededRandom(5);
    let last = random.uniform();
    expectMean(
      draws(100_000, () => {
        const before = last;
        last = random.uniform();
        return (before - 0.5) * (last - 0.5);
      }),
      0,
    );
    let seed = 0;
    expectMean(
      draws(50_000, () => {
        const product = (seededRandom(seed).uniform() - 0.5) * (seededRandom(seed + 1).uniform() - 0.5);
        seed++;
        return product;
      }),
      0,
    );
  });

  test('integer draws every value equally often', () => {
    const random = seededRandom(2);
    const counts = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < 70_000; i++) counts[random.integer(7)]++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(5 * Math.sqrt(10_000));
  });

  test('exponential has mean and standard deviation 1/rate', () => {
    const random = seededRandom(4);
    const seen = draws(200_000, () => random.exponential(4));
    expectMean(seen, 0.25);
    expect(seen.standardDeviation).toBeCloseTo(0.25, 2);
  });

  test('normal has the given mean and deviation, and the tails of a normal distribution', () => {
    const random = seededRandom(6);
    let beyondTwo = 0;
    const seen = draws(200_000, () => {
      const value = random.normal(3, 2);
      if (Math.abs(value - 3) > 4) beyondTwo++;
      return value;
    });
    expectMean(seen, 3);
    expect(seen.standardDeviation).toBeCloseTo(2, 1);
    expect(beyondTwo / 200_000).toBeCloseTo(0.0455, 2);
  });

  test('rejects a seed that is not a whole number', () => {
    expect(() => seededRandom(0.5)).toThrow('Expected `seed` to be a safe integer, got `0.5`');
  });
});
