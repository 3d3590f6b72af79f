import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { sample } from '../../long.ts';
import { comparePacking } from '../packing-oracle.ts';
import { normal, randomCase, roundingCase, seeded } from '../random-pool.ts';

it('makes as many games as the sizes of parties allow, each with a valid bound', () => {
  const random = seeded(20270101);
  let comparisons = 0;
  while (comparisons < sample(400, 700)) {
    const isRounding = random() < 0.4;
    const made = isRounding
      ? roundingCase(random)
      : randomCase(random, { maxPlayers: 10, teamSizes: [2, 3] });
    if (made.rules.roles || made.forbids || made.tickets.length > 11) continue;
    const nodeBudget = random() < 0.3 ? 1 + Math.floor(20 * random()) : undefined;
    comparisons += comparePacking(made, nodeBudget ? { nodeBudget } : {}, random);
  }
});

const shapes: Record<string, Partial<GameRules>> = {
  'two teams of five': { teamSize: 5 },
  'two teams of five with waits': { teamSize: 5, beta: 10 },
  'three teams of four': { teamSize: 4, teams: 3 },
  'three teams of three': { teamSize: 3, teams: 3, q: 1 },
  'teams of three, four and five': {
    teamSize: 5,
    teams: [
      { name: 'a', size: 3 },
      { name: 'b', size: 4 },
      { name: 'c', size: 5 },
    ],
  },
};

it.each(Object.entries(shapes))(
  'matches all parties in %s that the best game first would strand',
  (_, shape) => {
    const rules: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0, ...shape };
    const partyMax = Array.isArray(rules.teams) ? 4 : rules.teamSize;
    const tickets = parties(seeded(7), 150, partyMax);
    const players = tickets.reduce((sum, ticket) => sum + ticket.players.length, 0);
    const leftBy = (packs: boolean) => {
      const pool = new GamePool(rules, { packs, nodeBudget: 500 });
      for (const ticket of tickets) pool.insert(ticket);
      const games = [...pool.drain(60_000)];
      const [first] = games;
      return {
        left: players - games.length * first.teams.flat().length,
        seats: first.teams.flat().length,
        games,
      };
    };
    const packed = leftBy(true);
    expect(packed.left).toBeLessThan(packed.seats);
    expect(leftBy(false).left).toBeGreaterThan(packed.left);
    expect(leftBy(true)).toEqual(packed);
  },
);

/** Parties of 1 to `most` players. */
function parties(random: () => number, count: number, most: number): Ticket[] {
  return Array.from({ length: count }, (_, i): Ticket => {
    const u = random();
    const size = Math.min(most, u < 0.44 ? 1 : u < 0.74 ? 2 : u < 0.86 ? 3 : u < 0.94 ? 4 : 5);
    const level = 1500 + 300 * normal(random);
    return {
      ticketId: `t${i}`,
      enqueuedAtMs: Math.floor(60_000 * random()),
      players: Array.from({ length: size }, (_, p) => ({
        playerId: `t${i}.${p}`,
        skill: Math.max(0, level + 60 * normal(random)),
      })),
    };
  });
}

it('has a game of a ticket that keeps no other game possible', () => {
  const rules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
  const pool = new GamePool(rules, { packs: true });
  const insert = (ticketId: string, ...skills: number[]) =>
    pool.insert({
      ticketId,
      enqueuedAtMs: 0,
      players: skills.map((skill, i) => ({ playerId: `${ticketId}${i}`, skill })),
    });
  for (const name of ['a', 'b', 'c', 'd']) insert(name, 1000);
  insert('e', 1000, 1100);
  insert('f', 1300, 1400);
  // Solo players make a game of their own, and so do the pairs: no game of both kinds is better than two games.
  expect(pool.best(0)?.ticketIds).toEqual(['a', 'b', 'c', 'd']);
  expect(pool.bestWith('e', 0)?.ticketIds).toEqual(['c', 'd', 'e']);
  expect([...pool.drain(0)].map(({ ticketIds }) => ticketIds)).toEqual([
    ['a', 'b', 'c', 'd'],
    ['e', 'f'],
  ]);
});
