import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  gameRulesOf,
  planGames,
  planTick,
  type QueueRules,
  type TickInput,
  type TickPlan,
} from '../../lib/policies/plan.ts';
import { WaitingPool } from '../../lib/policies/waiting-pool.ts';
import { type PoolAfter, WhatIf } from '../../lib/policies/what-if.ts';
import { noMeetings } from '../../lib/rules/met.ts';
import { RuleStates } from '../../lib/rules/rule-states.ts';
import { normal, seeded } from '../engine/random-pool.ts';
import { VirtualClock } from '../engine/virtual-clock.ts';
import { somePolicies } from './some-policies.ts';

const rules: QueueRules = {
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 60,
};
const tickets = Array.from({ length: 20 }, (_, i) => ({
  ticketId: `t${i}`,
  enqueuedAtMs: 0,
  players: [{ playerId: `p${i}`, skill: 100 * i }],
}));
/** The plan of a tick whose time is over as soon as it has released so many games. */
function planFor(games: number, input: Omit<TickInput, 'outOfTime'>): TickPlan {
  let released = 0;
  const plan = planGames({ ...input, outOfTime: () => released >= games });
  let step = plan.next();
  for (; !step.done; step = plan.next()) released++;
  return step.value;
}

it('a tick that runs out of time returns the games made so far and leaves the other tickets waiting', () => {
  const plan = planFor(3, { rules, tickets, nowMs: 1_000 });
  expect(plan.matches).toHaveLength(3);
  expect(plan.waiting).toHaveLength(14);
});

it('a tick that runs out of time leaves overdue tickets waiting, so that the next tick fills their games with bots', () => {
  const late = { ...rules, fill: 'bots' as const };
  const plan = planFor(0, { rules: late, tickets, nowMs: 90_000 });
  expect(plan).toMatchObject({ matches: [], timedOut: [] });
  expect(plan.waiting).toHaveLength(20);
});

it('reasons that are written after the time of a tick try no search again', () => {
  let searches = 0;
  const explained = (isOver: boolean) => {
    const rule = { name: 'Level', type: 'within', attribute: 'skill', max: 5 } as const;
    const poolAfter: PoolAfter = (some, { nowMs }) => {
      searches++;
      return new WaitingPool(gameRulesOf(rules), some, nowMs);
    };
    const whatIf = new WhatIf({ ...rules, rules: [rule] }, 1000, noMeetings, poolAfter, () => isOver);
    return whatIf.explain({ what: 'One is possible', ageing: tickets, tickets, find: () => tickets });
  };
  expect(explained(false)).toBe(' One is possible without the rule Level.');
  expect(searches).toBeGreaterThan(0);
  searches = 0;
  expect(explained(true)).toBe('');
  expect(searches).toBe(0);
});

