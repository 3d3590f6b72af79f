import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { LargeQueue } from '../../../lib/engine/queue/large-queue.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { makeShapedGame } from '../../../lib/engine/shapes/shape-game.ts';
import { poolShapeTicket, type ShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { sample } from '../../long.ts';
import { allGames, checkGame } from '../oracle.ts';
import { seeded } from '../random-pool.ts';
import { shapeCase } from '../random-shape.ts';

// Games of more than 16 seats are too large for brute force, so the test uses their queue for small games.
it('makes valid games with valid bounds, and always finds one for solo players', () => {
  const random = seeded(77);
  let compared = 0;
  let found = 0;
  for (let round = 0; round < sample(120, 700); round++) {
    const { rules, tickets, nowMs, forbids } = shapeCase(random);
    const full = { ...rules, short: undefined };
    const layout = layoutOf(full);
    const queue = new LargeQueue(full, layout, forbids);
    const waiting = new Map<string, ShapeTicket>();
    for (const ticket of tickets) {
      const pooled = poolShapeTicket(ticket, layout);
      if (pooled.kinds.includes(0)) continue;
      waiting.set(ticket.ticketId, pooled);
      queue.insert(pooled);
    }
    for (;;) {
      const left = [...waiting.values()].map(({ ticket }) => ticket);
      const games = allGames(left, full, nowMs, forbids);
      const best = games.reduce((least, { priority }) => Math.min(least, priority), Number.POSITIVE_INFINITY);
      const shift = (rules.beta * (nowMs - queue.epochMs)) / 1000;
      const [one] = waiting.values();
      if (one) {
        const answer = queue.bestWith(one);
        if (answer.game) expect(answer.game.members).toContain(one);
      }
      const { game, costBound } = queue.best();
      compared++;
      const error = 1e-9 * Math.abs(best) + 1e-6;
      expect(costBound - shift).toBeLessThanOrEqual(best + error);
      if (!game) {
        // Packing parties into many teams may fail; solo players without roles or sides always fit.
        const isPlain = !layout.classes && !forbids && left.every(({ players }) => players.length === 1);
        if (isPlain) expect(games).toEqual([]);
        break;
      }
      found++;
      checkGame(makeShapedGame(game, full, layout, nowMs, costBound - shift), left, full, nowMs, forbids);
      for (const { ticket } of game.members) {
        queue.remove(waiting.get(ticket.ticketId)!);
        waiting.delete(ticket.ticketId);
      }
    }
  }
  expect(compared).toBeGreaterThan(sample(160, 1000));
  expect(found).toBeGreaterThan(sample(70, 400));
});

it('keeps its bound valid when a player leaves from within the windows of others', () => {
  const rules: GameRules = { teamSize: 3, teams: 2, alpha: 1, p: 1, q: 2, beta: 0 };
  const layout = layoutOf(rules);
  const queue = new LargeQueue(rules, layout, undefined);
  const tickets = [1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000].map((skill, i) =>
    poolShapeTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `p${i}`, skill }] }, layout),
  );
  for (const ticket of tickets) queue.insert(ticket);
  const least = 1000 * Math.sqrt(2 / 9);
  expect(queue.best().costBound).toBeLessThanOrEqual(least + 1e-6);
  queue.remove(tickets[2]);
  // Two of 1000 and four of 2000 are nearer to each other than three of each.
  expect(queue.best().costBound).toBeLessThanOrEqual(least + 1e-6);
});

it('proves that no game can be formed where pairs need more solo players beside them than wait', () => {
  const rules: GameRules = { teamSize: 3, teams: 6, alpha: 1, p: 1, q: 2, beta: 0 };
  const layout = layoutOf(rules);
  const queue = new LargeQueue(rules, layout, undefined);
  const add = (ticketId: string, size: number) => {
    const players = Array.from({ length: size }, (_, i) => ({
      playerId: `${ticketId}.${i}`,
      skill: 1500 + i,
    }));
    queue.insert(poolShapeTicket({ ticketId, enqueuedAtMs: 0, players }, layout));
  };
  for (let i = 0; i < 12; i++) add(`pair${i}`, 2);
  for (let i = 0; i < 5; i++) add(`solo${i}`, 1);
  expect(queue.best().costBound).toBe(Number.POSITIVE_INFINITY);
  add('solo5', 1);
  expect(queue.best().game?.members.length).toBe(12);
});

it('gives every team of a short game at least its fewest players', () => {
  const random = seeded(91);
  let games = 0;
  for (let round = 0; round < 40; round++) {
    const teams = [{ name: 'side', size: 16, minSize: 9, count: 3 }];
    const rules = {
      teamSize: 16,
      teams,
      short: { afterSeconds: 0, cost: 10 },
      alpha: 10,
      p: 1,
      q: 2,
      beta: 0,
    };
    const pool = new GamePool(rules);
    for (let i = 0; i < 8; i++) {
      const size = [9, 6, 3, 9, 6, 3, 9, 1][i];
      const skill = 1500 + Math.floor(300 * random());
      const players = Array.from({ length: size }, (_, j) => ({ playerId: `t${i}.${j}`, skill }));
      pool.insert({ ticketId: `t${i}`, enqueuedAtMs: 0, players });
    }
    for (const game of pool.drain(60_000)) {
      games++;
      expect(game.imbalance).toBeGreaterThanOrEqual(0);
      for (const team of game.teams) expect(team.length).toBeGreaterThanOrEqual(9);
    }
  }
  expect(games).toBeGreaterThan(20);
});
