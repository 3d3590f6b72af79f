import { describe, expect, it } from 'vitest';
import {
  CONTEST,
  fitOf,
  pairsOfFilter,
  playContests,
  variancesAt,
} from '../../../../lib/research/papers/elo-mmr/contest.ts';
import { reproduceEloMmr } from '../../../../lib/research/papers/elo-mmr/elo-mmr.ts';
import { seededRandom } from '../../../../lib/simulation/random.ts';

describe('contests of many players', () => {
  it('are fitted by their own order, and half by one that says nothing of them', () => {
    const performances = Float64Array.from([5, 3, 9, 1]);
    expect(fitOf(performances, performances)).toEqual({ pairs: 100, ranks: 0 });
    expect(
      fitOf(
        performances.map((one) => -one),
        performances,
      ),
    ).toEqual({ pairs: 0, ranks: (100 * 8) / 12 });
    // By hand: 9 and 5 change places, so one pair of six is wrong and two ranks are off by one.
    expect(fitOf(Float64Array.from([9, 3, 5, 1]), performances)).toEqual({
      pairs: (100 * 5) / 6,
      ranks: (100 * 2) / 12,
    });
  });

  it.each([
    ['grows', 350 ** 2 + 49 * 35 ** 2],
    ['stays', 350 ** 2],
  ] as const)('have skills whose variance %s as the closed form has it', (spread, expected) => {
    expect(variancesAt(49, spread).all).toBeCloseTo(expected, 6);
    let last = 0;
    playContests(20_000, spread, seededRandom(1), (round, skills) => {
      if (round === 49) last = skills.reduce((sum, skill) => sum + (skill - CONTEST.mean) ** 2, 0) / 20_000;
    });
    // The variance of 20,000 normals has a relative error of 1%.
    expect(last / expected).toBeGreaterThan(0.96);
    expect(last / expected).toBeLessThan(1.04);
  });

  it('are guessed before the first round, and better later', () => {
    expect(pairsOfFilter(0, 'stays')).toBe(50);
    expect(pairsOfFilter(1, 'stays')).toBeLessThan(pairsOfFilter(6, 'stays'));
  });

  it('reproduce the figures that are printed, once the text is read otherwise', () => {
    const { sections, verdict } = reproduceEloMmr({ players: 100_000, seed: 2017 });
    expect(sections.map(({ findings }) => findings.map((one) => one.verdict))).toEqual([
      ['corrected', 'holds', 'holds'],
      ['holds', 'holds', 'holds', 'holds'],
    ]);
    expect(verdict).toBe('holds');
  });
});
