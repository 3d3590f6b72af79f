import { seededRandom } from 'muster/simulation';
import { describe, expect, test } from 'vitest';
import { type PartyRates, simulateCentralQueue, totalRate } from '../../../lib/papers/xu/central-queue.ts';
import {
  meanWaitCentral,
  printedVarianceFifo,
  printedVarianceLifo,
  varianceFifo,
  varianceLifo,
  varianceTwoQueues,
} from '../../../lib/papers/xu/closed-forms.ts';
import { simulateDriftingSides } from '../../../lib/papers/xu/drifting-sides.ts';
import { gapAbove, gapDistance } from '../../../lib/papers/xu/packing-gaps.ts';
import { printedSidesWait, sidesAreStable, sidesWaits, simulateSides } from '../../../lib/papers/xu/sides.ts';
import { reproduceXu } from '../../../lib/papers/xu/xu.ts';
import { simulateLinkedZones, zonesWaits, zonesWaitsByChance } from '../../../lib/papers/xu/zones.ts';

const MIXES: PartyRates[] = [
  { solos: 1, pairs: 1e-9 },
  { solos: 1, pairs: 1 },
  { solos: 0.3, pairs: 2 },
  { solos: 5, pairs: 0.7 },
];

/**
 * Mean and variance of the wait by following one player through the chain of figure 4: from each place in
 * the queue, the expected number N of further arrivals and the expected N(N + 1).
 */
const byFollowingOnePlayer = (order: 'fifo' | 'lifo', rates: PartyRates) => {
  const { solos, pairs } = rates;
  const events = solos + pairs;
  const p = solos / events;
  const r = pairs / events;
  interface Place {
    readonly solo: string;
    readonly pair: string;
  }
  // What happens to a solo, by the next arrival; 'out' is into a game.
  const places: Record<string, Place> = {
    alone: { solo: 'first of two', pair: 'with a pair' },
    'with a pair': { solo: 'out', pair: 'alone' },
    'first of two': { solo: 'first of three', pair: 'out' },
    'second of two': { solo: 'second of three', pair: 'out' },
    'first of three': { solo: 'out', pair: order === 'fifo' ? 'out' : 'alone' },
    'second of three': { solo: 'out', pair: 'out' },
    'third of three': { solo: 'out', pair: order === 'fifo' ? 'alone' : 'out' },
    'as a pair': { solo: 'as a pair with a solo', pair: 'out' },
    'as a pair with a solo': { solo: 'out', pair: 'out' },
  };
  const mean: Record<string, number> = { out: 0 };
  const square: Record<string, number> = { out: 0 };
  for (const name of Object.keys(places)) mean[name] = square[name] = 0;
  for (let sweep = 0; sweep < 4000; sweep++) {
    for (const [name, { solo, pair }] of Object.entries(places)) {
      mean[name] = 1 + p * mean[solo] + r * mean[pair];
      // (1 + N)(2 + N) = 2 + 2N + N(N + 1)
      square[name] = 2 + p * (2 * mean[solo] + square[solo]) + r * (2 * mean[pair] + square[pair]);
    }
  }
  const overPlayers = (value: Record<string, number>) => {
    // All counts 0 … 3 are equally likely; two are solos with probability p, three with p².
    const ofSolo =
      value.alone + value['second of two'] + p * value['third of three'] + r * value['with a pair'];
    const ofPair = value['as a pair'] + value['as a pair with a solo'];
    return (solos * (ofSolo / 4) + 2 * pairs * (ofPair / 4)) / totalRate(rates);
  };
  const wait = overPlayers(mean) / events;
  return { mean: wait, variance: overPlayers(square) / events ** 2 - wait ** 2 };
};

describe('one queue for 2v2', () => {
  test('the derived variances equal those of one player followed through the chain', () => {
    for (const rates of MIXES) {
      const fifo = byFollowingOnePlayer('fifo', rates);
      const lifo = byFollowingOnePlayer('lifo', rates);
      expect(fifo.mean).toBeCloseTo(meanWaitCentral(rates), 9);
      expect(lifo.mean).toBeCloseTo(meanWaitCentral(rates), 9);
      expect(varianceFifo(rates)).toBeCloseTo(fifo.variance, 9);
      expect(varianceLifo(rates)).toBeCloseTo(lifo.variance, 9);
    }
  });

  test('with solos alone every order has the variance of a queue of four, 11/4, where the paper has 5/4 and 7/4', () => {
    const rates = { solos: 1, pairs: 1e-9 };
    expect(varianceFifo(rates)).toBeCloseTo(11 / 4, 6);
    expect(varianceLifo(rates)).toBeCloseTo(11 / 4, 6);
    expect(printedVarianceFifo(rates)).toBeCloseTo(5 / 4, 6);
    expect(printedVarianceLifo(rates)).toBeCloseTo(7 / 4, 6);
  });

  test('two queues have a larger variance than one', () => {
    for (const rates of MIXES) expect(varianceTwoQueues(rates)).toBeGreaterThan(varianceLifo(rates));
  });

  test('FIFO and packing give every player the same wait', () => {
    const waits = (order: 'fifo' | 'packing' | 'lifo') =>
      simulateCentralQueue({ solos: 1, pairs: 1 }, order, 3000, 0, seededRandom(5)).variance.value;
    expect(waits('packing')).toBeCloseTo(waits('fifo'), 12);
    expect(waits('lifo')).toBeGreaterThan(waits('fifo'));
  });
});

