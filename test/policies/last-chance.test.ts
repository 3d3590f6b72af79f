import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LimitedSearch } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';
import { planTick, type QueueRules, type TickPlan } from '../../lib/policies/plan.ts';
import { useCode } from '../../lib/rules/custom/code.ts';
import type { Meetings } from '../../lib/rules/met.ts';
import { RULE_TYPES, type RulesDefinition } from '../../lib/rules/rule-types.ts';
import { allGames } from '../engine/oracle.ts';
import { normal, randomCase, seeded } from '../engine/random-pool.ts';
import { shapeCase } from '../engine/random-shape.ts';
import { sample } from '../long.ts';
import { studio } from '../rules/by-type/custom.ts';
import { oracleOf, type RuledCase } from '../rules/oracle.ts';
import { meetingsOf } from '../rules/oracle-run.ts';
import { randomRuledCase, randomShapedRuledCase } from '../rules/random-rules.ts';

/** A pool at `nowMs`, and whether a ticket is in some game of these tickets. */
interface Case {
  readonly rules: GameRules;
  readonly definition?: RulesDefinition;
  readonly meetings?: Meetings;
  readonly tickets: readonly Ticket[];
  hasGame(ticketId: string, tickets: readonly Ticket[]): boolean;
}

const NOW_MS = 20_000;
/** Tickets that were enqueued by then are at their last chance. */
const LAST_MS = 2000;

/** Both make a ticket of 18 s or more get a game at a tick every 2 s. */
const bounds = {
  'the time-out': { timeoutSeconds: 21, longestWaitSeconds: undefined },
  longestWaitSeconds: { timeoutSeconds: 300, longestWaitSeconds: 19 },
};

const cases: Record<string, (random: () => number) => Case> = {
  'two teams of any roles and parties': (random) =>
    plain(randomCase(random, { maxPlayers: 10, teamSizes: [1, 2, 3] })),
  'solo players of whom some are in two tickets': (random) =>
    plain(randomCase(random, { maxPlayers: 9, teamSizes: [1, 2], plain: true }), random),
  'any shape': (random) => plain(shapeCase(random)),
  'two teams under rules': (random) => ruled(randomRuledCase(random, { more: true })),
  "two teams under rules and a studio's code": (random) =>
    ruled(randomRuledCase(random, { more: true, customs: 1 })),
  'any shape under rules': (random) => ruled(randomShapedRuledCase(random, true)),
};

beforeAll(() => useCode(studio));
afterAll(() => useCode(undefined));

describe.each(Object.entries(bounds))('at the last chance before %s', (_, bound) => {
  it.each(Object.entries(cases))('a ticket gets a game if there is one, in %s', (_, make) => {
    const random = seeded(11);
    let possible = 0;
    for (let round = 0; round < sample(25, 400); round++) {
      const of = make(random);
      const only = Math.floor(random() * of.tickets.length);
      const tickets = of.tickets.map((ticket, at) => ({
        ...ticket,
        enqueuedAtMs: at === only ? 0 : Math.max(LAST_MS + 1000, Math.min(ticket.enqueuedAtMs, NOW_MS)),
      }));
      const { ticketId } = tickets[only]!;
      const plan = planOf({ ...of, tickets }, bound);
      const isMatched = plan.matches.some(({ ticketIds }) => ticketIds.includes(ticketId));
      expect({ round, isMatched, missed: plan.missedLastChances }).toEqual({
        round,
        isMatched: of.hasGame(ticketId, tickets),
        missed: 0,
      });
      if (isMatched) possible++;
    }
    expect(possible).toBeGreaterThan(sample(4, 80));
  });

  it.each(Object.entries(cases))('no game is left for any of several tickets, in %s', (_, make) => {
    const random = seeded(15);
    let games = 0;
    let fillings = 0;
    for (let round = 0; round < sample(20, 300); round++) {
      const of = make(random);
      const tickets = of.tickets.map((ticket) => ({
        ...ticket,
        enqueuedAtMs:
          random() < 0.5 ? LAST_MS : Math.max(LAST_MS + 1000, Math.min(ticket.enqueuedAtMs, NOW_MS)),
      }));
      // In every other round the players of one ticket are in a running match, which takes others in.
      const host = round % 2 === 0 ? undefined : tickets.shift();
      const plan = planOf({ ...of, tickets }, bound, host);
      fillings += plan.fillings.length;
      games += plan.matches.length;
      const waiting = new Set(plan.waiting.map(({ ticketId }) => ticketId));
      const left = tickets.filter(({ ticketId }) => waiting.has(ticketId));
      const missed = left.filter(
        ({ ticketId, enqueuedAtMs }) => enqueuedAtMs === LAST_MS && of.hasGame(ticketId, left),
      );
      expect({ round, missed }).toEqual({ round, missed: [] });
    }
    expect(games).toBeGreaterThan(sample(4, 80));
    expect(fillings).toBeGreaterThan(0);
  });
});

