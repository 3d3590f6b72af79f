import { describe, expect, it } from 'vitest';
import type { PlayedMatch } from '../../../lib/ratings/replay.ts';
import { ExactFilter } from './exact-filter.ts';
import { oddsWorth } from './ratings-odds.ts';

it('the benchmark of odds runs, and nobody beats the best filter by much', () => {
  const rows = oddsWorth({ players: 60, matches: 600, seeds: 2, seed: 1, friends: true }).split('\n');
  expect(rows).toHaveLength(15);
  const lossOf = (name: string) => {
    const row = rows.find((one) => one.startsWith(`| ${name}`))!;
    return Number(row.split(' | ')[1]);
  };
  expect(lossOf('known true skills')).toBeLessThan(lossOf('best filter'));
  expect(lossOf('best filter')).toBeLessThan(lossOf('Thurstone–Mosteller, true parameters'));
  expect(lossOf('Thurstone–Mosteller, true parameters')).toBeLessThan(lossOf('a coin'));
  expect(lossOf('a coin')).toBeCloseTo(Math.LN2, 4);
});

describe('the best filter', () => {
  const model = { initial: { mean: 0, deviation: 1 }, beta: 1, drift: { perGame: 0, perDay: 0 } };
  const match = (teams: string[][], ranks = [1, 2]): PlayedMatch => ({
    teams: teams.map((team) => team.map((playerId) => ({ playerId, weight: 1 }))),
    ranks,
  });

  it('gives the odds that the integral over the skills has', () => {
    const filter = new ExactFilter(model, [['a', 'b', 'c', 'd']]);
    // By hand: the skills a − b = d with N(0, 2), noise N(0, 2). P(a wins) = 1/2, and P(a wins again | a won) is the chance that
    // two equally distributed normals of correlation 1/2 are both positive, doubled: 2 · (1/4 + asin(1/2)/2π) = 2/3.
    expect(filter.play(match([['a'], ['b']]))[0]).toBeCloseTo(1 / 2, 6);
    expect(filter.play(match([['a'], ['b']]))[0]).toBeCloseTo(2 / 3, 2);
  });

  it('remembers who was rated together', () => {
    const [together, apart] = [0, 1].map(() => new ExactFilter(model, [['a', 'b', 'c', 'd', 'e', 'f']]));
    const first = match([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    for (let i = 0; i < 5; i++) for (const filter of [together!, apart!]) filter.play(first);
    // What is known of the sum of a and b is more than what is known of each of them.
    const same = together!.play(first)[0];
    const other = apart!.play(
      match([
        ['a', 'e'],
        ['c', 'f'],
      ]),
    )[0];
    expect(same).toBeGreaterThan(other);
  });
});
