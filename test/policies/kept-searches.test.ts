import { describe, expect, it } from 'vitest';
import { GamePool } from '../../lib/engine/game-pool.ts';
import type { Game, Ticket } from '../../lib/engine/types.ts';
import { KeptSearches } from '../../lib/policies/kept-searches.ts';
import {
  gameRulesOf,
  planTick,
  type QueueRules,
  type TickMemory,
  type TickPlan,
} from '../../lib/policies/plan.ts';
import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import type { Population } from '../../lib/simulation/population.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import { sample } from '../long.ts';

const ARENA: QueueRules = {
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 5 },
  tickSeconds: 1,
  timeoutSeconds: 60,
};
const RAID: QueueRules = { ...ARENA, roles: { tank: 1, healer: 1, damage: 3 } };
const NEAR: QueueRules['rules'] = [
  { name: 'near', type: 'within', attribute: 'skill', max: 60, relax: [{ waitSeconds: 4, max: 160 }] },
];
const SKILLS = { kind: 'normal', mean: 1500, standardDeviation: 350 } as const;
const PARTIES: Population = { skills: SKILLS, partyWeights: [75, 15, 5, 2, 3] };
const ROLES: Population = {
  skills: SKILLS,
  roleWeights: { tank: 20, healer: 25, damage: 55 },
  roleFlexibility: 0.3,
};

it('keeps a pool of exactly the tickets given, also of those that the caller has removed in between', () => {
  const tickets = [1, 2, 50].map(
    (skill): Ticket => ({
      ticketId: `t${skill}`,
      enqueuedAtMs: 0,
      players: [{ playerId: `p${skill}`, skill }],
    }),
  );
  const kept = new KeptSearches();
  const make = () => new GamePool({ ...gameRulesOf(ARENA), teamSize: 1 });
  kept.all(make, tickets).remove('t1');
  expect(kept.all(make, tickets).best(0)!.ticketIds.toSorted()).toEqual(['t1', 't2']);
});

it.each<[string, QueueRules, Population]>([
  ['parties', ARENA, PARTIES],
  ['parties and β', { ...ARENA, beta: 5 }, PARTIES],
  ['roles', RAID, ROLES],
  ['roles, bots and percentiles', { ...RAID, fill: 'bots', skillScale: 'percentile' }, ROLES],
  ['the policy greedy', { ...ARENA, release: { policy: 'greedy' } }, PARTIES],
  ['the policy expanding', { ...RAID, release: { policy: 'expanding', tolerance: 60 } }, ROLES],
])('plans the same games with and without kept searches: %s', (_, rules, population) => {
  const kept = new KeptSearches();
  const arrivals = poissonArrivals(
    { population, rate: { kind: 'constant', perSecond: 5 }, players: sample(250, 500) },
    seededRandom(7),
  );
  let waiting: Ticket[] = [];
  let memory: TickMemory | undefined;
  let games = 0;
  let next = arrivals.next();
  for (let nowMs = 1000; next.done !== true; nowMs += 1000) {
    while (next.done !== true && next.value.ticket.enqueuedAtMs <= nowMs) {
      waiting.push(next.value.ticket);
      next = arrivals.next();
    }
    // A ticket is cancelled between two ticks.
    if (nowMs % 7000 === 0) waiting.splice(waiting.length >> 1, 1);
    const input = { rules, tickets: waiting, nowMs, memory, reasons: false };
    const alone = planTick(input);
    const plan = planTick({ ...input, kept });
    expect(withoutBounds(plan)).toBe(withoutBounds(alone));
    if (rules.skillScale !== 'percentile') expectBounds(plan.matches, waiting, rules, nowMs);
    games += plan.matches.length;
    const left = new Set(plan.waiting.map(({ ticketId }) => ticketId));
    waiting = waiting.filter(({ ticketId }) => left.has(ticketId));
    memory = plan.memory;
  }
  expect(games).toBeGreaterThan(sample(10, 20));
});

