import { afterEach, describe, expect, it } from 'vitest';
import type { Game } from '../../lib/engine/types.ts';
import { planGames, planTick, type QueueRules } from '../../lib/policies/plan.ts';
import { CustomCalls, type CustomFailures } from '../../lib/rules/custom/calls.ts';
import { codeOf, useCode } from '../../lib/rules/custom/code.ts';
import type { CustomCost, CustomGame, CustomRule, MayJoin } from '../../lib/rules/custom/types.ts';
import { ruleFaults } from '../../lib/rules/faults.ts';
import { partyFaults } from '../../lib/rules/party-faults.ts';
import { relaxedRules } from '../../lib/rules/relaxed-rules.ts';
import type { Rule } from '../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { sample } from '../long.ts';

afterEach(() => useCode(undefined));

const rule: Extract<Rule, { type: 'custom' }> = { name: 'Votes', type: 'custom', function: 'judged' };
const rulesOf = (...rules: Rule[]): QueueRules => ({
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 2,
  timeoutSeconds: 300,
  attributes: { maps: { type: 'strings', default: ['docks'] } },
  rules,
});
const ticket = (ticketId: string, skill = 1500, changes: Partial<RuledPlayer> = {}) => ({
  ticketId,
  enqueuedAtMs: 0,
  players: [{ playerId: `${ticketId}.p`, skill, ...changes }],
});
const plan = (judged: unknown, of: Rule = rule, tickets = [ticket('a'), ticket('b')]) => {
  useCode(codeOf({ judged }));
  return planTick({ rules: rulesOf(of), tickets, nowMs: 12_000 });
};

it('shows a function the teams, the players with their values, and the moment', () => {
  const seen: unknown[] = [];
  const judged: CustomRule = (game, options) => {
    seen.push(game, options);
    return true;
  };
  const tickets = [ticket('a', 1500, { latencyMs: { east: 20 } }), ticket('b', 1510, { roles: ['tank'] })];
  plan(judged, { ...rule, options: { quorum: 6, maps: ['docks'] } } as Rule, tickets);
  const player = { attributes: { maps: ['docks'] }, waitSeconds: 12 };
  const a = { ...player, playerId: 'a.p', party: 'a', skill: 1500, latencyMs: { east: 20 } };
  const b = { ...player, playerId: 'b.p', party: 'b', skill: 1510, roles: ['tank'], latencyMs: {} };
  const teams = [a, b].map((one) => ({ name: 'team', players: [one] }));
  expect(seen.slice(0, 2)).toEqual([
    { players: [a, b], teams, nowMs: 12_000 },
    { quorum: 6, maps: ['docks'] },
  ]);
});

it('a function that does not read the teams is called once for all divisions of the same players', () => {
  const tickets = ['a', 'b', 'c', 'd'].map((id) => ticket(id));
  const rules = { ...rulesOf({ ...rule, cost: 1 }), teamSize: 2 };
  const callsOf = (judged: (game: CustomGame) => number) => {
    let calls = 0;
    const counted = (game: CustomGame) => {
      calls++;
      return judged(game);
    };
    useCode(codeOf({ judged: counted }));
    const { matches } = planTick({ rules, tickets, nowMs: 0 });
    expect(matches[0]?.imbalance).toBe(4);
    return calls;
  };
  const once = callsOf(({ players }) => players.length);
  expect(once).toBeLessThan(callsOf(({ teams }) => teams.flatMap(({ players }) => players).length));
});

it('the matches that a search prices count as its work, and what is left unproved is in the gap', () => {
  let calls = 0;
  const judged = ({ teams }: CustomGame) => {
    calls++;
    return 40 * teams.length;
  };
  useCode(codeOf({ judged }));
  const tickets = Array.from({ length: 100 }, (_, i) => ticket(`t${i}`, 1500 + i));
  const rules = { ...rulesOf({ ...rule, cost: 1 }), teamSize: 5 };
  const { value } = planGames({ rules, tickets, nowMs: 0 }).next();
  const { imbalance, lowerBound, optimal } = value as Game;
  expect({ isBelow: lowerBound < imbalance, optimal }).toEqual({ isBelow: true, optimal: false });
  expect(imbalance).toBeGreaterThanOrEqual(80);
  expect(calls).toBeLessThan(40_000);
});

it('a rule that gives a reason forbids its games, and nothing has failed', () => {
  const { matches, waiting, failures } = plan(() => 'no map has enough votes');
  expect(matches).toEqual([]);
  expect(waiting[0]?.reason).toContain('without the rule Votes');
  expect(failures).toEqual([]);
});

it('a cost is added to the imbalance and named in the ruling', () => {
  const { matches } = plan(() => 3, { ...rule, cost: 10 });
  expect(matches[0]).toMatchObject({
    imbalance: 30,
    optimal: true,
    ruling: { cost: 30, rules: { Votes: { cost: 30 } } },
  });
});

