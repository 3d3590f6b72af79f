import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import { type Backfill, planTick, type QueueRules } from '../../lib/policies/plan.ts';
import { isCostOnly, type Rule } from '../../lib/rules/rule-types.ts';
import type { ReleaseOptions } from '../../lib/vocabulary/release-options.ts';
import { seeded } from '../engine/random-pool.ts';
import { sample } from '../long.ts';
import { oracleOf, type RuledCase } from '../rules/oracle.ts';
import { meetingsOf } from '../rules/oracle-run.ts';
import { randomShapedRuledCase } from '../rules/random-rules.ts';

const solo = (ticketId: string, enqueuedAtMs = 0, more: object = {}): Ticket => ({
  ticketId,
  enqueuedAtMs,
  players: [{ playerId: `player-${ticketId}`, skill: 1500, ...more }],
});
const queue = (more: Partial<QueueRules>): QueueRules => ({
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 300,
  ...more,
});
const reasons = (rules: QueueRules, tickets: readonly Ticket[], nowMs: number, backfills?: Backfill[]) => {
  const { waiting, unfilled } = planTick({ rules, tickets, nowMs, ...(backfills && { backfills }) });
  return { tickets: waiting.map(({ reason }) => reason), backfills: unfilled.map(({ reason }) => reason) };
};

describe('the reason of a waiting ticket', () => {
  const teams = [{ name: 'all', size: 4, minSize: 2 }];
  const mayBeShort = queue({ teams, short: { afterSeconds: 10 } });

  it('says how many players are needed now, how many later, and from when', () => {
    const three = [solo('a'), solo('b', 1000), solo('c', 2000)];
    expect(reasons(mayBeShort, three, 5000).tickets).toEqual(
      [6, 6, 7].map(
        (seconds) =>
          `Too few players: a match with this ticket needs 4, or 2 who have all waited 10 s; 3 available, 0 of them for 10 s. One is possible in ${seconds} s.`,
      ),
    );
    expect(reasons(mayBeShort, three.slice(0, 1), 5000).tickets).toEqual([
      'A match needs 4 players, or 2 who have all waited 10 s; 1 is waiting.',
    ]);
  });

  it('names no time at which one of the tickets has timed out', () => {
    const soon = { ...mayBeShort, timeoutSeconds: 11 };
    expect(reasons(soon, [solo('a'), solo('b', 2000)], 5000).tickets).toEqual(
      Array(2).fill(expect.stringMatching(/for 10 s\.$/)),
    );
  });

  const three = (name: string): Rule => ({
    name,
    type: 'count',
    attribute: 'skill',
    value: 1500,
    team: name.split(' ')[0]!,
    atLeast: 3,
    relax: [{ waitSeconds: 60, atLeast: 2 }],
  });
  const imported = queue({
    teams: ['red', 'blue'].map((name) => ({ name, size: 3, minSize: 1 })),
    short: { afterSeconds: 0 },
    rules: [three('red size'), three('blue size')],
    backfill: {},
  });

  it('names each rule without which there is a match, and no rule that all tickets meet', () => {
    const met: Rule = { name: 'Met', type: 'within', attribute: 'skill', max: 10 };
    const rules = { ...imported, rules: [met, ...imported.rules!] };
    const four = ['a', 'b', 'c', 'd'].map((name) => solo(name));
    expect(reasons(rules, four, 10_000).tickets[0]).toBe(
      'No match with it can be formed from the waiting tickets. One is possible without the rule red size, without the rule blue size or in 50 s.',
    );
  });

  it('names rules that only together prevent a match', () => {
    const apart: Rule[] = [
      { name: 'Level', type: 'within', attribute: 'level', max: 5 },
      { name: 'Near', type: 'within', attribute: 'skill', max: 10 },
      { name: 'Met', type: 'within', attribute: 'skill', max: 1000 },
    ];
    const rules = queue({ teamSize: 1, attributes: { level: { type: 'number' } }, rules: apart });
    const two = [
      solo('a', 0, { attributes: { level: 1 } }),
      solo('b', 0, { skill: 1600, attributes: { level: 9 } }),
    ];
    expect(reasons(rules, two, 0).tickets[0]).toBe(
      'Too few players: a match with this ticket needs 2, 1 available (1 more may not be matched with it: rules of the queue exclude them). One is possible without the rules Level and Near.',
    );
  });

  it('names the time at which an earlier meeting is over', () => {
    const rules = queue({ teamSize: 1, rules: [{ name: 'Again', type: 'recent', seconds: 60 }] });
    const two = [solo('a', 0, { met: [['player-b', 0]] }), solo('b')];
    expect(reasons(rules, two, 10_000).tickets[0]).toMatch(
      / One is possible without the rule Again or in 50 s\.$/,
    );
  });

  it('says what keeps it from a running match', () => {
    const players = [0, 0, 1, 1].map((team, i) => ({ playerId: `p${i}`, skill: 1500, team }));
    const running: Backfill = { backfillId: 'b', requestedAtMs: 0, players };
    expect(reasons(imported, [solo('new', 50_000)], 60_000, [running])).toEqual({
      tickets: [
        'A match needs 2 players; 1 is waiting. It can join the running match b without the rule red size, without the rule blue size or in 50 s.',
      ],
      backfills: [
        'No waiting tickets can fill its 2 empty seats. Seats can be filled without the rule red size, without the rule blue size or in 50 s.',
      ],
    });
  });
});

