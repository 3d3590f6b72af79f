import { describe, expect, it } from 'vitest';
import { planTick, type QueueRules } from '../../lib/policies/plan.ts';
import type { Rule } from '../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { policies } from './policies.ts';

interface SomePlayer extends Omit<Partial<RuledPlayer>, 'skill'> {
  readonly skill?: number;
  readonly waited?: number;
}

/** A tick at second 60 of a queue of one killer against three survivors; the first player is the killer. */
function tick(
  rule: object,
  players: readonly SomePlayer[],
  more: Partial<QueueRules> = {},
  metAtMs?: number,
) {
  const rules: QueueRules = {
    teams: [
      { name: 'killer', size: 1 },
      { name: 'survivors', size: 3 },
    ],
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 2,
    timeoutSeconds: 62,
    attributes: {
      level: { type: 'number', default: 1 },
      patch: { type: 'string', default: '1.0' },
      maps: { type: 'strings', default: ['docks'] },
    },
    rules: [{ name: 'The rule', ...rule } as Rule],
    ...more,
  };
  const isAsymmetric = typeof rules.teams === 'object';
  const tickets = players.map(({ waited = 60, skill = 1500, ...player }, i) => ({
    ticketId: `t${i}`,
    enqueuedAtMs: 60_000 - 1000 * waited,
    players: [
      {
        playerId: `p${i}`,
        skill,
        ...(isAsymmetric && { teams: [i === 0 ? 'killer' : 'survivors'] }),
        ...player,
      },
    ],
  }));
  const met = new Map(metAtMs === undefined ? [] : [['p2', metAtMs] as const]);
  const meetings = { of: (playerId: string) => (playerId === 'p1' ? met : undefined) };
  const both = {
    of: (playerId: string) =>
      playerId === 'p2' ? new Map([...met].map(([, at]) => ['p1', at])) : meetings.of(playerId),
  };
  return planTick({ rules, tickets, nowMs: 60_000, meetings: both, timeouts: false });
}

const level = (...values: number[]): SomePlayer[] =>
  values.map((value) => ({ attributes: { level: value } }));
const patch = (...values: string[]): SomePlayer[] =>
  values.map((value) => ({ attributes: { patch: value } }));
const maps = (...values: string[]): SomePlayer[] =>
  values.map((list) => ({ attributes: { maps: list.split(' ') } }));
const pings = (...values: [number, number][]): SomePlayer[] =>
  values.map(([east, west]) => ({ latencyMs: { east, west } }));
const anyone: SomePlayer[] = [{}, {}, {}, {}];

interface Example {
  readonly rule: object;
  readonly kept: readonly SomePlayer[];
  readonly broken: readonly SomePlayer[];
  /** The limits that a rule with a cost goes without, and the units by which `broken` breaks it. */
  readonly without?: object;
  readonly units?: number;
}