it('the best game is the one whose cost is worth it', () => {
  const rivals: CustomCost = ({ teams }) =>
    teams.some(({ players }) => players.some(({ playerId }) => playerId === 'b.p')) ? 0 : 50;
  const tickets = [ticket('a', 1500), ticket('b', 1530), ticket('c', 1501), ticket('d', 1531)];
  const { matches } = plan(rivals, { ...rule, cost: 1 }, tickets);
  expect(matches[0]?.ticketIds).toEqual(['b', 'd']);
});

it.each(['greedy', 'option-value'] as const)(
  'a function that is not pure ends no search under %s',
  (policy) => {
    for (let seed = 1; seed <= sample(6, 20); seed++) {
      const random = seededRandom(seed);
      const tickets = Array.from({ length: 24 }, (_, i) => ticket(`t${i}`, 1500 + i));
      for (const cost of [undefined, 1]) {
        const judged = ({ teams }: CustomGame) => {
          const value = random.uniform() * teams.length;
          return cost === undefined ? value < 1 || 'not now' : value;
        };
        useCode(codeOf({ judged }));
        const rules = { ...rulesOf({ ...rule, ...(cost && { cost }) }), teamSize: 2, release: { policy } };
        const { matches } = planTick({ rules: rules as QueueRules, tickets, nowMs: 12_000 });
        expect(matches.length).toBeLessThanOrEqual(6);
        for (const { imbalance, lowerBound } of matches) expect(lowerBound).toBeLessThanOrEqual(imbalance);
      }
    }
  },
);

describe('a call that fails refuses its game and is counted with what was expected', () => {
  const cases: [string, unknown, Rule, string][] = [
    [
      'throws',
      () => {
        throw new TypeError('boom');
      },
      rule,
      'Expected true or a reason, but it threw TypeError: boom',
    ],
    ['returns nothing', () => undefined, rule, 'Expected true or a reason, got nothing'],
    ['returns false', () => false, rule, 'Expected true or a reason, got false'],
    ['returns a promise', async () => true, rule, 'Expected true or a reason, got a promise'],
    [
      'returns a promise that fails',
      async () => {
        throw new Error('late');
      },
      rule,
      'Expected true or a reason, got a promise',
    ],
    ['returns a negative cost', () => -1, { ...rule, cost: 1 }, 'Expected a number from 0 to 10000, got -1'],
    [
      'returns no number',
      () => Number.NaN,
      { ...rule, cost: 1 },
      'Expected a number from 0 to 10000, got NaN',
    ],
    [
      'returns an infinite cost',
      () => Infinity,
      { ...rule, cost: 1 },
      'Expected a number from 0 to 10000, got Infinity',
    ],
    [
      'returns a permission as a cost',
      () => true,
      { ...rule, cost: 1 },
      'Expected a number from 0 to 10000, got true',
    ],
    [
      'changes a player',
      (game: { teams: { players: { skill: number }[] }[] }) => {
        game.teams[0]!.players[0]!.skill = 0;
        return true;
      },
      rule,
      'Cannot assign to read only property',
    ],
    [
      'adds a player',
      (game: { teams: { players: unknown[] }[] }) => {
        game.teams[0]!.players.push({});
        return true;
      },
      rule,
      'object is not extensible',
    ],
    [
      'changes an attribute',
      (game: { teams: { players: { attributes: { maps: string[] } }[] }[] }) => {
        game.teams[0]!.players[0]!.attributes.maps[0] = 'fort';
        return true;
      },
      rule,
      'Cannot assign to read only property',
    ],
    [
      'changes its options',
      (_: unknown, options: { most: number }) => {
        options.most = 1;
        return true;
      },
      { ...rule, options: { most: 2 } } as Rule,
      'Cannot assign to read only property',
    ],
  ];
  it.each(cases)('%s', (_, judged, of, message) => {
    const before = JSON.stringify(of);
    const { matches, failures } = plan(judged, of);
    expect(matches).toEqual([]);
    expect(failures).toMatchObject([{ rule: 'Votes', function: 'judged' }]);
    expect(failures[0]!.calls).toBeGreaterThan(0);
    expect(failures[0]!.message).toContain(message);
    expect(JSON.stringify(of)).toBe(before);
  });

  it('takes too long, by the clock of the process', () => {
    let ms = 0;
    useCode(
      codeOf(
        {
          judged: () => {
            ms += 21;
            return true;
          },
        },
        () => ms,
      ),
    );
    const { matches, failures } = planTick({
      rules: rulesOf(rule),
      tickets: [ticket('a'), ticket('b')],
      nowMs: 0,
    });
    expect(matches).toEqual([]);
    expect(failures[0]?.message).toBe('Expected an answer within 20 ms, got it after 21 ms');
  });

  it('does not lose the other games', () => {
    const judged: CustomRule = ({ teams }) => {
      if (teams.some(({ players }) => players.some(({ playerId }) => playerId === 'a.p')))
        throw new Error('no');
      return true;
    };
    const { matches } = plan(judged, rule, [ticket('a'), ticket('b'), ticket('c')]);
    expect(matches.map(({ ticketIds }) => ticketIds)).toEqual([['b', 'c']]);
  });
});

