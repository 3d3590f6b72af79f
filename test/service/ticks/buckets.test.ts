import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BucketPlan,
  type KeyRange,
  partitions,
  partitionsWithin,
  planAt,
  poolOrder,
  poolPartition,
  skillKey,
  tickRanges,
} from '../../../lib/service/ticks/buckets.ts';

const plan = (...boundaries: number[]): BucketPlan => ({ version: 3, boundaries, fromMs: 0 });
const plans = fc
  .uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 6 })
  .map((edges) => plan(...edges.sort((a, b) => a - b).map((edge) => edge * 10)));
const skills = fc.oneof(
  fc.double({ min: 0, max: 5000, noNaN: true }),
  fc.integer({ min: 0, max: 500 }).map((n) => n * 10),
);

const holds = (range: KeyRange, key: string) =>
  (range.from === undefined || key >= range.from) && (range.to === undefined || key < range.to);

describe('sort keys', () => {
  it('are in the order of skills', () => {
    fc.assert(
      fc.property(skills, skills, (a, b) => {
        if (skillKey(a) < skillKey(b)) expect(a).toBeLessThan(b);
        if (a + 1e-6 < b) expect(skillKey(a) < skillKey(b)).toBe(true);
      }),
    );
  });

  it('hold the mean skill of a party', () => {
    const players = [
      { playerId: 'a', skill: 1000 },
      { playerId: 'b', skill: 1501 },
    ];
    expect(poolOrder('t', players)).toBe('0000001250.500000#t');
  });
});

describe('a bucket plan', () => {
  it('puts a skill on an edge into the upper bucket', () => {
    const order = (skill: number) => poolOrder('t', [{ playerId: 'a', skill }]);
    expect(poolPartition('q', plan(1000), order(999.9))).toBe('q#3.0');
    expect(poolPartition('q', plan(1000), order(1000))).toBe('q#3.1');
    expect(poolPartition('q', plan(1000), order(999.9999999))).toBe('q#3.1');
  });

  it.each([false, true])('covers every ticket by exactly one range of a slot (odd: %s)', (odd) => {
    fc.assert(
      fc.property(plans, skills, (p, skill) => {
        const order = poolOrder('t', [{ playerId: 'a', skill }]);
        const ranges = tickRanges(p, odd).filter((range) => holds(range, order));
        expect(ranges).toHaveLength(1);
        expect(partitionsWithin('q', p, ranges[0]!)).toContain(poolPartition('q', p, order));
      }),
    );
  });

  it('leases every cell exactly once in a slot, and at least one in every range', () => {
    fc.assert(
      fc.property(plans, fc.boolean(), (p, odd) => {
        const ranges = tickRanges(p, odd);
        const cells = ranges.flatMap((range) => range.cells);
        expect(new Set(cells).size).toBe(cells.length);
        expect(ranges.every((range) => range.cells.length > 0)).toBe(true);
      }),
    );
  });

  it('leases a common cell whenever two ranges of an even and an odd slot share a ticket', () => {
    fc.assert(
      fc.property(plans, skills, (p, skill) => {
        const order = poolOrder('t', [{ playerId: 'a', skill }]);
        const [even, odd] = [false, true].map(
          (kind) => tickRanges(p, kind).find((range) => holds(range, order))!,
        );
        expect(even!.cells.some((cell) => odd!.cells.includes(cell))).toBe(true);
      }),
    );
  });

  it('brings neighbours across any edge together in an odd slot', () => {
    fc.assert(
      fc.property(plans, (p) => {
        for (const edge of p.boundaries) {
          const below = `${skillKey(edge - 0.5)}#a`;
          const above = `${skillKey(edge + 0.5)}#b`;
          expect(tickRanges(p, true).some((range) => holds(range, below) && holds(range, above))).toBe(true);
        }
      }),
    );
  });

  it('has one partition and one range when there are no edges', () => {
    expect(partitions('q', plan())).toEqual(['q#3.0']);
    expect(tickRanges(plan(), true)).toEqual([{ index: 0, cells: ['3.0'] }]);
  });

  it('is in force from its first slot on', () => {
    const old = { version: 1, boundaries: [], fromMs: 0 };
    const next = { version: 2, boundaries: [10], fromMs: 5_000 };
    expect(planAt([old, next], 4_999)).toBe(old);
    expect(planAt([old, next], 5_000)).toBe(next);
    expect(planAt([next], 0)).toBe(next);
  });
});
