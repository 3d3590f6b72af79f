import { seededRandom } from 'muster/simulation';
import { describe, expect, test } from 'vitest';
import { BlockMeans, RunningStatistics } from '../../lib/papers/statistics.ts';

describe('running statistics', () => {
  test('return mean, variance, standard error and extremes of a small sample', () => {
    const statistics = new RunningStatistics();
    for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) statistics.add(value);
    expect(statistics.count).toBe(8);
    expect(statistics.mean).toBe(5);
    expect(statistics.variance).toBeCloseTo(32 / 7, 12);
    expect(statistics.standardError).toBeCloseTo(Math.sqrt(32 / 7 / 8), 12);
    expect([statistics.min, statistics.max]).toEqual([2, 9]);
  });

  test('keep their precision far from zero', () => {
    const statistics = new RunningStatistics();
    for (const value of [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]) statistics.add(value);
    expect(statistics.variance).toBe(30);
  });

  test('return NaN or infinite values before the first value', () => {
    const statistics = new RunningStatistics();
    expect(statistics.mean).toBeNaN();
    statistics.add(1);
    expect(statistics.standardError).toBeNaN();
  });
});

describe('block means', () => {
  test('estimate the standard error of a correlated stream, which statistics for independent values underestimate', () => {
    // An autoregressive stream x ← 0.9·x + noise: its mean varies (1 + 0.9)/(1 − 0.9) = 19 times as much
    // as that of independent values of the same spread.
    const random = seededRandom(1);
    const naive = new RunningStatistics();
    const blocks = new BlockMeans(1000);
    let x = 0;
    for (let i = 0; i < 400_000; i++) {
      x = 0.9 * x + random.normal();
      naive.add(x);
      blocks.add(x);
    }
    expect(blocks.blocks).toBe(400);
    expect(blocks.mean).toBeCloseTo(naive.mean, 10);
    expect(blocks.standardError / naive.standardError).toBeGreaterThan(0.85 * Math.sqrt(19));
    expect(blocks.standardError / naive.standardError).toBeLessThan(1.15 * Math.sqrt(19));
  });

  test('weight a value by its players', () => {
    const blocks = new BlockMeans(2);
    for (const [value, weight] of [
      [1, 2],
      [4, 1],
      [1, 1],
      [0, 2],
    ])
      blocks.add(value, weight);
    expect(blocks.mean).toBeCloseTo(7 / 6, 12);
  });

  test('ignore the last block when it is not full', () => {
    const blocks = new BlockMeans(2);
    for (const value of [1, 3, 100]) blocks.add(value);
    expect([blocks.blocks, blocks.mean]).toEqual([1, 2]);
    expect(blocks.standardError).toBeNaN();
  });

  test('reject an invalid block size', () => {
    expect(() => new BlockMeans(0)).toThrow('Expected `blockSize` to be a whole number from 1 up, got `0`');
  });
});
