import { expect, it } from 'vitest';
import { addMatches, mergedTallies } from '../../../lib/service/domain/match-tally.ts';

const HOUR_MS = 3_600_000;
const match = (region: string, waitsMs: number[], changes: object = {}) => ({
  waitsMs,
  region,
  costs: {},
  relaxed: [],
  ...changes,
});

it('counts matches, waits, relaxations and costs by region and rule', () => {
  const tally = addMatches(
    undefined,
    [
      match('eu', [1_000, 3_000], { costs: { Mixed: 5 }, relaxed: ['Level'] }),
      match('eu', [2_000, 2_000], { costs: { Mixed: 1 } }),
      match('us', [8_000]),
    ],
    0,
  );
  expect(tally).toEqual({
    atMs: 0,
    matches: 3,
    regions: {
      eu: { matches: 2, tickets: 4, waitSeconds: 8 },
      us: { matches: 1, tickets: 1, waitSeconds: 8 },
    },
    rules: { Level: { relaxed: 1, cost: 0 }, Mixed: { relaxed: 0, cost: 6 } },
  });
});

it('forgets matches by a factor of e in an hour', () => {
  const first = addMatches(undefined, Array(100).fill(match('eu', [1_000])), 0);
  const later = addMatches(first, [match('us', [1_000])], HOUR_MS);
  expect(later!.regions.eu!.matches).toBeCloseTo(100 / Math.E, 3);
  expect(later!.matches).toBeCloseTo(1 + 100 / Math.E, 3);
});

it('adds up the ranges of a queue at the time of the latest match', () => {
  const early = addMatches(undefined, [match('eu', [1_000])], 0)!;
  const late = addMatches(undefined, [match('eu', [3_000])], HOUR_MS)!;
  const merged = mergedTallies([early, late])!;
  expect(merged.atMs).toBe(HOUR_MS);
  expect(merged.regions.eu!.waitSeconds).toBeCloseTo(3 + 1 / Math.E, 4);
});

it('is bounded, although clients may name any region', () => {
  const matches = Array.from({ length: 500 }, (_, i) => match(`r${i}`, [1_000]));
  const tally = addMatches(undefined, [match('eu', [1]), match('eu', [1]), ...matches], 0)!;
  expect(Object.keys(tally.regions)).toHaveLength(40);
  expect(tally.regions).toHaveProperty('eu');
  expect(tally.matches).toBe(502);
});

it('stays as it is without matches', () => {
  expect(addMatches(undefined, [], 0)).toBeUndefined();
  const tally = addMatches(undefined, [match('eu', [1_000])], 0);
  expect(addMatches(tally, [], 60_000)).toEqual(tally);
});
