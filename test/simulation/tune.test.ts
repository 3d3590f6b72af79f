import { describe, expect, it } from 'vitest';
import { playersWithin, poissonArrivals } from '../../lib/simulation/arrivals.ts';
import { playThrough } from '../../lib/simulation/play.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { generatedTraffic } from '../../lib/simulation/traffic.ts';
import {
  isMeasured,
  MATCHES_MIN,
  nearest,
  pick,
  pointOf,
  type TunePoint,
} from '../../lib/simulation/tune.ts';
import { definition } from '../definition.ts';

const arena = definition({
  name: 'arena',
  teamSize: 5,
  release: { policy: 'option-value', waitCost: 1 },
  timeoutSeconds: 180,
});
const population = { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } } as const;

const point = (values: Partial<TunePoint>): TunePoint => ({
  release: { policy: 'greedy' },
  matches: 1000,
  seconds: 900,
  waitMean: 10,
  waitP99: 30,
  waitMax: 60,
  imbalanceMean: 20,
  imbalanceP90: 40,
  timedOut: 0,
  cancelled: 0,
  onFront: false,
  ...values,
});

describe('a point', () => {
  const tried = (everySeconds: number) => {
    const release = { policy: 'periodic', everySeconds } as const;
    // 50 virtual seconds: no period of a minute ends in them.
    const rate = { kind: 'constant', perSecond: 20 } as const;
    const traffic = generatedTraffic({ population, rate, players: 1000 }, 1);
    return pointOf({ release }, playThrough({ ...arena, release }, traffic).measures);
  };

  it('counts players waiting at the end with their age, so that a run without matches has no short wait', () => {
    const { matches, waitMean, waitP99, waitMax } = tried(60);
    expect(matches).toBe(0);
    expect(waitMean).toBeGreaterThan(20);
    expect(waitP99).toBeGreaterThan(45);
    expect(waitMax).toBeGreaterThan(49);
  });

  it('has the share of the players who cancelled', () => {
    const rate = { kind: 'constant', perSecond: 1 } as const;
    const traffic = generatedTraffic({ population, rate, players: 200, patienceSeconds: 5 }, 1);
    const { measures } = playThrough(arena, traffic);
    const { cancelled } = pointOf({ release: arena.release }, measures);
    expect(cancelled).toBe(measures.outcome.cancelled / 200);
    expect(cancelled).toBeGreaterThan(0.5);
  });

  it(`is none with fewer than ${MATCHES_MIN} matches`, () => {
    expect(isMeasured(tried(60))).toBe(false);
    expect(isMeasured(point({ matches: MATCHES_MIN - 1 }))).toBe(false);
    expect(isMeasured(point({ matches: MATCHES_MIN }))).toBe(true);
  });
});

describe('targets', () => {
  const hasty = point({ waitP99: 10, waitMean: 3, imbalanceMean: 80, imbalanceP90: 160 });
  const middle = point({ waitP99: 30, waitMean: 10, imbalanceMean: 40, imbalanceP90: 80 });
  const patient = point({ waitP99: 90, waitMean: 30, imbalanceMean: 20, imbalanceP90: 40 });
  const all = [hasty, middle, patient];

  it('for the wait pick the least imbalance; targets for the imbalance alone pick the least wait', () => {
    expect(pick(all, { waitP99Max: 40 })).toBe(middle);
    expect(pick(all, { imbalanceMeanMax: 40 })).toBe(middle);
    expect(pick(all, { waitMeanMax: 30, imbalanceP90Max: 50 })).toBe(patient);
    expect(pick(all, { waitMeanMax: 5, imbalanceP90Max: 50 })).toBeUndefined();
  });

  it('exclude settings that time out more than 1 % of the players, by default', () => {
    const losing = point({ ...middle, timedOut: 0.02 });
    expect(pick([losing], { waitP99Max: 40 })).toBeUndefined();
    expect(pick([losing], { waitP99Max: 40, timedOutMax: 0.05 })).toBe(losing);
  });

  it('exclude settings under which more players cancel than under the best setting, by default', () => {
    const prompt = point({ ...hasty, cancelled: 0.2 });
    const slow = point({ ...middle, cancelled: 0.8 });
    expect(pick([prompt, slow], { waitP99Max: 40 })).toBe(prompt);
    expect(pick([prompt, slow], { waitP99Max: 40, cancelledMax: 0.9 })).toBe(slow);
    expect(nearest([prompt, slow], { waitP99Max: 5, cancelledMax: 0.1 })?.missed).toEqual([
      { target: 'waitP99Max', limit: 5, value: 10 },
      { target: 'cancelledMax', limit: 0.1, value: 0.2 },
    ]);
  });

  it('that no setting meets report the nearest setting and the targets it misses', () => {
    expect(nearest(all, { waitP99Max: 20, imbalanceMeanMax: 38 })).toEqual({
      point: middle,
      missed: [
        { target: 'waitP99Max', limit: 20, value: 30 },
        { target: 'imbalanceMeanMax', limit: 38, value: 40 },
      ],
    });
    const losing = point({ ...hasty, timedOut: 0.02 });
    expect(nearest([losing], { waitP99Max: 20 })?.missed).toEqual([
      { target: 'timedOutMax', limit: 0.01, value: 0.02 },
    ]);
    expect(nearest([], { waitP99Max: 20 })).toBeUndefined();
  });
});

describe('the players expected within a time', () => {
  it.each([
    { kind: 'constant', perSecond: 3 },
    { kind: 'ramp', from: 0, to: 10, seconds: 1000 },
    { kind: 'ramp', from: 8, to: 2, seconds: 4000 },
    { kind: 'step', from: 8, to: 2, seconds: 1500 },
    { kind: 'day', night: 0.2, peak: 5 },
  ] as const)('match the players generated: %j', (rate) => {
    const seconds = 2500;
    let came = 0;
    for (const { ticket } of poissonArrivals({ population, rate, players: 100_000 }, seededRandom(3))) {
      if (ticket.enqueuedAtMs > 1000 * seconds) break;
      came++;
    }
    const expected = playersWithin(rate, seconds);
    expect(Math.abs(came - expected)).toBeLessThan(4 * Math.sqrt(expected));
  });
});
