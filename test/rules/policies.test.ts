import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planTick, type QueueRules } from '../../lib/policies/plan.ts';
import type { ReleaseOptions } from '../../lib/vocabulary/release-options.ts';
import { normal, seeded } from '../engine/random-pool.ts';
import { VirtualClock } from '../engine/virtual-clock.ts';
import { oracleOf, type RuledCase } from './oracle.ts';
import { meetingsOf } from './oracle-run.ts';
import { policies } from './policies.ts';
import { randomRuledCase, randomShapedRuledCase } from './random-rules.ts';

function planOf(of: RuledCase, release: ReleaseOptions, timeoutSeconds: number) {
  const { alpha, p, q, beta, teamSize, teams, short, roles } = of.rules;
  const norm = (value: number) => (value === Number.POSITIVE_INFINITY ? 'inf' : value);
  const rules: QueueRules = {
    teamSize,
    teams,
    short,
    roles,
    imbalance: { alpha, p: norm(p), q: norm(q) },
    beta,
    release,
    tickSeconds: 2,
    timeoutSeconds,
    ...of.definition,
  };
  const input = { rules, tickets: of.tickets, nowMs: of.nowMs, meetings: meetingsOf(of) };
  return planTick({ ...input, timeouts: false, reasons: false });
}

describe.each(Object.entries(policies))('policy %s in a queue with rules', (name, release) => {
  it('releases only games that meet every rule with the limits of each of their tickets, and adds the costs', () => {
    let matches = 0;
    for (let seed = 1; seed <= 80; seed++) {
      const of = randomRuledCase(seeded(7000 + seed));
      let waiting = of.tickets;
      for (const match of planOf(of, release, 21).matches) {
        oracleOf(of).check(match, waiting);
        waiting = waiting.filter(({ ticketId }) => !match.ticketIds.includes(ticketId));
        matches++;
      }
    }
    expect(matches).toBeGreaterThan(30);
  });

  it('releases only permitted games of any shape, with their costs', () => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      const of = randomShapedRuledCase(seeded(9000 + seed));
      let waiting = of.tickets;
      for (const match of planOf(of, release, 21).matches) {
        oracleOf(of).check(match, waiting);
        waiting = waiting.filter(({ ticketId }) => !match.ticketIds.includes(ticketId));
        for (const { type } of of.definition.rules!) kinds.add(type);
      }
    }
    expect(kinds.size).toBeGreaterThan(8);
  });

  // These release every game that is possible when all tickets are at their last chance.
  const releasesAll = ['greedy', 'fifo', 'periodic by batch', 'option-value'];
  it.runIf(releasesAll.includes(name))(
    'leaves no game that its rules permit at the last chance of all tickets',
    () => {
      for (let seed = 1; seed <= 60; seed++) {
        const of = randomRuledCase(seeded(8000 + seed));
        const lastChance = { ...of, tickets: of.tickets.map((ticket) => ({ ...ticket, enqueuedAtMs: 0 })) };
        const plan = planOf(lastChance, release, 21);
        const left = lastChance.tickets.filter(({ ticketId }) =>
          plan.waiting.some((ticket) => ticket.ticketId === ticketId),
        );
        expect({ seed, games: oracleOf(lastChance).allGames(left) }).toEqual({ seed, games: [] });
      }
    },
  );
});

describe('a queue in which all players of a team are of one clan', () => {
  const clock = new VirtualClock();
  let end = () => {};
  beforeEach(() => {
    end = clock.install(false);
  });
  afterEach(() => end());

  it.each([5, 8])('finds all games of %i against as many in few steps', (teamSize) => {
    const random = seeded(7);
    const clans = Array.from({ length: 8 * teamSize }, (_, i) => `c${i % 4}`);
    const tickets = clans.map((clan, i) => ({
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: [{ playerId: `p${i}`, skill: Math.max(1, 1500 + 300 * normal(random)), attributes: { clan } }],
    }));
    clock.start(100_000);
    const plan = planTick({
      rules: {
        teamSize,
        attributes: { clan: { type: 'string' } },
        rules: [{ name: 'clan', type: 'same', attribute: 'clan', scope: 'team' }],
        imbalance: { alpha: 1, p: 1, q: 2 },
        release: { policy: 'greedy' },
        tickSeconds: 1,
        timeoutSeconds: 60,
      },
      tickets,
      nowMs: 0,
      outOfTime: clock.outOfTime,
    });
    expect(plan.matches).toHaveLength(4);
  });
});
