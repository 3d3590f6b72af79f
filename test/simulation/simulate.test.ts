import { describe, expect, it } from 'vitest';
import { reportPage } from '../../lib/cli/report/report.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { planTick, type TickMemory } from '../../lib/policies/plan.ts';
import { poissonArrivals, type RateProfile } from '../../lib/simulation/arrivals.ts';
import { Histogram } from '../../lib/simulation/histogram.ts';
import { play, playThrough } from '../../lib/simulation/play.ts';
import type { Population } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { TimeSeries } from '../../lib/simulation/time-series.ts';
import type { Traffic } from '../../lib/simulation/traffic.ts';
import { definition } from '../definition.ts';

const duel = definition({ release: { policy: 'option-value', waitCost: 2 }, timeoutSeconds: 120 });

const normal: Population = { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } };

function traffic(
  players: number,
  {
    population = normal,
    perSecond = 2,
    patienceSeconds,
    atEnd = 'drain',
  }: Partial<{
    population: Population;
    perSecond: number;
    patienceSeconds: number;
    atEnd: 'stop' | 'drain';
  }> = {},
): Traffic {
  const rate: RateProfile = { kind: 'constant', perSecond };
  return {
    atEnd,
    skillSample: [800, 1200, 1500, 1800, 2200],
    arrivals: {
      [Symbol.iterator]: () =>
        poissonArrivals({ population, rate, players, patienceSeconds }, seededRandom(11)),
    },
  };
}

const ofRoles = { ...duel, teamSize: 2, roles: { attack: 1, defence: 1 }, tickSeconds: 5 };

describe('a simulation', () => {
  it('accounts for every player', () => {
    const { measures } = playThrough(duel, traffic(801, { patienceSeconds: 60 }));
    const { matched, cancelled, timedOut, waiting } = measures.outcome;
    expect(matched + cancelled + timedOut + waiting).toBe(801);
    expect(waiting).toBe(0);
    expect(cancelled).toBeGreaterThan(0);
    expect(measures.matches * 2).toBe(matched);
  });

  it('stops at the last arrival when asked to', () => {
    const { measures } = playThrough(
      { ...duel, release: { policy: 'periodic', everySeconds: 3000 } },
      traffic(50, { atEnd: 'stop' }),
    );
    expect(measures.outcome.waiting).toBe(50);
  });

  it('has the mean wait of the theory: k solos in order of arrival wait (k − 1)/(2λ) plus half a tick', () => {
    const { measures } = playThrough(
      { ...duel, teamSize: 2, release: { policy: 'fifo' } },
      traffic(1500, { perSecond: 2, atEnd: 'stop' }),
    );
    expect(measures.waitSeconds.mean).toBeGreaterThan(0.75 + 0.5 - 0.05);
    expect(measures.waitSeconds.mean).toBeLessThan(0.75 + 0.5 + 0.05);
  });

  it('plans the ticks of a single bucket one after the other, each with the memory of the one before', () => {
    const arrivals = [...traffic(200).arrivals].map(({ ticket }) => ticket);
    const expected: string[] = [];
    let waiting: Ticket[] = [];
    let memory: TickMemory | undefined;
    for (let nowMs = 1000, next = 0; next < arrivals.length || waiting.length > 0; nowMs += 1000) {
      while (next < arrivals.length && arrivals[next].enqueuedAtMs <= nowMs) waiting.push(arrivals[next++]);
      if (waiting.length === 0) continue;
      const plan = planTick({ rules: duel, tickets: waiting, nowMs, memory });
      for (const { ticketIds } of plan.matches) expected.push(`${nowMs} ${ticketIds.join()}`);
      const left = new Set(plan.waiting.map(({ ticketId }) => ticketId));
      waiting = waiting.filter(({ ticketId }) => left.has(ticketId));
      memory = plan.memory;
    }
    const matches: string[] = [];
    const { steps } = play(duel, traffic(200), ({ ticketIds }, nowMs) =>
      matches.push(`${nowMs} ${ticketIds.join()}`),
    );
    for (const _ of steps);
    expect(matches).toEqual(expected);
  });

  it('reports waits by party size and role', () => {
    const population = {
      ...normal,
      partyWeights: [3, 1],
      roleWeights: { attack: 1, defence: 1 },
      roleFlexibility: 0,
    };
    const { measures } = playThrough(
      { ...ofRoles, release: { policy: 'greedy' } },
      traffic(200, { population }),
    );
    expect(measures.waitSecondsByPartySize.map(({ of }) => of)).toEqual(['1', '2']);
    expect(measures.waitSecondsByRole.map(({ of }) => of)).toEqual(['attack', 'defence']);
    const total = measures.waitSecondsByRole.reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(measures.players);
    expect(measures.outcome.matched).toBeLessThan(measures.players);
  });

  it('searches bucket by bucket and matches neighbours across an edge', () => {
    const tickets = [1490, 1510].map((skill, at) => ({
      ticket: { ticketId: `t${at}`, enqueuedAtMs: 0, players: [{ playerId: `p${at}`, skill }] },
      patienceMs: Number.POSITIVE_INFINITY,
    }));
    const definition = { ...duel, buckets: [1000, 1500, 2000] };
    const { measures } = playThrough(definition, {
      arrivals: tickets,
      skillSample: [1490, 1510],
      atEnd: 'drain',
    });
    expect(measures.outcome.matched).toBe(2);
  });

  it('warns when a short run leaves many players waiting, and not when it lasts five time-outs', () => {
    const slow: QueueDefinition = { ...duel, release: { policy: 'periodic', everySeconds: 60 } };
    const warningsOf = (players: number) => playThrough(slow, traffic(players, { atEnd: 'stop' })).warnings;
    expect(warningsOf(90).join()).toMatch(/still wait at the end of a run of [\d.]+ s\. .* 10 min at least/);
    expect(warningsOf(1250)).toEqual([]);
  });

  it('warns of roles that no policy can seat, and says how many flexible players are needed', () => {
    const population = { ...normal, roleWeights: { attack: 3, defence: 1 }, roleFlexibility: 0 };
    const { warnings } = playThrough(
      { ...ofRoles, release: { policy: 'fifo' } },
      traffic(150, { population }),
    );
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/accept only attack/);
  });
});