describe('choosing sides', () => {
  test('(16) is the average of (13) to (15)', () => {
    for (const rates of [
      { a: 0.3, b: 0.4, c: 0.3 },
      { a: 1, b: 2, c: 3 },
    ]) {
      expect(printedSidesWait(rates)).toBeCloseTo(sidesWaits(rates).all, 12);
    }
  });

  test('the wait is unbounded when choice-free players do not outnumber the difference', () => {
    expect(sidesAreStable({ a: 0.5, b: 0.3, c: 0.2 })).toBe(false);
    expect(sidesWaits({ a: 0.5, b: 0.3, c: 0.2 }).b).toBe(Number.POSITIVE_INFINITY);
    const { waiting } = simulateSides({ a: 0.7, b: 0.2, c: 0.1 }, 10_000, seededRandom(1));
    expect(waiting).toBeGreaterThan(3500);
  });
});

describe('zones', () => {
  test('without choice-free players each zone is a queue of two', () => {
    const waits = zonesWaits({ a: 0.3, b: 0.7, c: 0 });
    expect(waits.a).toBeCloseTo(1 / (2 * 0.3), 12);
    expect(waits.b).toBeCloseTo(1 / (2 * 0.7), 12);
  });

  test('with choice-free players alone both zones are one queue of two', () => {
    expect(zonesWaits({ a: 0, b: 0, c: 2 }).c).toBeCloseTo(1 / 4, 12);
  });

  test('the mean wait of three mixes is within 1% of (22) when a choice-free player plays with either, by chance', () => {
    for (const rates of [
      { a: 0.6, b: 0.2, c: 0.2 },
      { a: 0.8, b: 0.15, c: 0.05 },
      { a: 0.2, b: 0.3, c: 0.5 },
    ]) {
      const { all } = zonesWaits(rates);
      expect(Math.abs(zonesWaitsByChance(rates).all - all)).toBeLessThan(0.01 * all);
    }
    // With equal zones nobody gains by who is first.
    const equal = { a: 0.4, b: 0.4, c: 0.2 };
    expect(zonesWaitsByChance(equal).b).toBeCloseTo(zonesWaits(equal).b, 12);
  });

  test('tickets in two queues of the simulator have these waits', () => {
    const rates = { a: 0.6, b: 0.2, c: 0.2 };
    const expected = zonesWaitsByChance(rates);
    const measured = simulateLinkedZones(rates, 6000, seededRandom(2));
    for (const kind of ['a', 'b', 'c', 'all'] as const) {
      const { value, standardError = 0 } = measured[kind].mean;
      expect(Math.abs(value - expected[kind]), kind).toBeLessThan(3 * standardError);
      expect(standardError, kind).toBeLessThan(0.08 * expected[kind]);
    }
  });
});

test('reproduces the paper of Xu, Yu and Wu', () => {
  const { sections, verdict } = reproduceXu({ seed: 3, players: 20_000 });
  expect(
    sections.flatMap(({ findings }) => findings).filter((finding) => finding.verdict === 'fails'),
  ).toEqual([]);
  expect(verdict).toBe('holds');
});

describe('the 1v1 approximation', () => {
  test('has packages at half the rate of players, at Poisson times when all players come as pairs', () => {
    const rates = { solos: 0.6, pairs: 0.2 };
    let mean = 0;
    for (let time = 0.005; time < 60; time += 0.01) mean += 0.01 * gapAbove(rates, time);
    expect(mean).toBeCloseTo(2 / totalRate(rates), 3);
    expect(gapDistance({ solos: 1e-12, pairs: 0.5 })).toBeLessThan(1e-9);
    expect(gapDistance(rates)).toBeGreaterThan(0.03);
  });
});

test('a rule that follows drifting preferences keeps few players waiting where a fixed one does not', () => {
  const drift = { mean: { a: 0.4, b: 0.4, c: 0.2 }, swing: 0.3, period: 10_000 };
  const fixed = simulateDriftingSides(drift, 'fixed', 20_000, seededRandom(1));
  const adaptive = simulateDriftingSides(drift, 'adaptive', 20_000, seededRandom(1));
  expect(fixed.refused).toBe(0);
  expect(fixed.waitingMost).toBeGreaterThan(500);
  expect(adaptive.waitingMost).toBeLessThan(200);
  expect(adaptive.refused).toBeLessThan(0.2);
});
