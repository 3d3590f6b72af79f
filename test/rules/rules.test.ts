import { describe, expect, it } from 'vitest';
import { planTick, type QueueRules } from '../../lib/policies/plan.ts';
import type { Rule } from '../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';

/** A 1v1 or 2v2 tick at second 60 with one rule. Tickets have waited a minute by default. */
function tick(
  rule: object,
  players: readonly (Omit<Partial<RuledPlayer>, 'skill'> & { skill?: number; waited?: number })[],
  more: Partial<QueueRules> = {},
  metAtMs?: number,
) {
  const rules: QueueRules = {
    teamSize: 1,
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 2,
    timeoutSeconds: 600,
    attributes: {
      level: { type: 'number', default: 1 },
      patch: { type: 'string', default: '1.0' },
      maps: { type: 'strings', default: ['docks'] },
      brings: { type: 'strings', default: ['docks'] },
    },
    rules: [{ name: 'The rule', ...rule } as Rule],
    ...more,
  };
  const tickets = players.map(({ waited = 60, skill = 1500, ...player }, i) => ({
    ticketId: `t${i}`,
    enqueuedAtMs: 60_000 - 1000 * waited,
    players: [{ playerId: `p${i}`, skill, ...player }],
  }));
  const all = new Map(tickets.map(({ players: [player] }) => [player.playerId, metAtMs ?? 0]));
  const meetings = { of: () => (metAtMs === undefined ? undefined : all) };
  return planTick({ rules, tickets, nowMs: 60_000, meetings });
}

const level = (value: number) => ({ attributes: { level: value } });
const maps = (...values: string[]) => ({ attributes: { maps: values } });
const patch = (value: string) => ({ attributes: { patch: value } });
/** A player who brings one value and accepts others. */
const brings = (own: string, ...maps: string[]) => ({ attributes: { brings: [own], maps } });
const many = Array.from({ length: 70 }, (_, i) => `m${i}`);
/** A player who brings many values and accepts some. */
const accepts = (...maps: string[]) => ({ attributes: { brings: many, maps } });
const pings = (east: number, west: number) => ({ latencyMs: { east, west } });
/** Two against two, in teams with names. */
const redAndBlue: Partial<QueueRules> = {
  teamSize: undefined,
  teams: [
    { name: 'red', size: 2 },
    { name: 'blue', size: 2 },
  ],
};
const levelMean = { of: 'mean', attribute: 'level' };

