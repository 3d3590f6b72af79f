import { describe, expect, it } from 'vitest';
import { seeded } from '../../../test/engine/random-pool.ts';
import { ValueCounts } from '../../lib/dynamic-queue/value-counts.ts';

/** The most values within `width` of each other that include `value`. */
function mostNear(values: readonly number[], value: number, width: number): number {
  const most = values
    .filter((low) => low <= value && value - low <= width)
    .map((low) => values.filter((each) => each >= low && each - low <= width).length);
  return Math.max(...most);
}

describe('counts of values', () => {
  it.each([
    [0, 100, 3, 1000],
    [40, 60, 3, 1000],
    [-1e9, 1e9, 3, 500],
    [50, 50, 3, 1000],
    [0, 100, Number.MIN_VALUE, 1000],
    [1000, 1000.001, 1e-6, 100_000],
  ])(
    'bound how many values are near one, with cells from %d to %d as wide as %d, at most %i',
    (low, high, width, cellsMax) => {
      const random = seeded(1);
      const counts = new ValueCounts(low, high, width, cellsMax);
      const values: number[] = [];
      for (let step = 0; step < 900; step++) {
        if (values.length > 0 && random() < 0.4) {
          const [value] = values.splice(Math.floor(random() * values.length), 1);
          counts.remove(value);
          continue;
        }
        const value =
          low + (random() < 0.2 ? 300 * random() - 100 : ((high - low) * Math.round(50 * random())) / 50);
        values.push(value);
        expect(counts.add(value)).toBeGreaterThanOrEqual(mostNear(values, value, width));
      }
    },
  );

  it('are exact for values far from cells of others', () => {
    const counts = new ValueCounts(0, 1000, 1, 10_000);
    for (let i = 1; i < 100; i++) expect(counts.add(500.5)).toBe(i);
    expect(counts.add(900)).toBe(1);
    counts.remove(500.5);
    expect(counts.add(500.5)).toBe(99);
  });

  it('bound nothing where more values are than can be counted', () => {
    const counts = new ValueCounts(0, 1000, 1, 10_000);
    for (let i = 1; i <= 255; i++) expect(counts.add(500.5)).toBe(i);
    for (let i = 0; i < 300; i++) expect(counts.add(500.5)).toBe(Number.POSITIVE_INFINITY);
    for (let i = 0; i < 555; i++) counts.remove(500.5);
    expect(counts.add(501.5)).toBe(Number.POSITIVE_INFINITY);
  });
});