describe('the reason of a running match', () => {
  const teams = ['red', 'blue'].map((name) => ({ name, size: 3, minSize: 2 }));
  const rules = queue({ teams, short: { afterSeconds: 60 }, backfill: {} });
  const there = (...of: number[]): Backfill => ({
    backfillId: 'b',
    requestedAtMs: 0,
    players: of.map((team, i) => ({ playerId: `p${i}`, skill: 1500, team })),
  });

  it('says how many newcomers are needed now, how many later, and from when', () => {
    expect(reasons(rules, [solo('new', 50_000)], 60_000, [there(0, 0, 1, 1)]).backfills).toEqual([
      'No waiting tickets can fill its 2 empty seats, or 1 when all have waited 60 s. Seats can be filled in 50 s.',
    ]);
  });

  it('says which team lacks its minimum', () => {
    const onlyRed = solo('new', 0, { teams: ['red'] });
    expect(reasons(rules, [onlyRed], 60_000, [there(0, 0, 1)]).backfills).toEqual([
      'No waiting tickets can fill its 3 empty seats, or 1 when all have waited 60 s: team blue needs 1 of the newcomers.',
    ]);
  });
});

describe('the reason that a policy gives', () => {
  const pair = (skill: number) => [solo('a'), solo('b', 0, { skill })];

  it.each([
    [
      { policy: 'expanding', tolerance: 10, growthPerSecond: 2 },
      'After 5 s it accepts a skill distance of 20, and of 40 in 10 s.',
    ],
    [
      { policy: 'expanding', tolerance: 10, steps: [{ waitSeconds: 30, tolerance: 100 }] },
      'After 5 s it accepts a skill distance of 10, and of 100 in 25 s.',
    ],
    [{ policy: 'periodic', everySeconds: 60 }, 'Matches are made every 60 s; the next are in 55 s.'],
    [{ policy: 'option-value', waitCost: 0.001, longestWaitSeconds: 40 }, 'for 35 s at most.'],
  ] satisfies [ReleaseOptions, string][])('%j says until when', (release, text) => {
    const rules = queue({ teamSize: 1, release });
    const [reason] = reasons(rules, pair(1560), 5000).tickets;
    expect(reason).toContain(text);
  });
});

it('names the rules and the time that brute force finds', () => {
  const seen = { rules: 0, times: 0, together: 0, none: 0 };
  for (let seed = 1; seed <= sample(60, 3000); seed++) checkReasons(seed, seen);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

/** Compares what the reasons of a random pool name with all games: without each rule, and at each later second. */
function checkReasons(seed: number, seen: { rules: number; times: number; together: number; none: number }) {
  const { nodeBudget: _, ...of } = randomShapedRuledCase(seeded(seed));
  // The games of more tickets take long to count.
  if (of.tickets.length > 8) return;
  const { alpha, p, q, beta } = of.rules;
  const exponent = (value: number) => (value === Number.POSITIVE_INFINITY ? 'inf' : value);
  const rules = queue({
    ...of.rules,
    ...of.definition,
    imbalance: { alpha, p: exponent(p), q: exponent(q) },
    beta,
    timeoutSeconds: 10_000,
  });
  const plan = planTick({ rules, tickets: of.tickets, nowMs: of.nowMs, meetings: meetingsOf(of) });
  const left = new Set(plan.waiting.map(({ ticketId }) => ticketId));
  const waiting = of.tickets.filter(({ ticketId }) => left.has(ticketId));
  const inGames = (more: Partial<RuledCase>) =>
    new Set(
      oracleOf({ ...of, ...more })
        .allGames(waiting)
        .flatMap(({ ticketIds }) => ticketIds),
    );
  const all = of.definition.rules ?? [];
  const without = (names: readonly string[]) =>
    inGames({ definition: { ...of.definition, rules: all.filter(({ name }) => !names.includes(name)) } });
  const hard = all.filter((rule) => !isCostOnly(rule)).map(({ name }) => name);
  const alone = new Map(hard.map((name) => [name, without([name])]));
  const isPossibleIn = (seconds: number, ticketId: string) =>
    inGames({ nowMs: of.nowMs + 1000 * seconds }).has(ticketId);
  for (const { ticketId, reason } of plan.waiting) {
    const because = `seed ${seed}, ${ticketId}: ${reason}`;
    const named = [...reason.matchAll(/without the rule (\w+)/g)].map(([, name]) => name!);
    const expected = hard.filter((name) => alone.get(name)!.has(ticketId));
    expect(named, because).toEqual(expected);
    const together = /without the rules ([\w, ]+?)(?: or in|\.)/.exec(reason)?.[1]?.split(/, | and /);
    if (together) {
      expect(without(together).has(ticketId), because).toBe(true);
      for (const name of together)
        expect(without(together.filter((one) => one !== name)).has(ticketId), because).toBe(false);
    }
    const after = /in (\d+) s\.$/.exec(reason)?.[1];
    if (after !== undefined) expect(isPossibleIn(Number(after), ticketId), because).toBe(true);
    const before = after === undefined ? 1000 : Number(after) - 1;
    if (before > 0) expect(isPossibleIn(before, ticketId), because).toBe(false);
    seen.rules += named.length;
    seen.together += together ? 1 : 0;
    seen.times += after === undefined ? 0 : 1;
    seen.none += named.length === 0 && after === undefined ? 1 : 0;
  }
}