it('a call whose time counts while a game is searched does not count once the game is found', () => {
  let ms = 0;
  let calls = 0;
  // The second call, on the game that the first has permitted, is slow.
  useCode(
    codeOf(
      {
        judged: () => {
          ms += calls++ === 0 ? 1 : 100;
          return true;
        },
      },
      () => ms,
    ),
  );
  const { matches } = planTick({ rules: rulesOf(rule), tickets: [ticket('a'), ticket('b')], nowMs: 0 });
  expect(matches).toHaveLength(1);
});

it('a search asks mayJoin once about two tickets', () => {
  const asked: string[] = [];
  const apart: MayJoin = (a, b) => {
    asked.push(`${a.ticketId} ${b.ticketId}`);
    return Math.abs(a.players[0]!.skill - b.players[0]!.skill) <= 4 || 'too far apart';
  };
  useCode(codeOf({ judged: () => true, mayJoin: { judged: apart } }));
  const tickets = Array.from({ length: 20 }, (_, i) => ticket(`t${i}`, 1500 + i));
  planGames({ rules: { ...rulesOf(rule), teamSize: 2 }, tickets, nowMs: 0 }).next();
  expect(asked.length).toBeGreaterThan(20);
  expect(new Set(asked).size).toBe(asked.length);
});

it('mayJoin or least that fails leaves the decision to the whole game', () => {
  const fails = () => {
    throw new Error('no');
  };
  useCode(codeOf({ judged: () => true, mayJoin: { judged: fails } }));
  const tickets = [ticket('a'), ticket('b')];
  const { matches, failures } = planTick({ rules: rulesOf(rule), tickets, nowMs: 0 });
  expect(matches).toHaveLength(1);
  expect(failures).toMatchObject([{ function: 'mayJoin.judged' }]);
  useCode(codeOf({ judged: () => 2, least: { judged: fails } }));
  const costly = planTick({ rules: rulesOf({ ...rule, cost: 1 }), tickets, nowMs: 0 });
  expect(costly.matches[0]?.imbalance).toBe(2);
  expect(costly.failures).toMatchObject([{ function: 'least.judged' }]);
});

it('a search without the function ends with an error that names it and the rule', () => {
  const search = () => planTick({ rules: rulesOf(rule), tickets: [ticket('a'), ticket('b')], nowMs: 0 });
  expect(search).toThrow(
    'Expected a function of the deployed code, got judged for rule Votes: there is no code',
  );
  useCode(codeOf({ other: () => true, another: () => true }));
  expect(search).toThrow('got judged for rule Votes: the code exports other, another');
});

it('exports about other functions must name one', () => {
  expect(() => codeOf({ judged: () => true, mayJoin: { judge: () => true } })).toThrow(
    'Expected mayJoin.judge to be a function that is about the exported function judge, got no such export: judged',
  );
  expect(() => codeOf({ judged: () => true, least: { judged: 3 } })).toThrow('got 3');
  expect(() => codeOf({ mayJoin: 'all' })).toThrow('Expected the export mayJoin to be an object');
});

it('a posted ticket is not judged by a rule whose function only the search has', () => {
  useCode(codeOf({ judged: () => 'never' }));
  const kinds = [{ name: undefined, size: 1, minSize: 1, count: 1 }];
  expect(partyFaults({ players: [{ playerId: 'a', skill: 1 }] }, rulesOf(rule), kinds)).toEqual([]);
});

it('options may change with the wait of a ticket, and a rule that only so permits a game has relaxed', () => {
  const judged: CustomRule<{ quorum: number }> = ({ teams }, { quorum }) =>
    teams.length >= quorum || 'too few teams';
  const relax = [{ waitSeconds: 10, options: { quorum: 2 } }];
  const relaxing = { ...rule, options: { quorum: 3 }, relax } as Rule;
  expect(ruleFaults({ rules: [relaxing] })).toEqual([]);
  const { matches } = plan(judged, relaxing);
  expect(matches).toHaveLength(1);
  const tickets = [ticket('a'), ticket('b')];
  expect(relaxedRules(rulesOf(relaxing), matches[0]!, tickets, 12_000)).toEqual(['Votes']);
  expect(planTick({ rules: rulesOf(relaxing), tickets, nowMs: 9_000 }).matches).toEqual([]);
});

it('counts the calls that fail, and keeps the message of the first', () => {
  const failures: CustomFailures = new Map();
  const code = codeOf({ judged: (_: unknown, { n = 1 }: { n?: number }) => n });
  const calls = new CustomCalls({ attributes: {}, nowMs: 0 }, failures, code);
  for (const n of [7, 8]) calls.evaluate({ ...rule, options: { n } }, { teams: [] });
  const message = 'Expected true or a reason, got 7';
  expect([...failures.values()]).toEqual([{ rule: 'Votes', function: 'judged', calls: 2, message }]);
});