const examples: Record<string, Example> = {
  same: {
    rule: { type: 'same', attribute: 'patch' },
    kept: patch('a', 'a', 'a', 'a'),
    broken: patch('a', 'a', 'b', 'c'),
    units: 2,
  },
  'same in each team': {
    rule: { type: 'same', attribute: 'patch', scope: 'team' },
    kept: patch('b', 'a', 'a', 'a'),
    broken: patch('b', 'a', 'a', 'b'),
    units: 1,
  },
  different: {
    rule: { type: 'different', attribute: 'patch' },
    kept: patch('a', 'b', 'c', 'd'),
    broken: patch('a', 'b', 'c', 'a'),
    units: 1,
  },
  'different in each team': {
    rule: { type: 'different', attribute: 'patch', scope: 'team' },
    kept: patch('a', 'a', 'b', 'c'),
    broken: patch('a', 'b', 'b', 'b'),
    units: 2,
  },
  within: {
    rule: { type: 'within', attribute: 'level', max: 5 },
    kept: level(1, 2, 6, 3),
    broken: level(1, 2, 7, 3),
    without: { max: undefined },
    units: 6,
  },
  'within in each team': {
    rule: { type: 'within', attribute: 'level', max: 5, scope: 'team' },
    kept: level(30, 1, 6, 3),
    broken: level(1, 1, 7, 3),
    without: { max: undefined },
    units: 6,
  },
  common: {
    rule: { type: 'common', attribute: 'maps' },
    kept: maps('x y', 'y z', 'y', 'y x'),
    broken: maps('x', 'y', 'y', 'y'),
    units: 1,
  },
  'common in each team': {
    rule: { type: 'common', attribute: 'maps', scope: 'team' },
    kept: maps('x', 'y z', 'y', 'y'),
    broken: maps('x', 'x', 'y', 'y'),
    units: 1,
  },
  count: {
    rule: { type: 'count', attribute: 'patch', value: 'a', atLeast: 1, atMost: 2 },
    kept: patch('a', 'a', 'b', 'b'),
    broken: patch('a', 'a', 'a', 'a'),
    units: 2,
  },
  'count in each team': {
    rule: { type: 'count', attribute: 'patch', value: 'a', atMost: 1, scope: 'team' },
    kept: patch('a', 'a', 'b', 'b'),
    broken: patch('b', 'a', 'a', 'b'),
    units: 1,
  },
  'count in one kind of team': {
    rule: { type: 'count', attribute: 'patch', value: 'a', atLeast: 2, team: 'survivors' },
    kept: patch('b', 'a', 'a', 'b'),
    broken: patch('a', 'a', 'b', 'b'),
    units: 1,
  },
  balance: {
    rule: { type: 'balance', attribute: 'level', max: 5 },
    kept: level(6, 1, 1, 1),
    broken: level(8, 1, 1, 1),
    without: { max: undefined },
    units: 7,
  },
  compare: {
    rule: {
      type: 'compare',
      left: { of: 'mean', attribute: 'level', team: 'killer' },
      op: '>=',
      right: { of: 'greatest', attribute: 'level', team: 'survivors' },
    },
    kept: level(6, 6, 5, 1),
    broken: level(6, 8, 5, 1),
    units: 2,
  },
  latency: {
    rule: { type: 'latency', max: 50 },
    kept: pings([90, 40], [20, 50], [10, 10], [90, 50]),
    broken: pings([90, 40], [20, 51], [10, 10], [90, 50]),
    without: { max: undefined },
    units: 51,
  },
  anyOf: {
    rule: {
      type: 'anyOf',
      rules: [
        { type: 'same', attribute: 'patch', scope: 'team' },
        { type: 'within', attribute: 'level', max: 5 },
      ],
    },
    kept: [{}, ...level(1, 9, 30)],
    broken: [{}, ...level(1, 9), { attributes: { patch: 'x' } }],
  },
};

describe.each(Object.entries(policies))('policy %s in a queue of one against three', (_, release) => {
  it.each(Object.entries(examples))('keeps the rule: %s', (_name, { rule, kept, broken, without, units }) => {
    expect(tick(rule, kept, { release }).matches).toMatchObject([{ teams: [{ length: 1 }, { length: 3 }] }]);

    const { matches, waiting } = tick(rule, broken, { release });
    expect(matches).toEqual([]);
    for (const { reason } of waiting) expect(reason).toContain('The rule');

    // Relaxation is mutual: one ticket that has not waited long enough keeps the rule for all.
    const relaxed = { ...rule, relax: [{ waitSeconds: 30, off: true }] };
    expect(tick(relaxed, broken, { release }).matches).toHaveLength(1);
    const one = broken.map((player, i) => (i === 2 ? { ...player, waited: 29 } : player));
    expect(tick(relaxed, one, { release }).matches).toEqual([]);

    if (units === undefined) return;
    const costly = tick({ ...rule, ...without, cost: 3 }, broken, { release }).matches;
    expect(costly).toMatchObject([
      { imbalance: 3 * units, ruling: { cost: 3 * units, rules: { 'The rule': { cost: 3 * units } } } },
    ]);
  });

  it.each(['game', 'teammates'])('keeps players who met apart over the %s', (scope) => {
    const rule = { type: 'recent', seconds: 40, scope };
    expect(tick(rule, anyone, { release }, 20_000).matches).toHaveLength(1);
    const { matches, waiting } = tick(rule, anyone, { release }, 50_000);
    expect(matches).toEqual([]);
    expect(waiting[0]!.reason).toContain('The rule');
    expect(tick({ ...rule, cost: 8 }, anyone, { release }, 50_000).matches).toMatchObject([{ imbalance: 6 }]);
  });
});

