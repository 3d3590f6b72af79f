import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Game, Ticket } from '../../lib/engine/types.ts';
import { gameRulesOf, planTick, type QueueRules, type TickMemory } from '../../lib/policies/plan.ts';
import { sample } from '../long.ts';

export const queues: Record<string, Omit<QueueRules, 'release'>> = {
  '1v1': {
    teamSize: 1,
    imbalance: { alpha: 1, p: 1, q: 2 },
    tickSeconds: 2,
    timeoutSeconds: 40,
  },
  '2v2 with parties': {
    teamSize: 2,
    imbalance: { alpha: 1, p: 1, q: 2 },
    beta: 0.5,
    tickSeconds: 2,
    timeoutSeconds: 40,
  },
  '2v2 with roles and bots': {
    teamSize: 2,
    roles: { attack: 1, defence: 1 },
    imbalance: { alpha: 1, p: 'inf', q: 'inf' },
    tickSeconds: 5,
    timeoutSeconds: 40,
    fill: 'bots',
  },
  '1v1 in percentiles': {
    teamSize: 1,
    imbalance: { alpha: 2, p: 2, q: 1 },
    tickSeconds: 2,
    timeoutSeconds: 40,
    skillScale: 'percentile',
  },
  'three teams of 2 with parties': {
    teamSize: 2,
    teams: 3,
    imbalance: { alpha: 1, p: 1, q: 2 },
    tickSeconds: 4,
    timeoutSeconds: 40,
  },
  'one against a team that may start short, by preference': {
    teams: [
      { name: 'killer', size: 1 },
      { name: 'survivors', size: 3, minSize: 2 },
    ],
    short: { afterSeconds: 20, cost: 50 },
    imbalance: { alpha: 1, p: 1, q: 2 },
    beta: 0.5,
    tickSeconds: 4,
    timeoutSeconds: 40,
  },
  'two kinds of team with roles, and bots': {
    teams: [
      { name: 'red', size: 2, roles: { attack: 1, defence: 1 }, offset: 20 },
      { name: 'blue', size: 1, count: 2 },
    ],
    imbalance: { alpha: 1, p: 2, q: 2 },
    tickSeconds: 5,
    timeoutSeconds: 40,
    fill: 'bots',
  },
};

/** What every release policy does, in queues of several shapes. */
export function describeConformance(policies: Readonly<Record<string, QueueRules['release']>>): void {
  describe.each(Object.entries(policies))('policy %s', (_, release) => {
    describe.each(Object.entries(queues))('in a queue of %s', (_name, queue) => {
      const rules: QueueRules = { ...queue, release };
      const arrivals = arrivalsFor(rules);

      it('reports every ticket exactly once, with proved bounds, whatever the order of the tickets, and remembers in JSON', () => {
        fc.assert(
          fc.property(arrivals, (tickets) => {
            const nowMs = 60_000;
            const plan = planTick({ rules, tickets, nowMs });
            const places = [
              ...plan.matches.flatMap(({ ticketIds }) => ticketIds),
              ...plan.waiting.map(({ ticketId }) => ticketId),
              ...plan.timedOut,
            ];
            expect(places.toSorted()).toEqual(tickets.map(({ ticketId }) => ticketId).sort());
            for (const match of plan.matches) {
              expectPlayable(match, rules, tickets);
              expect(match.lowerBound).toBeLessThanOrEqual(match.priority);
              expect(match.optimal).toBe(match.lowerBound === match.priority);
            }
            for (const { reason } of plan.waiting) expect(reason).not.toBe('');
            expect(planTick({ rules, tickets: tickets.toReversed(), nowMs })).toEqual(plan);
            expect(JSON.parse(JSON.stringify(plan.memory))).toEqual(plan.memory);
          }),
          { numRuns: sample(12, 40), seed: 1 },
        );
      });

      it('matches or times out every ticket by its time-out', () => {
        fc.assert(
          fc.property(arrivals, (tickets) => {
            const { endedAtMs } = run(rules, tickets);
            expect([...endedAtMs.keys()].toSorted()).toEqual(tickets.map(({ ticketId }) => ticketId).sort());
            for (const { ticketId, enqueuedAtMs } of tickets) {
              const waitedMs = endedAtMs.get(ticketId)! - enqueuedAtMs;
              expect(waitedMs).toBeLessThan(1000 * (rules.timeoutSeconds + rules.tickSeconds));
            }
          }),
          { numRuns: sample(4, 20), seed: 2 },
        );
      });

      // A team that may start short allows other games later, and a better one may be held instead of this one.
      it.skipIf(queue.short !== undefined)(
        'still makes a game later that it would make now, if no ticket arrives',
        () => {
          fc.assert(
            fc.property(arrivals, fc.integer({ min: 1, max: 20_000 }), (tickets, laterMs) => {
              const nowMs = 60_000;
              const { memory } = planTick({ rules, tickets, nowMs: nowMs - 1000, reasons: false });
              const [game] = planTick({
                rules,
                tickets,
                nowMs,
                memory,
                timeouts: false,
                reasons: false,
              }).matches;
              fc.pre(game !== undefined);
              const alone = tickets.filter(({ ticketId }) => game.ticketIds.includes(ticketId));
              const at = (atMs: number) =>
                planTick({ rules, tickets: alone, nowMs: atMs, memory, timeouts: false, reasons: false })
                  .matches.length;
              if (at(nowMs) === 1) expect(at(nowMs + laterMs)).toBe(1);
            }),
            { numRuns: sample(10, 40), seed: 6 },
          );
        },
      );
    });
  });
}