describe('a rule without a cost', () => {
  it.each<[string, object, object[], object[], Partial<QueueRules>?]>([
    ['same', { type: 'same', attribute: 'patch' }, [patch('a'), patch('a')], [patch('a'), patch('b')]],
    [
      'different',
      { type: 'different', attribute: 'patch' },
      [patch('a'), patch('b')],
      [patch('a'), patch('a')],
    ],
    ['within', { type: 'within', attribute: 'level', max: 5 }, [level(1), level(6)], [level(1), level(7)]],
    [
      'common',
      { type: 'common', attribute: 'maps' },
      [maps('x', 'y'), maps('y', 'z')],
      [maps('x'), maps('y')],
    ],
    [
      'count',
      { type: 'count', attribute: 'patch', value: 'a', atMost: 1 },
      [patch('a'), patch('b')],
      [patch('a'), patch('a')],
    ],
    ['balance', { type: 'balance', attribute: 'level', max: 5 }, [level(1), level(6)], [level(1), level(7)]],
    [
      'compare',
      { type: 'compare', left: levelMean, op: '<=', right: 5 },
      [level(4), level(6)],
      [level(5), level(6)],
    ],
    ['latency', { type: 'latency', max: 50 }, [pings(90, 40), pings(20, 50)], [pings(90, 40), pings(20, 51)]],
    [
      'accepted',
      { type: 'accepted', attribute: 'brings', by: 'maps' },
      [brings('x', 'x', 'y'), brings('y', 'x', 'y')],
      [brings('x', 'x', 'y'), brings('y', 'x')],
    ],
    [
      'accepted of many values',
      { type: 'accepted', attribute: 'brings', by: 'maps', atLeast: 2 },
      [accepts(...many), accepts('m1', 'm69')],
      [accepts(...many), accepts('m69', 'x')],
    ],
    [
      'within a team of a kind',
      { type: 'within', attribute: 'level', max: 5, team: 'red' },
      [level(9), level(9), { ...level(1), teams: ['blue'] }, { ...level(7), teams: ['blue'] }],
      [level(1), level(2), { ...level(9), teams: ['red'] }, { ...level(3), teams: ['red'] }],
      redAndBlue,
    ],
    [
      'same in a team of a kind',
      { type: 'same', attribute: 'patch', team: 'red' },
      [patch('a'), patch('a'), { ...patch('b'), teams: ['blue'] }, { ...patch('c'), teams: ['blue'] }],
      [patch('a'), patch('b'), { ...patch('b'), teams: ['red'] }, { ...patch('c'), teams: ['red'] }],
      redAndBlue,
    ],
    [
      'different in a team of a kind',
      { type: 'different', attribute: 'patch', team: 'red' },
      [patch('a'), patch('b'), { ...patch('c'), teams: ['blue'] }, { ...patch('c'), teams: ['blue'] }],
      [patch('a'), patch('b'), { ...patch('c'), teams: ['red'] }, { ...patch('c'), teams: ['red'] }],
      redAndBlue,
    ],
    [
      'common in a team of a kind',
      { type: 'common', attribute: 'maps', team: 'red' },
      [maps('x'), maps('x'), { ...maps('y'), teams: ['blue'] }, { ...maps('z'), teams: ['blue'] }],
      [maps('x'), maps('x'), { ...maps('y'), teams: ['red'] }, { ...maps('z'), teams: ['red'] }],
      redAndBlue,
    ],
    [
      'anyOf with an alternative that has relaxed after a minute',
      {
        type: 'anyOf',
        rules: [
          { type: 'same', attribute: 'patch' },
          { type: 'within', attribute: 'level', max: 2, relax: [{ waitSeconds: 60, max: 5 }] },
        ],
      },
      [{ attributes: { patch: 'a', level: 1 } }, { attributes: { patch: 'b', level: 6 } }],
      [{ attributes: { patch: 'a', level: 1 } }, { attributes: { patch: 'b', level: 6 }, waited: 59 }],
    ],
    [
      'anyOf',
      {
        type: 'anyOf',
        rules: [
          { type: 'same', attribute: 'patch' },
          { type: 'within', attribute: 'level', max: 5 },
        ],
      },
      [level(1), level(6)],
      [{ attributes: { patch: 'a', level: 1 } }, { attributes: { patch: 'b', level: 7 } }],
    ],
  ])(
    'of type %s permits games that keep it and forbids the others, with a reason that names it',
    (_, rule, kept, broken, more) => {
      expect(tick(rule, kept, more).matches).toHaveLength(1);
      const { matches, waiting } = tick(rule, broken, more);
      expect(matches).toEqual([]);
      expect(waiting.map(({ reason }) => reason)).toEqual(
        broken.map(() => expect.stringContaining('The rule')),
      );
    },
  );

  it('of type recent forbids games of players who met within its seconds', () => {
    const rule = { type: 'recent', seconds: 30 };
    expect(tick(rule, [{}, {}], {}, 30_000).matches).toHaveLength(1);
    const { matches, waiting } = tick(rule, [{}, {}], {}, 30_001);
    expect(matches).toEqual([]);
    expect(waiting[0]!.reason).toContain('The rule');
  });

  it('of type count with atLeast finds the one player who makes the game possible, at any distance', () => {
    const others = Array.from({ length: 60 }, (_, i) => ({ skill: 1500 + i / 10 }));
    const rule = { type: 'count', attribute: 'patch', value: 'guide', atLeast: 1 };
    const { matches } = tick(rule, [...others, { skill: 900, ...patch('guide') }], { teamSize: 2 });
    expect(matches).toHaveLength(1);
    expect(matches[0]!.ticketIds).toContain('t60');
  });
});

