import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import type { Ticket } from '../../../lib/engine/types.ts';
import { comparePacking } from '../packing-oracle.ts';
import { normal, randomCase, roundingCase, seeded } from '../random-pool.ts';

it('keeps as many games possible as its price of lost games asks for, with valid bounds', () => {
  const random = seeded(20270101);
  let comparisons = 0;
  while (comparisons < 700) {
    const isRounding = random() < 0.4;
    const made = isRounding
      ? roundingCase(random)
      : randomCase(random, { maxPlayers: 10, teamSizes: [2, 3] });
    if (made.rules.roles || made.forbids || made.tickets.length > 11) continue;
    const lostGameCost = [Number.POSITIVE_INFINITY, 1, 50][Math.floor(3 * random())];
    const nodeBudget = random() < 0.3 ? Math.floor(20 * random()) : undefined;
    comparisons += comparePacking(made, { lostGameCost, ...(nodeBudget && { nodeBudget }) }, random);
  }
});

it('matches parties that the best game first would strand', () => {
  const random = seeded(7);
  const tickets = Array.from({ length: 400 }, (_, i): Ticket => {
    const u = random();
    const size = u < 0.55 ? 1 : u < 0.8 ? 2 : u < 0.9 ? 3 : u < 0.93 ? 4 : 5;
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
  const players = tickets.reduce((sum, ticket) => sum + ticket.players.length, 0);
  const drained = (lostGameCost: number) => {
    const pool = new GamePool(
      { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 10 },
      { lostGameCost, nodeBudget: 500 },
    );
    for (const ticket of tickets) pool.insert(ticket);
    const games = [...pool.drain(60_000)];
    return { games, left: players - 10 * games.length };
  };
  const strandedFirst = drained(0).left;
  const between = drained(20).left;
  const packed = drained(Number.POSITIVE_INFINITY);
  expect(packed.left).toBeLessThan(10);
  expect(between).toBeLessThan(strandedFirst);
  expect(between).toBeGreaterThanOrEqual(packed.left);
  expect(drained(Number.POSITIVE_INFINITY)).toEqual(packed);
});

it('finds a game of a ticket that keeps no other game possible', () => {
  const rules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
  const pool = new GamePool(rules, { lostGameCost: Number.POSITIVE_INFINITY });
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

it('refuses a price of lost games that is negative or no number', () => {
  const rules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
  expect(() => new GamePool(rules, { lostGameCost: -1 })).toThrow('lostGameCost');
  expect(() => new GamePool(rules, { lostGameCost: Number.NaN })).toThrow('lostGameCost');
});
