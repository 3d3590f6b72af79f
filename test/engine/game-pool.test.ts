import { describe, expect, it } from 'vitest';
import { GamePool } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';

const solo = (ticketId: string, skill: number, enqueuedAtMs = 0): Ticket => ({
  ticketId,
  enqueuedAtMs,
  players: [{ playerId: ticketId, skill }],
});
const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };

describe('a game pool', () => {
  it('finds the most balanced game and proves it', () => {
    const pool = new GamePool(rules);
    for (const [id, skill] of [
      ['a', 10],
      ['b', 11],
      ['c', 12],
      ['d', 13],
      ['e', 40],
    ] as const)
      pool.insert(solo(id, skill));
    const game = pool.best(0);
    expect(game?.ticketIds).toEqual(['a', 'b', 'c', 'd']);
    expect(game?.teams[0].map((seat) => seat.playerId)).toEqual(['a', 'd']);
    expect(game?.fairness).toBe(0);
    expect(game?.lowerBound).toBe(game?.priority);
  });

  it('has no game while too few wait', () => {
    const pool = new GamePool(rules);
    pool.insert(solo('a', 1));
    expect(pool.best(0)).toBeUndefined();
  });
});