describe('a life of small pools', () => {
  it.each<[string, Partial<QueueRules>]>([
    ['parties', {}],
    ['parties and β', { beta: 40 }],
    ['roles', { roles: { tank: 1, damage: 1 } }],
    [
      'roles, β and p = ∞',
      { roles: { tank: 1, damage: 1 }, beta: 40, imbalance: { alpha: 1, p: 'inf', q: 2 } },
    ],
    ['expanding', { release: { policy: 'expanding', tolerance: 40, growthPerSecond: 10 }, beta: 5 }],
    ['rules that relax', { rules: NEAR }],
    ['rules that relax and greedy', { rules: NEAR, release: { policy: 'greedy' } }],
    ['three teams', { teams: 3 }],
    ['three teams, roles and rules', { teams: 3, roles: { tank: 1, damage: 1 }, rules: NEAR }],
  ])('has the same games and valid bounds with and without kept searches: %s', (_, changes) => {
    const rules: QueueRules = {
      ...ARENA,
      teamSize: 2,
      imbalance: { alpha: 1, p: 2, q: 2 },
      release: { policy: 'option-value', waitCost: 3 },
      ...changes,
    };
    const seen = { games: 0, looser: 0, closer: 0 };
    for (let seed = 1; seed <= sample(2, 4); seed++) playLife(rules, seed, seen);
    expect(seen.games).toBeGreaterThan(sample(4, 8));
    // No search of so small pools is cut short, so that all prove the same.
    expect([seen.closer, seen.looser]).toEqual([0, 0]);
  });
});

/** Plays ticks of a queue with and without kept searches, and compares every game, with every game possible for its bound. */
function playLife(
  rules: QueueRules,
  seed: number,
  seen: { games: number; looser: number; closer: number },
): void {
  const random = seededRandom(seed);
  const kept = new KeptSearches();
  let waiting: Ticket[] = [];
  let memory: TickMemory | undefined;
  let ids = 0;
  let nowMs = 1_000_000;
  for (let turn = 0; turn < sample(40, 60); turn++) {
    // Sometimes the clock goes back.
    nowMs += random.uniform() < 0.1 ? -1500 : 1000;
    for (let n = random.integer(5); n > 0 && waiting.length < 11; n--)
      waiting.push(randomTicket(`t${ids++}`, nowMs, rules, random));
    const nth = random.integer(waiting.length + 1);
    const event = random.uniform();
    // A ticket leaves, or comes back with other players.
    if (event < 0.2) waiting.splice(nth, 1);
    else if (event < 0.4 && nth < waiting.length)
      waiting[nth] = randomTicket(waiting[nth]!.ticketId, nowMs, rules, random);
    const input = { rules, tickets: waiting, nowMs, memory, reasons: false };
    const alone = planTick(input);
    const plan = planTick({ ...input, kept });
    expect(withoutBounds(plan)).toBe(withoutBounds(alone));
    let left = waiting;
    plan.matches.forEach((game, at) => {
      const isEnumerated = rules.rules === undefined && rules.teams === undefined;
      const least = isEnumerated ? leastPriority(left, rules, nowMs) : game.priority;
      const boundAlone = alone.matches[at]!.lowerBound;
      for (const bound of [game.lowerBound, boundAlone]) expect(bound).toBeLessThanOrEqual(least + 1e-6);
      if (game.lowerBound < boundAlone - 1e-9) seen.looser++;
      if (game.lowerBound > boundAlone + 1e-9) seen.closer++;
      left = left.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
    });
    seen.games += plan.matches.length;
    // Some of the games lose their race: all their tickets wait on, or one of them is gone.
    const lost = plan.matches.filter(() => random.uniform() < 0.3);
    const gone = new Set(plan.matches.flatMap(({ ticketIds }) => ticketIds).concat(plan.timedOut));
    for (const { ticketIds } of lost)
      for (const ticketId of ticketIds.slice(random.integer(2))) gone.delete(ticketId);
    waiting = waiting.filter(({ ticketId }) => !gone.has(ticketId));
    memory = plan.memory;
  }
}

