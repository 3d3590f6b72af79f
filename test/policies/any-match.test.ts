import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import { planTick, type QueueRules } from '../../lib/policies/plan.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';

const NOW_MS = 600_000;

const queue = (changes: Partial<QueueRules>): QueueRules => ({
  teamSize: 2,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 300,
  ...changes,
});
const solo = (ticketId: string, waitSeconds: number, player: Partial<RuledPlayer>): Ticket => ({
  ticketId,
  enqueuedAtMs: NOW_MS - 1000 * waitSeconds,
  players: [{ playerId: ticketId, skill: 1500, ...player } as RuledPlayer],
});
const matchesOf = (rules: QueueRules, tickets: readonly Ticket[]) =>
  planTick({ rules, tickets, nowMs: NOW_MS }).matches;

/** Situations in which other matchmakers give poor matches or none. */
describe('a match of a queue', () => {
  it('of 50 players has those of like skill, in whatever order they came', () => {
    const tickets = Array.from({ length: 200 }, (_, i) =>
      solo(`t${String(i).padStart(3, '0')}`, 200 - i, { skill: (i % 4) * 1000 + (i >> 2) }),
    );
    const matches = matchesOf(queue({ teamSize: 25 }), tickets);
    expect(matches).toHaveLength(4);
    const ofTicket = new Map(tickets.map(({ ticketId, players }) => [ticketId, players[0]!.skill]));
    for (const { ticketIds, teams, teamGap } of matches) {
      expect(teams.map((team) => team.length)).toEqual([25, 25]);
      expect(new Set(ticketIds.map((id) => Math.floor(ofTicket.get(id)! / 1000))).size).toBe(1);
      expect(teamGap).toBeLessThan(5);
    }
  });

  it('is made with the limits that its tickets have reached, although new tickets come all the time', () => {
    const rules = queue({
      attributes: { level: { type: 'number' } },
      rules: [
        { name: 'Level', type: 'within', attribute: 'level', max: 5, relax: [{ waitSeconds: 30, max: 60 }] },
      ],
    });
    const old = [0, 20, 40, 60].map((level) => solo(`old-${level}`, 40, { attributes: { level } }));
    const late = [10, 25, 50].map((level) => solo(`late-${level}`, 1, { attributes: { level } }));
    const [match, ...others] = matchesOf(rules, [...old, ...late]);
    expect(others).toEqual([]);
    expect(match?.ticketIds.toSorted()).toEqual(old.map(({ ticketId }) => ticketId).sort());
    // A new ticket is not drawn into the wide match of the others.
    expect(matchesOf(rules, [...old.slice(1), ...late])).toEqual([]);
  });

  it('has the players that a rule counts, although many others are nearer in skill', () => {
    const rules = queue({
      attributes: { job: { type: 'string', values: ['medic', 'other'] } },
      rules: [{ name: 'Medics', type: 'count', attribute: 'job', value: 'medic', atLeast: 2 }],
    });
    const others = Array.from({ length: 100 }, (_, i) =>
      solo(`t${i}`, 5, { skill: 1500 + i / 10, attributes: { job: 'other' } }),
    );
    const medics = [100, 9000].map((skill) =>
      solo(`medic-${skill}`, 5, { skill, attributes: { job: 'medic' } }),
    );
    const matches = matchesOf(rules, [...others, ...medics]);
    expect(matches).toHaveLength(1);
    expect(matches[0]!.ticketIds).toEqual(expect.arrayContaining(['medic-100', 'medic-9000']));
    const plan = planTick({ rules, tickets: [...others.slice(0, 20), medics[0]!], nowMs: NOW_MS });
    expect(plan.matches).toEqual([]);
    for (const { reason } of plan.waiting) expect(reason).toMatch('Medics');
  });
});