it('a search around due tickets asks no rule once its time is over', () => {
  const asked = vi.spyOn(RuleStates.prototype, 'admits');
  const within = { name: 'Level', type: 'within', attribute: 'skill', max: 150 } as const;
  const release = { policy: 'option-value', waitCost: 1 } as const;
  const input: TickInput = {
    rules: { ...rules, timeoutSeconds: 10, rules: [within], release },
    tickets,
    nowMs: 9_500,
    reasons: false,
  };
  planTick(input);
  expect(asked).toHaveBeenCalled();
  asked.mockClear();
  planTick({ ...input, outOfTime: () => true });
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

it('a tick whose time ends while it looks for the game of an overdue ticket does not time the ticket out', () => {
  const late = { ...rules, fill: 'bots' as const };
  const planOf = (asksMax: number) => {
    let asked = 0;
    return planTick({ rules: late, tickets, nowMs: 90_000, outOfTime: () => ++asked > asksMax });
  };
  for (let asksMax = 0; asksMax < 40; asksMax++) {
    const { matches, timedOut, waiting } = planOf(asksMax);
    expect(timedOut).toEqual([]);
    const matched = matches.reduce((sum, { ticketIds }) => sum + ticketIds.length, 0);
    expect(matched + waiting.length).toBe(20);
  }
});

it('a plan made game by game is the plan made at once', () => {
  const input = { rules, tickets, nowMs: 1_000 };
  const games = planGames(input);
  const yielded = [];
  let step = games.next();
  for (; !step.done; step = games.next()) yielded.push(step.value);
  expect(step.value).toEqual(planTick(input));
  expect(yielded).toEqual(step.value.matches);
});

it('a game is known before the rest of the pool is searched', () => {
  const asksOf = (games: number) => {
    let asked = 0;
    const outOfTime = () => {
      asked++;
      return false;
    };
    const plan = planGames({ rules, tickets, nowMs: 1_000, outOfTime });
    for (let game = 0; game < games; game++) plan.next();
    return asked;
  };
  expect(5 * asksOf(1)).toBeLessThan(asksOf(10));
});

/** Queues whose searches take long, by what makes them long. */
const queues: Readonly<Record<string, Partial<QueueRules> & { readonly partyMax?: number }>> = {
  'five against five': { teamSize: 5 },
  parties: { teamSize: 5, partyMax: 4 },
  'parties with roles': { teamSize: 4, partyMax: 2, roles: { damage: 2, tank: 2 } },
  'three teams of parties': { teamSize: 3, teams: 3, partyMax: 3 },
  'forty seats': { teamSize: 20, partyMax: 3 },
  'a rule for teams': {
    teamSize: 5,
    attributes: { clan: { type: 'string' } },
    rules: [{ name: 'clan', type: 'same', attribute: 'clan', scope: 'team' }],
  },
  'a rule and three teams': {
    teamSize: 2,
    teams: 3,
    attributes: { level: { type: 'number' } },
    rules: [{ name: 'level', type: 'balance', attribute: 'level', max: 1 }],
  },
};
const everyPolicy = { ...somePolicies, expanding: { policy: 'expanding', tolerance: 1e6 } } as const;

describe.each(Object.entries(queues))('in a queue of %s', (_, { partyMax = 1, ...queue }) => {
  const clock = new VirtualClock();
  let end = () => {};
  beforeEach(() => {
    end = clock.install(false);
  });
  afterEach(() => end());

  it.each(Object.entries(everyPolicy))(
    'a tick of policy %s ends within some steps of its time',
    (_, release) => {
      const random = seeded(53);
      const crowd = Array.from({ length: 150 }, (_, i) => ({
        ticketId: `t${i}`,
        enqueuedAtMs: Math.floor(60_000 * random()),
        players: Array.from({ length: 1 + Math.floor(partyMax * random()) }, (_, j) => ({
          playerId: `t${i}.${j}`,
          skill: Math.max(0, 1500 + 300 * normal(random)),
          attributes: { clan: `c${Math.floor(4 * random())}`, level: Math.floor(50 * random()) },
          ...(queue.roles && { roles: [i % 20 === 0 ? 'tank' : 'damage'] }),
        })),
      }));
      for (const steps of [0, 500, 20_000]) {
        let asked = 0;
        clock.start(steps);
        const plan = planTick({
          rules: { ...rules, timeoutSeconds: 70, ...queue, release },
          tickets: crowd,
          nowMs: 62_000,
          outOfTime: () => {
            if (clock.outOfTime()) asked++;
            return clock.outOfTime();
          },
        });
        expect(asked).toBeLessThan(4 * crowd.length);
        expect(clock.after).toBeLessThan(10 * crowd.length);
        const played = plan.matches.flatMap(({ ticketIds }) => ticketIds);
        expect(new Set(played).size).toBe(played.length);
        expect(played.length + plan.waiting.length).toBe(crowd.length);
        for (const { lowerBound, priority } of plan.matches) expect(lowerBound).toBeLessThanOrEqual(priority);
        for (const { reason } of plan.waiting) expect(reason).not.toMatch(/can be formed/);
      }
    },
  );
});
