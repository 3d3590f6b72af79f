import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planTick, type QueueRules } from '../../lib/policies/plan.ts';
import { meanSkill } from '../../lib/policies/policy.ts';
import { arrivalsFor, describeConformance, queues } from './conformance.ts';
import { somePolicies } from './some-policies.ts';

describeConformance({
  ...somePolicies,
  'expanding in steps': {
    policy: 'expanding',
    tolerance: 50,
    steps: [
      { waitSeconds: 10, tolerance: 150 },
      { waitSeconds: 20, tolerance: 400 },
    ],
  },
  'expanding linearly': { policy: 'expanding', tolerance: 20, growthPerSecond: 10, toleranceMax: 300 },
});

describe('expanding windows', () => {
  it('are mutual: every ticket of a game accepts all the others at its age', () => {
    const rules: QueueRules = {
      ...queues['2v2 with parties'],
      release: { policy: 'expanding', tolerance: 30, growthPerSecond: 5 },
    };
    fc.assert(
      fc.property(arrivalsFor(rules), (tickets) => {
        const nowMs = 60_000;
        for (const { ticketIds } of planTick({ rules, tickets, nowMs, timeouts: false }).matches) {
          const members = tickets.filter(({ ticketId }) => ticketIds.includes(ticketId));
          for (const ticket of members) {
            const tolerance = 30 + (5 * (nowMs - ticket.enqueuedAtMs)) / 1000;
            for (const other of members) {
              expect(Math.abs(meanSkill(other) - meanSkill(ticket))).toBeLessThanOrEqual(tolerance);
            }
          }
        }
      }),
      { numRuns: 50, seed: 7 },
    );
  });
});
