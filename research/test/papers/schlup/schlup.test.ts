import { expect, test } from 'vitest';
import {
  bestPeriodPlayers,
  bestRanges,
  errorBound,
  greedyCost,
  greedyCostWithTimeOuts,
  multiQueueCost,
  periodicCost,
  printedErrorBound,
} from '../../../lib/papers/schlup/formulas.ts';
import { formulaSections, mixedSections } from '../../../lib/papers/schlup/schlup.ts';

const PAIRS = { players: 2, criteria: 1, longestWait: 5 };

test('the formulas give the figures of the examples in the text', () => {
  expect(periodicCost(PAIRS, 10, 8)).toBeCloseTo(0.362, 3);
  expect(multiQueueCost(PAIRS, 10, [6])).toBeCloseTo(0.231, 3);
  expect(bestPeriodPlayers(PAIRS, 10)).toBeCloseTo(9, 12);
  expect(bestRanges(PAIRS, 10)).toBeCloseTo(5.77, 2);
});

test('the formulas for one period of k players and for one queue equal that of A_G', () => {
  for (const players of [2, 5]) {
    const setting = { ...PAIRS, players };
    expect(periodicCost(setting, 3, players)).toBeCloseTo(greedyCost(setting, 3), 12);
    expect(multiQueueCost(setting, 3, [1])).toBeCloseTo(greedyCost(setting, 3), 12);
    expect(greedyCostWithTimeOuts(setting, 100)).toBeCloseTo(greedyCost(setting, 100), 12);
  }
});

test('a player without a partner costs 4', () => {
  expect(greedyCostWithTimeOuts(PAIRS, 1e-9)).toBeCloseTo(4, 6);
});

test('reproduces the closed forms with few players', () => {
  const formulas = formulaSections({ seed: 3, players: 20_000 }).flatMap(({ findings }) => findings);
  expect(formulas.length).toBeGreaterThan(30);
  expect(formulas.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
});

test('the printed bound on the error of (2) is exceeded, and 2k times the share of filled games is not', () => {
  const four = { ...PAIRS, players: 4 };
  const error = Math.abs(greedyCostWithTimeOuts(four, 0.2) - greedyCost(four, 0.2));
  expect(error / greedyCost(four, 0.2)).toBeGreaterThan(printedErrorBound(four, 0.2));
  expect(error).toBeLessThan(errorBound(four, 0.2));
});

test('compares policies on fitted and on other workloads, with and without computer players', () => {
  const sections = mixedSections({ seed: 3, players: 10_000 }, 1);
  expect(sections).toHaveLength(2);
  for (const { findings } of sections) {
    expect(findings).toHaveLength(6);
    for (const { ours } of findings) {
      expect(ours).toBeGreaterThan(1);
      expect(ours).toBeLessThan(2);
    }
  }
});
