import { expect, it } from 'vitest';
import { GamePool } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';
import { sample } from '../long.ts';
import { allGames, checkGame } from './oracle.ts';
import { normal, seeded } from './random-pool.ts';

const infinity = Number.POSITIVE_INFINITY;

/** A crowd around 1500, and old outliers far above, far below or on both sides of it. */
function crowdWithOutliers(random: () => number, n: number, outliers: number, sides: number[]): Ticket[] {
  return Array.from({ length: n }, (_, i) => {
    const isOutlier = i < outliers;
    const side = sides[Math.floor(random() * sides.length)];
    const skill = isOutlier
      ? side > 0
        ? 3000 + 1500 * random()
        : 50 * random()
      : Math.max(0, 1500 + 300 * normal(random));
    return {
      ticketId: `t${i}`,
      enqueuedAtMs: -Math.floor((isOutlier ? 600_000 : 120_000) * random()),
      players: [{ playerId: `t${i}`, skill }],
    };
  });
}

it('bounds the best game throughout the life of a queue with old outliers, whatever the node budget', () => {
  const random = seeded(21);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  for (let round = 0; round < sample(10, 30); round++) {
    const rules: GameRules = {
      teamSize: pick([2, 3]),
      alpha: pick([0.1, 1, 1, 10]),
      p: pick([1, 1, 2, infinity]),
      q: pick([1, 1.5, 2, 2, 3, infinity]),
      beta: pick([1, 5]),
    };
    const nodeBudget = pick([20, 160, 200, 300]);
    const waiting = new Map(
      crowdWithOutliers(random, 11, pick([1, 2, 4]), pick([[1], [-1], [1, -1]])).map((t) => [t.ticketId, t]),
    );
    const pool = new GamePool(rules, { nodeBudget });
    for (const ticket of waiting.values()) pool.insert(ticket);
    for (let query = 0; query < 6; query++) {
      const present = [...waiting.values()];
      const best = Math.min(...allGames(present, rules, 0).map(({ priority }) => priority));
      const game = pool.best(0)!;
      checkGame(game, present, rules, 0);
      expect(game.priority).toBeGreaterThan(best - 1e-6);
      expect(game.lowerBound).toBeLessThan(best + 1e-6);
      const leaves = query % 3 === 2 ? game.ticketIds[0] : pick([...waiting.keys()]);
      pool.remove(leaves);
      waiting.delete(leaves);
      const [comes] = crowdWithOutliers(random, 1, query % 2, [1]);
      const ticketId = `n${query}`;
      const ticket = { ...comes, ticketId, players: [{ ...comes.players[0], playerId: ticketId }] };
      pool.insert(ticket);
      waiting.set(ticket.ticketId, ticket);
    }
  }
});

it('proves most games of a large pool with old outliers, and all within one percent', () => {
  const random = seeded(22);
  const rules: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 1 };
  const pool = new GamePool(rules, { nodeBudget: 5000 });
  for (const ticket of crowdWithOutliers(random, 3000, 30, [1])) pool.insert(ticket);
  let proved = 0;
  for (let i = 0; i < 100; i++) {
    const game = pool.best(0)!;
    expect(game.priority - game.lowerBound).toBeLessThanOrEqual(0.01 * game.imbalance);
    if (game.lowerBound === game.priority) proved++;
    for (const ticketId of game.ticketIds) pool.remove(ticketId);
  }
  expect(proved).toBeGreaterThan(95);
});
