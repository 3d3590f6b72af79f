import { describe, expect, it } from 'vitest';
import { skillSpread } from '../../lib/engine/game-pool.ts';
import { leastSpreadAround } from '../../lib/policies/least-spread.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

describe('the least spread around players', () => {
  it.each([1, 1.5, 2, 3, Number.POSITIVE_INFINITY])(
    'is never above the spread of a game with them, and equal to the least for q = 2 (q = %s)',
    (q) => {
      const random = seededRandom(7);
      for (let run = 0; run < 300; run++) {
        const seats = 2 + Math.floor(random.uniform() * 5);
        const present = 1 + Math.floor(random.uniform() * (seats - 1));
        const others = Array.from({ length: seats + 2 }, () => Math.round(200 * random.uniform() - 80));
        others.sort((a, b) => a - b);
        const least = Math.min(
          ...subsets(others, seats - present).map((set) =>
            skillSpread(Float64Array.from([...Array(present).fill(0), ...set]), q),
          ),
        );
        const bound = leastSpreadAround(others, seats, present, q);
        expect(bound).toBeLessThanOrEqual(least * (1 + 1e-9));
        if (q === 2) expect(bound).toBeGreaterThanOrEqual(least * (1 - 1e-6) - 0.01);
      }
    },
  );

  it('is 0 when no player is missing', () => {
    expect(leastSpreadAround([], 4, 4, 2)).toBe(0);
  });
});

function subsets(values: readonly number[], size: number, from = 0): number[][] {
  if (size === 0) return [[]];
  return values.flatMap((value, at) =>
    at < from ? [] : subsets(values, size - 1, at + 1).map((rest) => [value, ...rest]),
  );
}
