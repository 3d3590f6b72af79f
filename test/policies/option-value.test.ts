import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GamePool, LimitedSearch } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';
import { optionValue } from '../../lib/policies/option-value.ts';
import { planTick, type QueueRules, type TickMemory } from '../../lib/policies/plan.ts';
import type { PoolFacts } from '../../lib/policies/policy.ts';
import { WaitingPool } from '../../lib/policies/waiting-pool.ts';
import { playThrough } from '../../lib/simulation/play.ts';
import type { Population } from '../../lib/simulation/population.ts';
import { generatedTraffic } from '../../lib/simulation/traffic.ts';
import { normal, seeded } from '../engine/random-pool.ts';

const NOW_MS = 600_000;
const SKILLS = { kind: 'normal', mean: 1500, standardDeviation: 350 } as const;

const solo = (ticketId: string, skill: number, enqueuedAtMs: number): Ticket => ({
  ticketId,
  enqueuedAtMs,
  players: [{ playerId: `player of ${ticketId}`, skill }],
});

/** With it, θ is this much for the density 1 in games of four. */
const waitCostFor = (theta: number) => (theta / (0.75 * Math.sqrt(Math.sqrt(1.25)))) ** 2;

const factsOf = (rules: GameRules, waitingPlayers: number): PoolFacts => ({
  rules,
  arrivalRate: 1000,
  density: () => 1,
  typicalDensity: () => 1,
  tickMs: 1000,
  timeoutMs: 300_000,
  previousTickMs: NOW_MS - 1000,
  searchedAtMs: undefined,
  waitingPlayers,
  oldestEnqueuedAtMs: NOW_MS,
  rank: () => 0.5,
  strongShare: 0.5,
});

describe('a solo player at the last tick before its time-out', () => {
  it.each([
    [14, 1],
    [30, 1.05],
  ])(
    'gets the best game there is among %d others, or one at most %d times as bad where it is hard to find',
    (count, factor) => {
      const others = Array.from({ length: count }, (_, i) => solo(`t${i}`, 1500 + 20 * i, NOW_MS - 1000));
      const tickets = [solo('far', 0, NOW_MS - 299_500), ...others];
      const imbalance = { alpha: 1, p: 1, q: 2 } as const;
      const { matches } = planTick({
        rules: {
          teamSize: 5,
          imbalance,
          release: { policy: 'option-value', waitCost: 0.01 },
          tickSeconds: 1,
          timeoutSeconds: 300,
        },
        tickets,
        nowMs: NOW_MS,
      });
      const pool = new GamePool({ teamSize: 5, ...imbalance, beta: 0 });
      for (const ticket of tickets) pool.insert(ticket);
      const best = pool.bestWith('far', NOW_MS)!;
      const match = matches.find(({ ticketIds }) => ticketIds.includes('far'));
      expect(match?.imbalance).toBeLessThanOrEqual(best.imbalance * factor * (1 + 1e-9));
    },
  );
});