describe('arrivals', () => {
  it('follow the rate of a ramp, of a step and of a day', () => {
    const countIn = (rate: RateProfile, players: number, fromSeconds: number, toSeconds: number) => {
      let count = 0;
      for (const { ticket } of poissonArrivals({ population: normal, rate, players }, seededRandom(5))) {
        if (ticket.enqueuedAtMs >= 1000 * fromSeconds && ticket.enqueuedAtMs < 1000 * toSeconds) count++;
      }
      return count;
    };
    expect(countIn({ kind: 'ramp', from: 0, to: 10, seconds: 1000 }, 6000, 0, 500) / 1250).toBeCloseTo(
      1,
      0.5,
    );
    const step: RateProfile = { kind: 'step', from: 1, to: 10, seconds: 1000 };
    expect(countIn(step, 6000, 0, 1000) / 1000).toBeCloseTo(1, 0.5);
    expect(countIn(step, 6000, 1000, 1400) / 4000).toBeCloseTo(1, 1);
    // Ends soon, although the rates are far apart and the lower one lasts.
    for (const kind of ['step', 'ramp'] as const)
      for (const [from, to, seconds] of [
        [0, 1e3, 3e7],
        [1e-9, 1e3, 3e7],
        [1e6, 1e-9, 1e-6],
      ] as const)
        expect(countIn({ kind, from, to, seconds }, 3, 0, 1e12)).toBe(3);
    const night = countIn({ kind: 'day', night: 0.1, peak: 1 }, 30_000, 0, 3600);
    const noon = countIn({ kind: 'day', night: 0.1, peak: 1 }, 30_000, 41_400, 45_000);
    expect(night / 360).toBeGreaterThan(0.8);
    expect(night / 360).toBeLessThan(1.5);
    expect(noon / 3600).toBeGreaterThan(0.9);
    expect(noon / 3600).toBeLessThan(1.1);
  });
});

describe('a histogram', () => {
  it('finds quantiles within half a percent, and mean and maximum exactly', () => {
    const random = seededRandom(2);
    const values = Array.from({ length: 20_000 }, () => random.exponential(0.1));
    const histogram = new Histogram(0.001);
    for (const value of values) histogram.add(value);
    const sorted = values.toSorted((a, b) => a - b);
    const parts = [0.1, 0.5, 0.9, 0.99];
    histogram.quantiles(parts).forEach((quantile, at) => {
      const exact = sorted[Math.ceil(parts[at] * sorted.length) - 1];
      expect(Math.abs(quantile / exact - 1)).toBeLessThan(0.005);
    });
    expect(histogram.max).toBe(sorted.at(-1));
    expect(histogram.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 9);
  });
});

describe('a time series', () => {
  it('keeps at most 400 points and the mean over the time', () => {
    const series = new TimeSeries();
    for (let second = 0; second <= 10_000; second++) series.add(1000 * second, second);
    expect(series.points().length).toBeLessThanOrEqual(400);
    expect(series.mean).toBeCloseTo(5000.5, 6);
  });
});

describe('a report', () => {
  it('is one page without scripts or outside requests, with names escaped', () => {
    const run = { name: 'a & b', definition: duel, ...playThrough(duel, traffic(100)) };
    const page = reportPage('<b>', [{ title: 'duel', text: '', runs: [run] }]);
    expect(page).not.toMatch(/<script|<b>|@import|href=|src=/);
    expect(page).toContain('a &#38; b');
    expect(page.match(/<svg/g)!.length).toBe(3);
    expect(page).toContain('prefers-color-scheme: dark');
  });

  it('shows how often estimated waits came true, once there are some', () => {
    const told = /matched within their estimated p90<\/th><td>\d/;
    const pageOf = (players: number) => {
      const run = { name: 'duel', definition: duel, ...playThrough(duel, traffic(players)) };
      return reportPage('x', [{ title: 'duel', text: '', runs: [run, { ...run, name: 'again' }] }]);
    };
    expect(pageOf(400)).toMatch(told);
    expect(pageOf(20)).not.toMatch(told);
  });

  it('shows a dash, not a zero, for values that were not measured', () => {
    const nobodyMatched = playThrough(
      { ...duel, release: { policy: 'periodic', everySeconds: 3000 } },
      traffic(50, { atEnd: 'stop' }),
    );
    const run = { name: 'periodic', definition: duel, ...nobodyMatched };
    const page = reportPage('x', [{ title: 'duel', text: '', runs: [run, { ...run, name: 'again' }] }]);
    expect(page).toMatch(/mean imbalance, in skill<\/th><td>–<\/td>/);
    expect(page).not.toContain('NaN');
  });
});