/** Up to 24 tickets enqueued in the first 60 s, with parties, roles and sides as the queue allows. */
export function arrivalsFor(rules: QueueRules): fc.Arbitrary<Ticket[]> {
  const { teamSize, teams } = gameRulesOf(rules);
  const kinds = typeof teams === 'object' ? teams : [];
  const roles = rules.roles ?? kinds.find((kind) => kind.roles)?.roles;
  const player = fc.record({
    skill: fc.integer({ min: 0, max: 1000 }),
    roles:
      roles === undefined
        ? fc.constant(undefined)
        : fc.option(fc.subarray(Object.keys(roles), { minLength: 1 }), { nil: undefined }),
  });
  const sides =
    kinds.length === 0
      ? fc.constant(undefined)
      : fc.option(
          fc.subarray(
            kinds.map(({ name }) => name),
            { minLength: 1 },
          ),
          { nil: undefined },
        );
  const ticket = fc.record({
    enqueuedAtMs: fc.integer({ min: 0, max: 60_000 }),
    players: fc.array(player, { minLength: 1, maxLength: teamSize }),
    sides,
    split: fc.constantFrom(...(kinds.length > 0 ? [true, false, false] : [false])),
  });
  return fc.array(ticket, { maxLength: 24 }).map((tickets) =>
    tickets.map(({ enqueuedAtMs, players, sides: teams, split }, at) => ({
      ticketId: `t${at}`,
      enqueuedAtMs,
      players: players.map(({ skill, roles: accepted }, member) => ({
        playerId: `p${at}.${member}`,
        skill,
        ...(accepted === undefined ? {} : { roles: accepted }),
        ...(teams === undefined ? {} : { teams }),
      })),
      ...(split ? { split } : {}),
    })),
  );
}

function expectPlayable(match: Game, rules: QueueRules, tickets: readonly Ticket[]): void {
  const { teams = 2, teamSize, roles } = gameRulesOf(rules);
  const kinds = Array.isArray(teams)
    ? teams.flatMap((kind) => Array.from({ length: kind.count ?? 1 }, () => kind))
    : Array.from({ length: teams as number }, () => ({
        name: undefined,
        size: teamSize,
        minSize: undefined,
        roles,
      }));
  const byPlayer = new Map(
    tickets.flatMap(({ players }) => players.map((one) => [one.playerId, one] as const)),
  );
  const teamOf = new Map<string, number>();
  expect(match.teams).toHaveLength(kinds.length);
  match.teams.forEach((team, side) => {
    const { name, size, minSize = size, roles: seats } = kinds[side];
    expect(team.length).toBeLessThanOrEqual(size);
    expect(team.length).toBeGreaterThanOrEqual(minSize);
    for (const { playerId } of team) {
      const accepted = byPlayer.get(playerId)?.teams;
      if (accepted !== undefined && name !== undefined) expect(accepted).toContain(name);
    }
    for (const seat of team) {
      expect(teamOf.has(seat.playerId)).toBe(false);
      teamOf.set(seat.playerId, side);
      if (seat.bot) expect(rules.fill).toBe('bots');
    }
    if (seats !== undefined) {
      expect(team.map(({ role }) => role).toSorted()).toEqual(Object.keys(seats).toSorted());
    }
  });
  for (const ticketId of match.ticketIds) {
    const { players, split } = tickets.find((ticket) => ticket.ticketId === ticketId)!;
    const theirs = players.map(({ playerId }) => teamOf.get(playerId));
    expect(theirs).not.toContain(undefined);
    if (!split) expect(new Set(theirs).size).toBe(1);
  }
}

/** Ticks until every ticket has left. Each tick gets the memory of the previous one. */
function run(rules: QueueRules, tickets: readonly Ticket[]): { endedAtMs: Map<string, number> } {
  const endedAtMs = new Map<string, number>();
  let memory: TickMemory | undefined;
  for (
    let nowMs = 0;
    nowMs <= 60_000 + 1000 * (rules.timeoutSeconds + rules.tickSeconds);
    nowMs += 1000 * rules.tickSeconds
  ) {
    const waiting = tickets.filter(
      ({ ticketId, enqueuedAtMs }) => enqueuedAtMs <= nowMs && !endedAtMs.has(ticketId),
    );
    const plan = planTick({ rules, tickets: waiting, nowMs, memory, reasons: false });
    memory = plan.memory;
    for (const { ticketIds } of plan.matches)
      for (const ticketId of ticketIds) endedAtMs.set(ticketId, nowMs);
    for (const ticketId of plan.timedOut) endedAtMs.set(ticketId, nowMs);
  }
  return { endedAtMs };
}
