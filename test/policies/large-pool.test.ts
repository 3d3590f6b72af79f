import { describe, expect, it } from 'vitest';
import { planTick } from '../../lib/policies/plan.ts';
import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

const rules = {
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 1800,
} as const;

describe('a pool of hundreds of parties', () => {
  it('is matched over several ticks without a ticket in two games', () => {
    const arrivals = poissonArrivals(
      {
        population: {
          skills: { kind: 'normal', mean: 1500, standardDeviation: 350 },
          partyWeights: [75, 15, 5, 2, 3],
        },
        rate: { kind: 'constant', perSecond: 5 },
        players: 1500,
      },
      seededRandom(1),
    );
    const tickets = Array.from(arrivals, ({ ticket }) => ticket);
    const played = new Set<string>();
    for (const nowMs of [100_000, 200_000, 290_000]) {
      const waiting = tickets.filter(
        ({ ticketId, enqueuedAtMs }) => enqueuedAtMs <= nowMs && !played.has(ticketId),
      );
      for (const { ticketIds } of planTick({ rules, tickets: waiting, nowMs, reasons: false }).matches) {
        for (const ticketId of ticketIds) {
          expect(played.has(ticketId)).toBe(false);
          played.add(ticketId);
        }
      }
    }
    expect(played.size).toBeGreaterThan(600);
  });
});

describe('ten thousand solos', () => {
  it('are planned in one tick', () => {
    const arrivals = poissonArrivals(
      {
        population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } },
        rate: { kind: 'constant', perSecond: 100 },
        players: 10_000,
      },
      seededRandom(2),
    );
    const tickets = Array.from(arrivals, ({ ticket }) => ticket);
    expect(planTick({ rules, tickets, nowMs: 120_000 }).matches).toHaveLength(1000);
  });
});
