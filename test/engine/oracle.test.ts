import { expect, it } from 'vitest';
import { GamePool } from '../../lib/engine/game-pool.ts';
import { allGames, checkGame, scale } from './oracle.ts';
import { randomCase, seeded } from './random-pool.ts';

it('agrees with brute force on random small pools', () => {
  const random = seeded(20170508);
  for (let round = 0; round < 1500; round++) {
    const { rules, tickets, forbids, nowMs } = randomCase(random, { maxPlayers: 9, teamSizes: [1, 2, 3] });
    const pool = new GamePool(rules, forbids ? { forbids } : {});
    for (const ticket of tickets) pool.insert(ticket);
    const games = allGames(tickets, rules, nowMs, forbids);
    const game = pool.best(nowMs);
    expect(game !== undefined, `round ${round}`).toBe(games.length > 0);
    if (!game) continue;
    checkGame(game, tickets, rules, nowMs, forbids);
    const best = Math.min(...games.map((each) => each.priority));
    const error = Math.max(1e-9 * Math.abs(best), scale(tickets, rules));
    expect(Math.abs(game.priority - best), `round ${round}`).toBeLessThanOrEqual(error);
    expect(game.lowerBound).toBeLessThanOrEqual(best + error);
  }
});
