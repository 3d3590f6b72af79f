import { describe, expect, it } from 'vitest';
import { imbalance, skillSpread, skillSpreadOfRelative } from '../../../lib/engine/model/imbalance.ts';
import { normal, seeded } from '../random-pool.ts';

const infinity = Number.POSITIVE_INFINITY;

describe('the skill spread', () => {
  it('is the same in the form that searches use, except for rounding', () => {
    const random = seeded(61);
    for (let round = 0; round < 2000; round++) {
      const q = [1, 1.5, 2, 3, infinity][round % 5];
      const values = Float64Array.from({ length: 2 + 2 * (round % 8) }, () => 300 * normal(random));
      const exact = skillSpread(values, q);
      expect(Math.abs(skillSpreadOfRelative(values, q) - exact)).toBeLessThanOrEqual(1e-12 * exact);
    }
    expect(skillSpreadOfRelative(new Float64Array(4), 2)).toBe(0);
  });

  it('of equal skills is exactly 0, however large they are', () => {
    for (const q of [1, 2, 3, infinity]) expect(skillSpread([1e15 + 0.3, 1e15 + 0.3, 1e15 + 0.3], q)).toBe(0);
  });
});

describe('the imbalance', () => {
  it('is α times the gap of the teams plus the spread of all players', () => {
    const rules = { alpha: 3, p: 1, q: 2 };
    const { imbalance: f, teamGap, skillSpread: v } = imbalance([Float64Array.of(1, 4), [2, 5]], rules);
    expect(teamGap).toBe(2);
    expect(v).toBeCloseTo(Math.sqrt(2.5), 12);
    expect(f).toBe(3 * teamGap + v);
  });

  it('does not depend on the order of the teams', () => {
    for (const p of [1, 2, infinity]) {
      const rules = { alpha: 2, p, q: 2 };
      expect(
        imbalance(
          [
            [7, 1],
            [3, 3.5],
          ],
          rules,
        ),
      ).toEqual(
        imbalance(
          [
            [3, 3.5],
            [7, 1],
          ],
          rules,
        ),
      );
    }
  });
});
