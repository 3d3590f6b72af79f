import { expect, it } from 'vitest';
import { seeded } from '../../../test/engine/random-pool.ts';
import { narrowestGroups, narrowestRange } from '../../lib/partition/narrowest-groups.ts';

it('finds the disjoint windows with the least greatest range and the least total range, and their value alone', () => {
  const random = seeded(81);
  for (let round = 0; round < 500; round++) {
    const size = 2 + 2 * (round % 2);
    const sorted = Float64Array.from({ length: size + Math.floor(8 * random()) }, () =>
      Math.floor(30 * random()),
    ).sort();
    const groups = 1 + Math.floor((random() * sorted.length) / size);
    if (groups * size > sorted.length) continue;
    const rangesOf = (starts: ArrayLike<number>) =>
      Array.from(starts, (start) => sorted[start + size - 1] - sorted[start]);
    const totalOf = {
      greatest: (ranges: readonly number[]) => Math.max(...ranges),
      sum: (ranges: readonly number[]) => ranges.reduce((sum, range) => sum + range, 0),
    };
    for (const total of ['greatest', 'sum'] as const) {
      const least = Math.min(
        ...allWindows(sorted.length, groups, size).map((s) => totalOf[total](rangesOf(s))),
      );
      const starts = narrowestGroups(sorted, groups, size, total);
      starts.forEach((start, g) => {
        expect(start).toBeGreaterThanOrEqual(g === 0 ? 0 : starts[g - 1] + size);
      });
      expect(totalOf[total](rangesOf(starts))).toBe(least);
      expect(narrowestRange(sorted, groups, size, total)).toBe(least);
    }
  }
});

/** The first places of every choice of this many disjoint windows. */
function allWindows(players: number, groups: number, size: number, from = 0): number[][] {
  if (groups === 0) return [[]];
  const all: number[][] = [];
  for (let start = from; start + groups * size <= players; start++) {
    for (const rest of allWindows(players, groups - 1, size, start + size)) all.push([start, ...rest]);
  }
  return all;
}
