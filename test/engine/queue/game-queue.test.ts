import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import type { Ticket } from '../../../lib/engine/types.ts';
import { normal, seeded } from '../random-pool.ts';

// With β a cost is an imbalance less a credit, and (cost + credit) − credit may differ from the cost in its last bit.
it('proves a game whose cost is rounded', () => {
  const rules = {
    teams: 4,
    teamSize: 2,
    alpha: 0.1,
    p: Number.POSITIVE_INFINITY,
    q: Number.POSITIVE_INFINITY,
  };
  const party = (name: number, second: number, skills: number[], split = false): Ticket => ({
    ticketId: `t00${name}`,
    enqueuedAtMs: 1000 * second,
    players: skills.map((skill, i) => ({ playerId: `t00${name}.${i}`, skill })),
    ...(split && { split }),
  });
  const pool = new GamePool({ ...rules, beta: 0.01 });
  for (const ticket of [
    party(0, 8, [9]),
    party(1, 14, [3]),
    party(2, 5, [1]),
    party(3, 11, [10]),
    party(4, 3, [5]),
    party(5, 8, [0]),
    party(6, 4, [6]),
    party(7, 11, [10]),
    party(8, 19, [6, 5]),
    party(9, 1, [11, 9, 11, 3], true),
  ])
    pool.insert(ticket);
  const game = pool.best(20_000)!;
  expect(game.priority).toBeCloseTo(3.98, 12);
  expect(game.optimal).toBe(true);
});

// The joint bound of two equal teams counts a party by its mean, so it does not hold where a party is split.
it('never bounds the games of two teams above the best one where a party may be split', () => {
  const pool = new GamePool({ teamSize: 3, teams: 2, alpha: 1, p: 1, q: 2, beta: 0.01 }, { nodeBudget: 33 });
  const skills = [[1445.6608], [1696.2431], [1121.3463], [1533.6036, 1629.71, 1349.0439, 1396.5765]];
  skills.forEach((of, t) => {
    const players = of.map((skill, i) => ({ playerId: `t${t}.${i}`, skill }));
    pool.insert({
      ticketId: `t${t}`,
      enqueuedAtMs: [15_000, 2000, 13_000, 13_000][t],
      players,
      split: of.length > 1,
    });
  });
  const best = pool.best(20_000)!;
  expect(best.imbalance).toBeCloseTo(150.26757688096, 9);
  expect(pool.bestWith('t2', 20_000)!.lowerBound).toBeLessThanOrEqual(best.priority);
});

const hunt = [
  { name: 'hunter', size: 1 },
  { name: 'hunted', size: 4 },
];

it.each([
  ['six teams of two', { teams: 6, teamSize: 2 }, false],
  ['one hunter against four', { teams: hunt, teamSize: 4 }, true],
])('proves nearly all games best while a pool for %s is drained', (_, shape, choosesSide) => {
  const random = seeded(3);
  const pool = new GamePool({ ...shape, alpha: 1, p: 1, q: 2, beta: 0 });
  for (let i = 0; i < 1200; i++) {
    const player = { playerId: `p${i}`, skill: Math.max(0, 1500 + 300 * normal(random)) };
    const side = random() < 0.12 ? 'hunter' : 'hunted';
    pool.insert({
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: [choosesSide ? { ...player, teams: [side] } : player],
    });
  }
  const games = [...pool.drain(0)];
  expect(games.filter(({ optimal }) => optimal).length / games.length).toBeGreaterThan(0.95);
});