/** A ticket of one or two, with few different skills, so that many games are tied. */
function randomTicket(ticketId: string, nowMs: number, { roles }: QueueRules, random: RandomSource): Ticket {
  const size = random.uniform() < 0.3 ? 2 : 1;
  const names = Object.keys(roles ?? {});
  const players = Array.from({ length: size }, (_, i) => ({
    playerId: `${ticketId}.${i}`,
    skill: 20 * random.integer(15),
    ...(roles !== undefined && random.uniform() < 0.7 && { roles: [names[(i + random.integer(2)) % 2]!] }),
  }));
  const fits = size === 1 || roles === undefined || seatsBoth(players, names);
  return { ticketId, enqueuedAtMs: nowMs - random.integer(3000), players: fits ? players : [players[0]!] };
}

/** Whether two players can share out two roles. */
function seatsBoth([a, b]: readonly Ticket['players'][number][], [x, y]: readonly string[]): boolean {
  const accepts = ({ roles }: Ticket['players'][number], role: string) => roles?.includes(role) ?? true;
  return (accepts(a!, x!) && accepts(b!, y!)) || (accepts(a!, y!) && accepts(b!, x!));
}

/** The least priority of all games of two teams of two, by trying them all; ∞ if there is none. */
function leastPriority(tickets: readonly Ticket[], rules: QueueRules, nowMs: number): number {
  const { roles, imbalance, beta = 0 } = rules;
  const names = Object.keys(roles ?? {});
  const teams: Ticket[][] = [];
  tickets.forEach((a, i) => {
    if (a.players.length === 2) teams.push([a]);
    else for (const b of tickets.slice(i + 1)) if (b.players.length === 1) teams.push([a, b]);
  });
  const playersOf = (team: readonly Ticket[]) => team.flatMap(({ players }) => players);
  const whole = roles === undefined ? teams : teams.filter((team) => seatsBoth(playersOf(team), names));
  const p = imbalance.p === 'inf' ? Number.POSITIVE_INFINITY : imbalance.p;
  const norm = (values: readonly number[], e: number) =>
    e === Number.POSITIVE_INFINITY
      ? Math.max(...values)
      : values.reduce((sum, value) => sum + value ** e, 0) ** (1 / e);
  let least = Number.POSITIVE_INFINITY;
  whole.forEach((x, i) => {
    for (const y of whole.slice(i + 1)) {
      if (x.some((ticket) => y.includes(ticket))) continue;
      const skills = [x, y].map((team) => playersOf(team).map(({ skill }) => skill));
      const all = skills.flat();
      const mean = all.reduce((sum, skill) => sum + skill, 0) / all.length;
      const spread = Math.sqrt(all.reduce((sum, skill) => sum + (skill - mean) ** 2, 0) / all.length);
      const gap = Math.abs(norm(skills[0]!, p) - norm(skills[1]!, p));
      const oldest = Math.min(...[...x, ...y].map(({ enqueuedAtMs }) => enqueuedAtMs));
      const waitSeconds = Math.max(0, nowMs - oldest) / 1000;
      least = Math.min(least, imbalance.alpha * gap + spread - beta * waitSeconds);
    }
  });
  return least;
}

/** As text, because a memory is large to compare by its members. */
function withoutBounds({ matches, ...plan }: TickPlan): string {
  return JSON.stringify([plan, matches.map(({ lowerBound: _, optimal: __, ...game }) => game)]);
}

/** The first bound of a tick holds for the best game of all waiting tickets. */
function expectBounds(
  [game]: readonly Game[],
  waiting: readonly Ticket[],
  rules: QueueRules,
  nowMs: number,
): void {
  if (game === undefined) return;
  const pool = new GamePool(gameRulesOf(rules), { nodeBudget: 20_000 });
  for (const ticket of waiting) pool.insert(ticket);
  expect(game.lowerBound).toBeLessThanOrEqual(pool.best(nowMs)!.priority + 1e-9);
}