it('is asked under rules of every type', () => {
  const random = seeded(11);
  const types = new Set<string>();
  for (let round = 0; round < 100; round++)
    for (const { type } of randomRuledCase(random, { more: true, customs: 1 }).definition.rules ?? [])
      types.add(type);
  expect([...types].sort()).toEqual(Object.keys(RULE_TYPES).sort());
});

describe.each(Object.entries(bounds))('at the last chance before %s in a large pool', (_, bound) => {
  it.each([
    ['9v9 with parties', { teamSize: 9 }, 120, true, {}],
    ['3 teams of 7 with parties', { teamSize: 7, teams: 3 }, 150, true, {}],
    ['1v4 with sides', { teams: sides }, 60, false, {}],
    ['20 squads of 3 with parties', { teamSize: 3, teams: 20 }, 300, true, {}],
    ['2 teams of 100', { teamSize: 100 }, 450, false, {}],
    ['2 teams of 100 with parties under a rule', { teamSize: 100 }, 900, true, regions],
    ['9v9 with parties under a rule', { teamSize: 9 }, 240, true, regions],
    ['5v5 with roles and parties', { teamSize: 5, roles: { tank: 1, healer: 1, damage: 3 } }, 120, true, {}],
  ] as const)(
    'every ticket of two gets a game, or is counted, in %s',
    (_, shape, count, hasParties, definition) => {
      const random = seeded(13);
      const tickets = Array.from({ length: count }, (_, i) => ticketOf(random, i, shape, hasParties));
      const { longestWaitSeconds, timeoutSeconds } = bound;
      const release = { ...queue.release, ...(longestWaitSeconds && { longestWaitSeconds }) };
      const plan = planTick({
        rules: { ...shape, ...definition, ...queue, release, timeoutSeconds },
        tickets,
        nowMs: NOW_MS,
        reasons: false,
      });
      const matched = new Set(plan.matches.flatMap(({ ticketIds }) => ticketIds));
      expect(tickets.slice(0, 2).filter(({ ticketId }) => !matched.has(ticketId))).toEqual([]);
      expect(plan.missedLastChances).toBe(0);
    },
  );
});

describe('at the last chance in a large pool', () => {
  it('tickets are counted that the time of the tick was too short for', () => {
    const random = seeded(14);
    const shape = { teamSize: 5, roles: { tank: 1, healer: 1, damage: 3 } };
    const tickets = Array.from({ length: 60 }, (_, i) => ticketOf(random, i, shape, false));
    const rules = { ...shape, ...queue, timeoutSeconds: 21 };
    const plan = planTick({ rules, tickets, nowMs: NOW_MS, reasons: false, outOfTime: () => true });
    expect(plan.matches).toEqual([]);
    expect(plan.missedLastChances).toBe(2);
  });

  it.each([
    ['parties under a rule', true, regions],
    ['solo players', false, {}],
  ])(
    'no ticket is left uncounted when the time ends at any look at the clock, %s',
    (_, hasParties, definition) => {
      const random = seeded(16);
      const shape = { teamSize: 3 };
      const tickets = Array.from({ length: 18 }, (_, i) => ticketOf(random, i, shape, hasParties));
      const rules = { ...shape, ...definition, ...queue, timeoutSeconds: 21 };
      const planAfter = (looks: number) => {
        let looked = 0;
        const outOfTime = () => ++looked > looks;
        const plan = planTick({ rules, tickets, nowMs: NOW_MS, reasons: false, outOfTime });
        const matched = new Set(plan.matches.flatMap(({ ticketIds }) => ticketIds));
        const left = tickets.slice(0, 2).filter(({ ticketId }) => !matched.has(ticketId));
        return { looked, left: left.length, missed: plan.missedLastChances };
      };
      const all = planAfter(Number.POSITIVE_INFINITY);
      expect(all).toMatchObject({ left: 0, missed: 0 });
      expect(all.looked).toBeGreaterThan(10);
      for (let looks = 0; looks < all.looked; looks++) {
        const { left, missed } = planAfter(looks);
        expect({ looks, missed }).toEqual({ looks, missed: left });
      }
    },
  );

  it('the players of all seats are counted once as long as no ticket leaves, and not after the time', () => {
    const random = seeded(17);
    const shape = { teamSize: 5, roles: { tank: 1, healer: 1, damage: 3 } };
    const tickets = Array.from({ length: 60 }, (_, i) => {
      const ticket = ticketOf(random, i, shape, false);
      const players = ticket.players.map((player) => ({ ...player, roles: ['tank', 'damage'] }));
      return { ...ticket, enqueuedAtMs: LAST_MS, players };
    });
    const rules = { ...shape, ...queue, timeoutSeconds: 21 };
    const canFill = vi.spyOn(LimitedSearch.prototype, 'canFill');
    onTestFinished(() => canFill.mockRestore());
    planTick({ rules, tickets, nowMs: NOW_MS, reasons: false });
    expect(canFill).toHaveBeenCalledOnce();
    planTick({ rules, tickets, nowMs: NOW_MS, reasons: false, outOfTime: () => true });
    expect(canFill).toHaveBeenCalledOnce();
  });
});