describe('a longest wait', () => {
  const rules = {
    teamSize: 5,
    imbalance: { alpha: 0.01, p: 1, q: 2 },
    release: { policy: 'option-value', waitCost: 0.3, longestWaitSeconds: 60 },
    tickSeconds: 1,
    timeoutSeconds: 1800,
  } as const;
  /** 30 neighbours, and three outliers below them. The second of these is the oldest ticket. */
  const tickets = (oldestAgeMs: number) => [
    ...[1300, 1350, 1400].map((skill, i) =>
      solo(`far${i}`, skill, NOW_MS - (i === 1 ? oldestAgeMs : 20_000)),
    ),
    ...Array.from({ length: 30 }, (_, i) => solo(`t${i}`, 1500 + 10 * i, NOW_MS - 1000)),
  ];
  const outliersWith = (oldestAgeMs: number, more: Partial<QueueRules> = {}) => {
    const { matches } = planTick({
      rules: { ...rules, ...more },
      tickets: tickets(oldestAgeMs),
      nowMs: NOW_MS,
    });
    const match = matches.find(({ ticketIds }) => ticketIds.includes('far1'));
    return match?.ticketIds.filter((ticketId) => ticketId.startsWith('far'));
  };

  it('leaves a ticket waiting as long as it can still get a game at the next tick', () => {
    expect(outliersWith(59_000)).toBeUndefined();
  });

  it('gives an overdue ticket a game with others that are hard to match; at a time-out it gets the best one', () => {
    expect(outliersWith(59_001)).toEqual(['far1', 'far2']);
    const release = { policy: 'option-value', waitCost: 0.3 } as const;
    expect(outliersWith(59_001, { release, timeoutSeconds: 61 })).toEqual(['far1']);
  });

  it('leaves an overdue ticket waiting while there are too few players', () => {
    const few = tickets(90_000).slice(0, 9);
    expect(planTick({ rules, tickets: few, nowMs: NOW_MS }).matches).toEqual([]);
  });

  it.each<[string, Population]>([
    ['solo players', { skills: SKILLS }],
    ['parties', { skills: SKILLS, partyWeights: [75, 15, 5, 2, 3] }],
  ])('bounds the waits of %s, who wait longer without it', (_, population) => {
    const rate = { kind: 'constant', perSecond: 5 } as const;
    const traffic = generatedTraffic({ population, rate, players: 600 }, 7);
    const play = (longestWaitSeconds?: number) => {
      const release = { policy: 'option-value', waitCost: 0.7, longestWaitSeconds } as const;
      return playThrough({ name: 'arena', ...rules, release }, traffic).measures;
    };
    const bounded = play(75);
    expect(bounded.waitSeconds.max).toBeLessThanOrEqual(75);
    expect(bounded.outcome.timedOut).toBe(0);
    expect(play().waitSeconds.max).toBeGreaterThan(80);
  });
});

describe('a solo player who could play with solo players', () => {
  it('is offered a game with a party that one of them has nearby, because its margin is wider', () => {
    const solos = [1000, 1000, 990, 1010].map((skill, i) => solo('abcd'[i], skill, NOW_MS));
    const pair: Ticket = {
      ticketId: 'pair',
      enqueuedAtMs: NOW_MS,
      players: [995, 1005].map((skill) => ({ playerId: `player of ${skill}`, skill })),
    };
    const rules = { teamSize: 2, alpha: 1e-6, p: 1, q: 2, beta: 0 };
    // The four solo players have a skillSpread of 7.07.
    const [first] = optionValue({ policy: 'option-value', waitCost: waitCostFor(8) }).candidates(
      new WaitingPool(rules, [...solos, pair], NOW_MS),
      factsOf(rules, 6),
      NOW_MS,
    );
    expect(first?.game.ticketIds.toSorted()).toEqual(['a', 'b', 'pair']);
    expect(first?.game.skillSpread).toBeCloseTo(3.54, 2);
  });
});