describe('a queue of many seats with rules', () => {
  const brawl = { teams: 20, teamSize: 1 };
  const two = { teams: 2, teamSize: 10 };

  it('puts players of one region and one level into each match, and names the region', () => {
    const players = Array.from({ length: 120 }, (_, i) => ({
      skill: 1500 + ((i * 7919) % 300),
      latencyMs: i % 2 === 0 ? { east: 20, west: 200 } : { east: 200, west: 20 },
      attributes: { level: 1 + (i % 3) },
    }));
    const rules: Rule[] = [
      { name: 'Ping', type: 'latency', max: 50 },
      { name: 'Level', type: 'same', attribute: 'level' },
    ];
    const { matches } = tick({}, players, { ...brawl, rules });
    expect(matches).toHaveLength(6);
    for (const { ruling, ticketIds, lowerBound, priority } of matches) {
      const members = ticketIds.map((ticketId) => players[Number(ticketId.slice(1))]!);
      expect(new Set(members.map(({ attributes }) => attributes.level)).size).toBe(1);
      expect(new Set(members.map(({ latencyMs }) => latencyMs.east)).size).toBe(1);
      expect(ruling!.region).toBe(members[0]!.latencyMs.east === 20 ? 'east' : 'west');
      expect(lowerBound).toBeLessThanOrEqual(priority);
    }
  });

  it('exchanges players between teams until each team has what it needs', () => {
    const players = Array.from({ length: 24 }, (_, i) => ({
      skill: 1500 + i,
      attributes: { patch: i < 4 ? 'healer' : 'other' },
    }));
    const rule = { type: 'count', attribute: 'patch', value: 'healer', atLeast: 2, scope: 'team' };
    const { matches } = tick(rule, players, two);
    expect(matches).toHaveLength(1);
    for (const team of matches[0]!.teams) {
      const healers = team.filter(({ attributes }) => attributes!.patch === 'healer');
      expect(healers).toHaveLength(2);
    }
  });

  it('replaces players who cost more than others would', () => {
    const players = Array.from({ length: 30 }, (_, i) => ({
      skill: 1500 + i,
      attributes: { patch: i % 3 === 0 ? 'b' : 'a' },
    }));
    const { matches } = tick({ type: 'same', attribute: 'patch', cost: 1000 }, players, brawl);
    expect(matches).toMatchObject([{ ruling: { cost: 0 } }]);
  });

  it('explains which rule keeps a ticket waiting', () => {
    const players = Array.from({ length: 24 }, (_, i) => ({ attributes: { level: i } }));
    const rule = { type: 'within', attribute: 'level', max: 5, relax: [{ waitSeconds: 90, max: 30 }] };
    const { matches, waiting } = tick(rule, players, { ...brawl, timeoutSeconds: 600 });
    expect(matches).toEqual([]);
    expect(waiting[0]!.reason).toContain('One is possible without the rule The rule or in 30 s.');
  });
});

describe('a match that starts short', () => {
  it('has the players that its rules count, though seats stay empty', () => {
    const rule = { type: 'count', attribute: 'patch', value: 'guide', atLeast: 1 };
    const more = {
      teams: [
        { name: 'killer', size: 1 },
        { name: 'survivors', size: 3, minSize: 1 },
      ],
      short: { afterSeconds: 10 },
    };
    expect(tick(rule, patch('a', 'b'), more).matches).toEqual([]);
    expect(tick(rule, patch('a', 'guide'), more).matches).toHaveLength(1);
    expect(tick({ ...rule, cost: 7 }, patch('a', 'b'), more).matches).toMatchObject([{ imbalance: 7 }]);
  });
});

describe('a party that may be divided', () => {
  it('is judged in its parts: each team has only the players who play on it', () => {
    const rules: QueueRules = {
      teamSize: 2,
      imbalance: { alpha: 1, p: 1, q: 2 },
      release: { policy: 'greedy' },
      tickSeconds: 2,
      timeoutSeconds: 600,
      attributes: { patch: { type: 'string' } },
      rules: [{ name: 'Patch', type: 'same', attribute: 'patch', scope: 'team' }],
    };
    const party = (ticketId: string, split: boolean) => ({
      ticketId,
      enqueuedAtMs: 0,
      ...(split && { split }),
      players: ['a', 'b'].map((own) => ({
        playerId: `${ticketId}-${own}`,
        skill: 1500,
        attributes: { patch: own },
      })),
    });
    const plan = (split: boolean) =>
      planTick({ rules, tickets: [party('t0', split), party('t1', split)], nowMs: 60_000 });
    expect(plan(false).matches).toEqual([]);
    const [match] = plan(true).matches;
    expect(match!.teams.map((team) => team.map(({ attributes }) => attributes!.patch))).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });
});
