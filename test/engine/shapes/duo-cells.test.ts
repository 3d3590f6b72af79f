import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { normal, seeded } from '../random-pool.ts';
import { allShapedGames, checkShapedGame } from '../shape-oracle.ts';

const rules: GameRules = { teamSize: 2, teams: 3, alpha: 1, p: 1, q: 2, beta: 0 };

it('never puts the bound of teams of two above the best game, while tickets leave', () => {
  const random = seeded(11);
  let games = 0;
  for (let pool = 0; pool < 60; pool++) {
    const alpha = [0.1, 1, 5, 30][pool % 4];
    const waiting = new Map<string, Ticket>();
    // Without nodes for searches around tickets, only the cells bound and find games.
    const engine = new GamePool({ ...rules, alpha }, { nodeBudget: 1 });
    const kind = pool % 3;
    for (let i = 0; i < 8; i++) {
      const ticket = party(random, `t${i}`, kind);
      waiting.set(ticket.ticketId, ticket);
      engine.insert(ticket);
    }
    for (let game = engine.best(0); game; game = engine.best(0)) {
      const tickets = [...waiting.values()];
      checkShapedGame(game, tickets, engine.rules, 0);
      const best = Math.min(...allShapedGames(tickets, engine.rules, 0).map(({ imbalance }) => imbalance));
      expect(game.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-9) + 1e-8);
      games++;
      const gone = game.ticketIds[Math.floor(random() * game.ticketIds.length)];
      engine.remove(gone);
      waiting.delete(gone);
    }
  }
  expect(games).toBeGreaterThan(60);
});

it('is not asked where a game is one team of two, whose players need not be alike', () => {
  const engine = new GamePool(
    { teamSize: 2, teams: [{ name: 'pair', size: 2 }], alpha: 1, p: 1, q: 2, beta: 0 },
    { nodeBudget: 1 },
  );
  const skills = { t0: [900.375], t1: [100.875, 100], t2: [900.625, 900.75], t3: [101, 100.5] };
  for (const [ticketId, [...of]] of Object.entries(skills)) {
    const players = of.map((skill, at) => ({ playerId: `${ticketId} ${at}`, skill }));
    engine.insert({ ticketId, enqueuedAtMs: 0, players });
  }
  expect(engine.best(0)!.ticketIds).toEqual(['t2']);
  engine.remove('t2');
  const game = engine.best(0)!;
  expect(game.lowerBound).toBeLessThanOrEqual(0.25);
});

it('bounds half of the games of teams of two within a fifth of the best', () => {
  const random = seeded(1);
  const pool = new GamePool({ ...rules, teams: 6 });
  for (let i = 0; i < 400; i++) pool.insert(party(random, `t${i}`, 0));
  const gaps = [...pool.drain(0)].map(({ imbalance, lowerBound }) => 1 - lowerBound / imbalance);
  gaps.sort((a, b) => a - b);
  expect(gaps[gaps.length >> 1]).toBeLessThan(0.2);
});

function party(random: () => number, ticketId: string, kind: number): Ticket {
  const level = kind === 2 ? Math.floor(12 * random()) : Math.max(0, 1500 + 300 * normal(random));
  return {
    ticketId,
    enqueuedAtMs: 0,
    players: Array.from({ length: random() < 0.4 ? 2 : 1 }, (_, i) => ({
      playerId: `${ticketId}.${i}`,
      skill: kind === 2 ? level : Math.max(0, level + (kind === 1 ? 5 : 80) * normal(random)),
    })),
  };
}