describe('a ticket in a queue with roles', () => {
  /** The games offered with a θ, which is the same at all skills. */
  const offered = (roles: Record<string, number>, tickets: readonly Ticket[], theta: number) => {
    const rules = { teamSize: 2, roles, alpha: 1e-6, p: 1, q: 2, beta: 0 };
    const facts = factsOf(rules, tickets.length);
    const policy = optionValue({ policy: 'option-value', waitCost: waitCostFor(theta) });
    return [...policy.candidates(new WaitingPool(rules, tickets, NOW_MS), facts, NOW_MS)].map(
      (candidate) => ({
        ...candidate.game,
        isReleased: policy.release(candidate, facts, NOW_MS).release,
      }),
    );
  };

  it('is offered its best game although that is not one of neighbours', () => {
    // {0, 1, 100, 100} has a skillSpread of 49.75, {0, 100, 100, 100} one of 43.30.
    const tickets = [0, 1, 100, 100, 100].map((skill, i) => solo('abcde'[i], skill, NOW_MS));
    const game = offered({ any: 2 }, tickets, 46).find(({ ticketIds }) => ticketIds.includes('a'));
    expect(game?.skillSpread).toBeCloseTo(43.3, 1);
    expect(game?.ticketIds).toEqual(['a', 'c', 'd', 'e']);
    expect(game?.isReleased).toBe(true);
  });

  it('leaves its players to a game of others with a wider margin, although it has waited longer', () => {
    const tickets = [0, 30, 31, 32, 33].map((skill, i) =>
      solo('abcde'[i], skill, NOW_MS - (i === 0 ? 10 : 0)),
    );
    const [first] = offered({ any: 2 }, tickets, 20);
    expect(first?.ticketIds).toEqual(['b', 'c', 'd', 'e']);
  });

  it('plays rather than a nearer one that accepts more roles, when many near it accept only its own', () => {
    const playing = (ticketId: string, skill: number, ...roles: string[]): Ticket => ({
      ticketId,
      enqueuedAtMs: NOW_MS,
      players: [{ playerId: `player of ${ticketId}`, skill, roles }],
    });
    const others = [
      playing('either', 9.3, 'tank', 'damage'),
      playing('t1', 10, 'tank'),
      playing('t2', 10.1, 'tank'),
      playing('d1', 10.2, 'damage'),
      playing('d2', 11, 'damage'),
    ];
    const crowd = [playing('d3', 11.5, 'damage'), playing('d4', 11.6, 'damage')];
    const roles = { tank: 1, damage: 1 };
    expect(offered(roles, others, 0.5)[0]?.ticketIds).toEqual(['d1', 'either', 't1', 't2']);
    expect(offered(roles, [...others, ...crowd], 0.5)[0]?.ticketIds).toEqual(['d1', 'd2', 't1', 't2']);
  });
});

describe('a ticket that is neither new nor has a much higher threshold than at the tick before', () => {
  const rules = {
    teamSize: 5,
    roles: { tank: 1, healer: 1, damage: 3 },
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'option-value', waitCost: 0.01 },
    tickSeconds: 1,
    timeoutSeconds: 300,
  } as const;
  const playing = (role: string, ticketId: string, skill: number, enqueuedAtMs: number): Ticket => ({
    ticketId,
    enqueuedAtMs,
    players: [{ playerId: `player of ${ticketId}`, skill, roles: [role] }],
  });

  it('gets a game at its last chance, with distant players when its neighbours lack a role', () => {
    const others = NOW_MS - 100_000;
    const tickets = [
      playing('damage', 'old', 1500, NOW_MS - 299_500),
      ...Array.from({ length: 80 }, (_, i) => playing('damage', `near${i}`, 1460 + i, others)),
      ...['tank', 'healer'].flatMap((role) =>
        [0, 1].map((i) => playing(role, `${role}${i}`, 2500 + 100 * i, others)),
      ),
    ];
    const before = planTick({ rules, tickets, nowMs: NOW_MS - 3000 });
    expect(before.matches).toEqual([]);
    const { matches } = planTick({ rules, tickets, nowMs: NOW_MS, memory: before.memory });
    expect(matches.flatMap(({ ticketIds }) => ticketIds)).toContain('old');
  });
});

