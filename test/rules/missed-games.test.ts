import { expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import type { Rule } from '../../lib/rules/rule-types.ts';
import { seeded } from '../engine/random-pool.ts';
import { sample } from '../long.ts';
import { compareMissed, missedCase, poolOf } from './missed-games.ts';

it('finds a game with the default budget wherever brute force finds one, under rules of whole games', () => {
  let found = 0;
  for (let seed = 1; seed <= sample(12, 40); seed++) {
    const verdict = compareMissed(missedCase(seed));
    if (!verdict?.exists) continue;
    expect(verdict.isFound, `seed ${seed}`).toBe(true);
    found++;
  }
  expect(found).toBeGreaterThan(sample(3, 10));
});

it.each([1, 2, 3, 4])(
  'finds and proves both games of two maps where a rule permits a small range too (%d)',
  (seed) => {
    const random = seeded(seed);
    const tickets = Array.from({ length: 20 }, (_, i): Ticket => {
      const skill = 1200 + 600 * random();
      const level = Math.floor(50 * random());
      const player = { playerId: `p${i}`, skill, attributes: { level, maps: [i % 2 === 0 ? 'x' : 'y'] } };
      return { ticketId: `t${i}`, enqueuedAtMs: 0, players: [player] };
    });
    const rule: Rule = {
      name: 'maps or levels',
      type: 'anyOf',
      rules: [
        { type: 'common', attribute: 'maps' },
        {
          type: 'compare',
          left: { of: 'greatest', attribute: 'level' },
          right: { of: 'least', attribute: 'level' },
          max: 10,
        },
      ],
    };
    const games = [...poolOf({ shape: { teamSize: 5 }, rules: [rule], tickets }).drain(1000)];
    expect(games.map(({ optimal }) => optimal)).toEqual([true, true]);
  },
);

/** The best game of three teams of three among players of equal skill with these levels and maps, with the default budget. */
function bestOfEqual(rules: readonly Rule[], values: readonly (readonly [level: number, map: string])[]) {
  const tickets = values.map(([level, map], i): Ticket => {
    const player = { playerId: `p${i}`, skill: 1500, attributes: { level, maps: [map] } };
    return { ticketId: `t${i}`, enqueuedAtMs: 0, players: [player] };
  });
  return poolOf({ shape: { teamSize: 3, teams: 3 }, rules, tickets }).best(1000);
}

it('proves the best game where the same players cost something in any teams, and more in some', () => {
  const best = bestOfEqual(
    [
      { name: 'Map', type: 'accepted', attribute: 'maps', by: 'maps', cost: 2 },
      { name: 'Level', type: 'balance', attribute: 'level', cost: 1 },
    ],
    Array.from({ length: 12 }, (_, i) => [2 ** (i % 3), i % 4 === 0 ? 'y' : 'x']),
  );
  expect(best).toMatchObject({ imbalance: 0, optimal: true });
});

it('proves the best game of equal players where every division costs something', () => {
  const rule: Rule = { name: 'Level', type: 'same', attribute: 'level', scope: 'team', cost: 1 };
  // Only two levels have three players.
  const best = bestOfEqual(
    [rule],
    Array.from({ length: 10 }, (_, i) => [i % 4, 'x']),
  );
  expect(best).toMatchObject({ imbalance: 1, optimal: true });
});

it('finds and proves matches of players who accept each other, where it costs something if they do not', () => {
  const random = seeded(7);
  const some = (count: number) => {
    const values = Array.from({ length: 12 }, (_, i) => `c${i}`);
    return Array.from({ length: count }, () => values.splice(Math.floor(values.length * random()), 1)[0]!);
  };
  const tickets = Array.from({ length: 60 }, (_, i): Ticket => {
    const attributes = { has: some(2), accepts: some(9) };
    const player = { playerId: `p${i}`, skill: 1200 + 600 * random(), attributes };
    return { ticketId: `t${i}`, enqueuedAtMs: 0, players: [player] };
  });
  const rule: Rule = { name: 'r', type: 'accepted', attribute: 'has', by: 'accepts', cost: 20 };
  const games = [...poolOf({ shape: { teamSize: 5 }, rules: [rule], tickets }).drain(1000)];
  expect(games.map(({ optimal }) => optimal)).toEqual(Array(6).fill(true));
});

it('finds and proves matches whose teams are of one clan each, where it costs something if they are not', () => {
  const random = seeded(7);
  const tickets = Array.from({ length: 60 }, (_, i): Ticket => {
    const player = {
      playerId: `p${i}`,
      skill: 1200 + 600 * random(),
      attributes: { clan: `c${Math.floor(4 * random())}` },
    };
    return { ticketId: `t${i}`, enqueuedAtMs: 0, players: [player] };
  });
  const rule: Rule = { name: 'r', type: 'same', attribute: 'clan', scope: 'team', cost: 20 };
  const games = [...poolOf({ shape: { teamSize: 5 }, rules: [rule], tickets }).drain(1000)];
  expect(games.map(({ optimal }) => optimal)).toEqual(Array(6).fill(true));
});
