import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import type { Ticket } from '../../../lib/engine/types.ts';

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