describe('tickets that are searched in the same tick', () => {
  const ruled = (changes: Partial<QueueRules>): QueueRules => ({
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'option-value', waitCost: 1 },
    tickSeconds: 1,
    timeoutSeconds: 300,
    ...changes,
  });

  it('are in one game at most when one of them is at its last chance', () => {
    const waited = (ticketId: string, seconds: number) => solo(ticketId, 1500, NOW_MS - 1000 * seconds);
    const tickets = [waited('a', 9), waited('b', 5), waited('c', 1)];
    const rules = ruled({ teamSize: 1, roles: { tank: 1 }, timeoutSeconds: 10 });
    const { matches, waiting } = planTick({ rules, tickets, nowMs: NOW_MS });
    expect(matches.map(({ ticketIds }) => ticketIds)).toEqual([['a', 'b']]);
    expect(waiting.map(({ ticketId }) => ticketId)).toEqual(['c']);
  });

  it('get the game of one that is near its time-out, although a wider margin is offered without it', () => {
    const pair: Ticket = {
      ticketId: 'pair',
      enqueuedAtMs: NOW_MS - 15_386,
      players: [
        { playerId: 'p1', skill: 1584.284 },
        { playerId: 'p2', skill: 1970.982 },
      ],
    };
    const urgent = solo('urgent', 1574.084, NOW_MS - 49_945);
    const tickets = [
      urgent,
      pair,
      solo('near', 1608.811, NOW_MS - 8_690),
      solo('new', 1733.168, NOW_MS - 485),
    ];
    const memory: TickMemory = {
      version: 2,
      tickedAtMs: NOW_MS - 1_000,
      newestSeenMs: NOW_MS - 8_690,
      players: 4.48,
      seconds: 41.8,
      seen: 8,
      skills: {
        means: [1192.34, 1556.97, 1572.51, 1574.08, 1584.28, 1608.81, 1970.98, 2122.03],
        weights: [1, 1, 1, 1, 1, 1, 1, 1],
      },
      searchedAtMs: NOW_MS - 1_000,
    };
    const rules = ruled({
      teamSize: 2,
      release: { policy: 'option-value', waitCost: 5 },
      timeoutSeconds: 60,
    });
    const { matches } = planTick({ rules, tickets, nowMs: NOW_MS, memory });
    expect(matches.map(({ ticketIds }) => new Set(ticketIds))).toEqual([new Set(['urgent', 'pair', 'new'])]);
  });

  it('are few when many parties have waited long and can form no game', () => {
    const searches = vi.spyOn(LimitedSearch.prototype, 'game');
    onTestFinished(() => searches.mockRestore());
    const tickets = Array.from({ length: 600 }, (_, i): Ticket => {
      const players = [0, 1, 2].map((at) => ({ playerId: `${i} ${at}`, skill: 1500 + i }));
      return { ticketId: `t${i}`, enqueuedAtMs: NOW_MS - 100_000 - i, players };
    });
    const rules = ruled({ teamSize: 5 });
    const { memory } = planTick({ rules, tickets, nowMs: NOW_MS - 1_000 });
    searches.mockClear();
    const newcomer = solo('new', 1500, NOW_MS - 500);
    planTick({ rules, tickets: [...tickets, newcomer], nowMs: NOW_MS, memory });
    expect(searches.mock.calls.length).toBeLessThan(250);
  });
});

describe('many solo players with roles who are due at once', () => {
  it('are matched in the narrowest games first, so that few of the last games are wide', () => {
    const random = seeded(3);
    const tickets = Array.from({ length: 400 }, (_, i): Ticket => {
      const draw = random();
      const role = draw < 0.2 ? 'tank' : draw < 0.45 ? 'healer' : 'damage';
      const players = [{ playerId: `p${i}`, skill: 1500 + 350 * normal(random), roles: [role] }];
      return { ticketId: `t${i}`, enqueuedAtMs: NOW_MS - 8000 + 20 * i, players };
    });
    const { matches } = planTick({
      rules: {
        teamSize: 5,
        roles: { tank: 1, healer: 1, damage: 3 },
        imbalance: { alpha: 1, p: 1, q: 2 },
        release: { policy: 'option-value', waitCost: 30 },
        tickSeconds: 1,
        timeoutSeconds: 300,
      },
      tickets,
      nowMs: NOW_MS,
    });
    const half = matches.length >> 1;
    const mean = (of: typeof matches) => of.reduce((sum, { imbalance }) => sum + imbalance / of.length, 0);
    expect(matches.length).toBeGreaterThanOrEqual(30);
    expect(mean(matches.slice(0, half))).toBeLessThan(0.8 * mean(matches.slice(half)));
  });
});