describe('relaxation', () => {
  const rule = { type: 'within', attribute: 'level', max: 5, relax: [{ waitSeconds: 30, max: 10 }] };

  it('is mutual: every ticket in a game has the limits of its own age', () => {
    expect(tick(rule, [level(1), { ...level(9), waited: 30 }]).matches).toHaveLength(1);
    const { matches, waiting } = tick(rule, [level(1), { ...level(9), waited: 18 }]);
    expect(matches).toEqual([]);
    expect(waiting[0]!.reason).toContain('One is possible without the rule The rule or in 12 s.');
  });

  it('does not start again for waiting tickets when a new ticket arrives', () => {
    const { matches } = tick(rule, [level(1), level(9), { ...level(5), waited: 0 }]);
    expect(matches).toHaveLength(1);
  });

  it('follows the oldest ticket of a game when the definition says so', () => {
    expect(tick(rule, [level(1), { ...level(9), waited: 0 }], { relaxBy: 'oldest' }).matches).toHaveLength(1);
  });

  it('can turn a rule off', () => {
    const off = { ...rule, relax: [{ waitSeconds: 30, off: true }] };
    expect(tick(off, [level(1), level(50)]).matches).toHaveLength(1);
    expect(tick(off, [level(1), { ...level(50), waited: 29 }]).matches).toEqual([]);
  });
});

describe('a rule with a cost', () => {
  it('forbids nothing and adds to the imbalance', () => {
    const { matches } = tick({ type: 'within', attribute: 'level', cost: 3 }, [level(1), level(7)]);
    expect(matches).toMatchObject([{ imbalance: 18, ruling: { rules: { 'The rule': { cost: 18 } } } }]);
  });

  it('that also has a max adds a cost and forbids games', () => {
    const rule = { type: 'within', attribute: 'level', max: 5, cost: 3 };
    expect(tick(rule, [level(1), level(7)]).matches).toEqual([]);
    expect(tick(rule, [level(1), level(6)]).matches).toMatchObject([{ imbalance: 15 }]);
  });

  it('prefers a game with a lower cost to one of nearer skills', () => {
    const rule = { type: 'same', attribute: 'patch', cost: 100 };
    const players = [patch('a'), { ...patch('b'), skill: 1501 }, { ...patch('a'), skill: 1510 }];
    expect(tick(rule, players).matches[0]!.ticketIds).toEqual(['t0', 't2']);
  });

  it('of type recent decreases until its seconds are over', () => {
    const { matches } = tick({ type: 'recent', seconds: 40, cost: 8 }, [{}, {}], {}, 50_000);
    expect(matches).toMatchObject([{ imbalance: 6 }]);
  });
});

describe('a match', () => {
  it('is in the permitted region whose worst player has the least latency', () => {
    const { matches } = tick({ type: 'latency', max: 100 }, [pings(90, 40), pings(20, 60)]);
    expect(matches).toMatchObject([{ ruling: { region: 'west' } }]);
  });

  it('is in the first region by name when several are equally near', () => {
    const { matches } = tick({ type: 'latency', max: 100 }, [pings(40, 20), pings(20, 40)]);
    expect(matches).toMatchObject([{ ruling: { region: 'east' } }]);
  });

  it('names the values that its players share', () => {
    const { matches } = tick({ type: 'common', attribute: 'maps' }, [maps('z', 'y', 'x'), maps('x', 'z')]);
    expect(matches).toMatchObject([{ ruling: { rules: { 'The rule': { values: ['x', 'z'] } } } }]);
  });

  it('carries the attributes of its players', () => {
    const { matches } = tick({ type: 'same', attribute: 'patch' }, [patch('a'), patch('a')]);
    expect(matches[0]!.teams[0]![0]).toMatchObject({ attributes: { patch: 'a' } });
  });
});

describe('a player who avoids another', () => {
  it('is never in one game with them, in either direction, in a queue with or without rules', () => {
    for (const rules of [undefined, [{ name: 'P', type: 'same', attribute: 'patch' } as Rule]]) {
      for (const players of [
        [{ avoid: ['p1'] }, {}],
        [{}, { avoid: ['p0'] }],
      ]) {
        const { matches, waiting } = tick({}, players, { rules });
        expect(matches).toEqual([]);
        expect(waiting[0]!.reason).toMatch(/avoids/);
      }
    }
  });
});