it.each([1, 2, 3])(
  'a bot fills no game of a ticket at its last chance, which gets one with people, in %s teams',
  (teams) => {
    const solo = (ticketId: string, skill: number, enqueuedAtMs: number) => ({
      ticketId,
      enqueuedAtMs,
      players: [{ playerId: ticketId, skill }],
    });
    const others = Array.from({ length: 12 }, (_, i) => solo(`t${i}`, 1500 + 10 * i, 15_000));
    const tickets = [solo('late', 900, -1000), solo('last', 3000, LAST_MS), ...others];
    const rules = { teamSize: 2, teams, ...queue, timeoutSeconds: 21, fill: 'bots' } as const;
    const plan = planTick({ rules, tickets, nowMs: NOW_MS });
    const game = plan.matches.find(({ ticketIds }) => ticketIds.includes('last'));
    expect(game?.ticketIds).toHaveLength(2 * teams);
  },
);

const queue = {
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 1e-6 },
  tickSeconds: 2,
} as const;

const regions: Pick<RulesDefinition, 'attributes' | 'rules'> = {
  attributes: { mode: { type: 'string' } },
  rules: [{ name: 'Mode', type: 'same', attribute: 'mode' }],
};

const sides = [
  { name: 'killer', size: 1 },
  { name: 'survivors', size: 4 },
];

/** The first two are at their last chance, far from the others. */
function ticketOf(
  random: () => number,
  at: number,
  { teams, roles }: { readonly teamSize?: number; readonly teams?: unknown; readonly roles?: object },
  hasParties: boolean,
): Ticket {
  const isLast = at < 2;
  const size = hasParties && !isLast && random() < 0.4 ? 2 + Math.floor(2 * random()) : 1;
  const centre = isLast ? 3000 + 1000 * at : 1500 + 300 * normal(random);
  const mode = random() < 0.5 ? 'x' : 'y';
  return {
    ticketId: `t${at}`,
    enqueuedAtMs: isLast ? LAST_MS : 15_000,
    players: Array.from({ length: size }, (_, i) => ({
      playerId: `t${at}.${i}`,
      skill: Math.max(0, centre + 30 * normal(random)),
      attributes: { mode },
      ...(Array.isArray(teams) && { teams: [random() < 0.3 ? 'killer' : 'survivors'] }),
      ...(roles && { roles: Object.keys(roles).filter((_, r) => r === (at + i) % 3 || random() < 0.4) }),
    })),
  };
}

function plain(
  { rules, tickets }: { readonly rules: GameRules; readonly tickets: readonly Ticket[] },
  sharing?: () => number,
): Case {
  const shared = tickets.map((ticket, at) => {
    if (!sharing || at === 0 || sharing() < 0.6) return ticket;
    return {
      ...ticket,
      players: ticket.players.with(0, {
        ...ticket.players[0]!,
        playerId: tickets[at - 1]!.players[0]!.playerId,
      }),
    };
  });
  const forbids = (a: Ticket, b: Ticket) =>
    a.players.some(({ playerId }) => b.players.some((other) => other.playerId === playerId))
      ? 'shared'
      : undefined;
  return {
    rules,
    tickets: shared,
    hasGame: (ticketId, of) =>
      allGames(of, rules, NOW_MS, sharing && forbids, undefined, ticketId).length > 0,
  };
}

function ruled(of: RuledCase): Case {
  return {
    rules: of.rules,
    definition: of.definition,
    meetings: meetingsOf(of),
    tickets: of.tickets,
    hasGame: (ticketId, tickets) => oracleOf(of).allGames(tickets, ticketId).length > 0,
  };
}

function planOf(
  { rules: { teamSize, teams, short, roles, alpha, p, q, beta }, definition, meetings, tickets }: Case,
  { timeoutSeconds, longestWaitSeconds }: { timeoutSeconds: number; longestWaitSeconds: number | undefined },
  host?: Ticket,
): TickPlan {
  const norm = (value: number) => (value === Number.POSITIVE_INFINITY ? 'inf' : value);
  const rules: QueueRules = {
    teamSize,
    teams,
    short,
    roles,
    ...queue,
    imbalance: { alpha, p: norm(p), q: norm(q) },
    beta,
    release: { ...queue.release, ...(longestWaitSeconds && { longestWaitSeconds }) },
    timeoutSeconds,
    ...definition,
  };
  const backfills = host && [
    {
      backfillId: 'running',
      requestedAtMs: host.enqueuedAtMs,
      players: host.players.map((player) => ({ ...player, team: 0 })),
    },
  ];
  return planTick({
    rules,
    tickets,
    backfills,
    nowMs: NOW_MS,
    reasons: false,
    ...(meetings && { meetings }),
  });
}
