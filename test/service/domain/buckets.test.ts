import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BucketLayout,
  cellsWithin,
  type Edge,
  edgeKey,
  type KeyRange,
  layoutAt,
  poolKey,
  poolKeys,
  poolKeysAround,
  poolKeysWithin,
  poolOrder,
  skillKey,
  tickRanges,
} from '../../../lib/service/domain/buckets.ts';

const layout = (...boundaries: Edge[]): BucketLayout => ({ version: 3, boundaries, fromMs: 0 });
/** Edges at skills, and edges among the tickets of one skill. */
const edges = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom(0, 0, 0.25, 0.5, 0.75));
const layouts = fc
  .uniqueArray(edges, { maxLength: 6, selector: ([skill, share]) => skill + share })
  .map((all) => all.sort(([a, b], [c, d]) => a + b - c - d))
  .map((all) =>
    layout(...all.map(([skill, share]): Edge => (share === 0 ? 10 * skill : [10 * skill, share]))),
  );
/** The same layouts, some with shards. */
const sharded = fc
  .tuple(layouts, fc.constantFrom(0, 2, 5, 32))
  .map(([p, count]) => (count === 0 ? p : { ...p, shards: { count, sinceMs: 0 } }));
const ids = fc.uuid();
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

  it('contain the mean skill of a party', () => {
    const players = [
      { playerId: 'a', skill: 1000 },
      { playerId: 'b', skill: 1501 },
    ];
    expect(poolOrder('t', players)).toMatch(/^0000001250\.500000#[0-9a-v]{10}$/);
  });
});

describe('a bucket layout', () => {
  it('puts a skill on an edge into the upper bucket', () => {
    const order = (skill: number) => poolOrder('t', [{ playerId: 'a', skill }]);
    expect(poolKey('q', layout(1000), order(999.9))).toBe('q#3.0');
    expect(poolKey('q', layout(1000), order(1000))).toBe('q#3.1');
    expect(poolKey('q', layout(1000), order(999.9999999))).toBe('q#3.1');
  });

  it.each([false, true])('covers every ticket by exactly one range of a slot (odd: %s)', (odd) => {
    fc.assert(
      fc.property(sharded, skills, ids, (p, skill, id) => {
        const order = poolOrder(id, [{ playerId: 'a', skill }]);
        const ranges = tickRanges(p, odd).filter((range) => holds(range, order));
        expect(ranges).toHaveLength(1);
        const { shards: _, ...before } = p;
        for (const key of [poolKey('q', p, order), poolKey('q', before, order)]) {
          expect(poolKeysWithin('q', p, ranges[0]!)).toContain(key);
          expect(poolKeysAround('q', p, order)).toContain(key);
        }
      }),
    );
  });

  it('leases every cell exactly once in a slot, and at least one in every range', () => {
    fc.assert(
      fc.property(layouts, fc.boolean(), (p, odd) => {
        const ranges = tickRanges(p, odd);
        const cells = ranges.flatMap((range) => range.cells);
        expect(new Set(cells).size).toBe(cells.length);
        expect(ranges.every((range) => range.cells.length > 0)).toBe(true);
      }),
    );
  });

  it('leases a common cell whenever two ranges of an even and an odd slot share a ticket', () => {
    fc.assert(
      fc.property(layouts, skills, ids, (p, skill, id) => {
        const order = poolOrder(id, [{ playerId: 'a', skill }]);
        const [even, odd] = [false, true].map(
          (kind) => tickRanges(p, kind).find((range) => holds(range, order))!,
        );
        expect(even!.cells.some((cell) => odd!.cells.includes(cell))).toBe(true);
      }),
    );
  });

  it('searches neighbours on both sides of any edge together in an odd slot', () => {
    fc.assert(
      fc.property(layouts, (p) => {
        for (const edge of p.boundaries) {
          const [skill, share] = typeof edge === 'number' ? [edge, 0] : edge;
          const below = share === 0 ? edgeKey([skill - 0.5, 0.99]) : edgeKey([skill, share - 0.01]);
          const above = edgeKey([skill, share + 0.01]);
          expect(tickRanges(p, true).some((range) => holds(range, below) && holds(range, above))).toBe(true);
        }
      }),
    );
  });

  it('has one partition and one range when there are no edges', () => {
    expect(poolKeys('q', layout())).toEqual(['q#3.0']);
    expect(tickRanges(layout(), true)).toEqual([{ index: 0, cells: ['3.0'] }]);
  });

  it('has one key more for each further shard of a bucket, and spreads tickets of any skill evenly over them', () => {
    const one = { ...layout(1000), shards: { count: 3, sinceMs: 0 } };
    expect(poolKeys('q', one)).toEqual(['q#3.0', 'q#3.0.1', 'q#3.0.2', 'q#3.1', 'q#3.1.1', 'q#3.1.2']);
    const counts = new Map<string, number>();
    for (let i = 0; i < 3_000; i++) {
      const key = poolKey('q', one, poolOrder(`ticket-${i}`, [{ playerId: 'a', skill: 500 }]));
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['q#3.0', 'q#3.0.1', 'q#3.0.2']);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(100);
  });

  it('is in force from its first slot on', () => {
    const old = { version: 1, boundaries: [], fromMs: 0 };
    const next = { version: 2, boundaries: [10], fromMs: 5_000 };
    expect(layoutAt([old, next], 4_999)).toBe(old);
    expect(layoutAt([old, next], 5_000)).toBe(next);
    expect(layoutAt([next], 0)).toBe(next);
  });
});

describe('tickets of one skill', () => {
  it('are spread evenly over the buckets between them for ids of any form', () => {
    const one = layout([1500, 0.25], [1500, 0.5], [1500, 0.75]);
    for (const prefix of ['t', 'ticket-00000', '0190a6f2-7c3e-7b4d-9a51-2f6c0000']) {
      const counts = new Map<string, number>();
      for (let i = 0; i < 4000; i++) {
        const pool = poolKey('q', one, poolOrder(`${prefix}${i}`, [{ playerId: 'a', skill: 1500 }]));
        counts.set(pool, (counts.get(pool) ?? 0) + 1);
      }
      expect(counts.size).toBe(4);
      for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(100);
    }
  });
});

describe('the cells of a layout that a range touches', () => {
  it('are those that contain a ticket of the range', () => {
    fc.assert(
      fc.property(layouts, layouts, skills, ids, fc.boolean(), (old, next, skill, id, odd) => {
        const order = poolOrder(id, [{ playerId: 'a', skill }]);
        const range = tickRanges(next, odd).find((one) => holds(one, order))!;
        const touched = cellsWithin(old, range);
        for (const kind of [false, true]) {
          const own = tickRanges(old, kind).find((one) => holds(one, order))!;
          expect(own.cells.some((cell) => touched.includes(cell))).toBe(true);
        }
        expect(cellsWithin(next, range)).toEqual(range.cells);
      }),
    );
  });
});
