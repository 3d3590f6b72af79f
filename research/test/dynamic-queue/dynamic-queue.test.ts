import type { GameRules } from 'muster/engine';
import { describe, expect, it } from 'vitest';
import { allGames, scale } from '../../../test/engine/oracle.ts';
import { normal, randomCase, seeded } from '../../../test/engine/random-pool.ts';
import { bestGame } from '../../../test/engine/reference/best-game.ts';
import { DynamicQueue } from '../../lib/dynamic-queue/dynamic-queue.ts';

const tickets = (skills: readonly number[]) =>
  skills.map((skill, i) => ({ ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `p${i}`, skill }] }));

describe('the dynamic game queue', () => {
  it('agrees with brute force after every insert and removal', () => {
    const random = seeded(1);
    for (let round = 0; round < 250; round++) {
      const { rules, tickets: pool } = randomCase(random, {
        maxPlayers: 10,
        teamSizes: [1, 2, 3, 4],
        plain: true,
      });
      const skills = pool.map((ticket) => ticket.players[0].skill);
      const queue = new DynamicQueue(rules);
      const loaded = skills.slice(0, Math.floor(random() * skills.length)).sort((a, b) => a - b);
      queue.load(Float64Array.from(loaded));
      const waiting = new Map(loaded.map((skill, id) => [id, skill]));
      for (const skill of skills.slice(loaded.length)) {
        waiting.set(queue.insert(skill), skill);
        if (random() < 0.4) {
          const id = [...waiting.keys()][Math.floor(random() * waiting.size)];
          waiting.delete(id);
          expect(queue.remove(id)).toBe(true);
          expect(queue.remove(id)).toBe(false);
        }
        const now = tickets([...waiting.values()]);
        const best = Math.min(...allGames(now, rules, 0).map((game) => game.imbalance));
        const game = queue.best();
        const error = Math.max(1e-9 * best, scale(now, rules));
        if (best === Number.POSITIVE_INFINITY) expect(game).toBeUndefined();
        else {
          expect(
            Math.abs(game!.imbalance - best),
            JSON.stringify({ rules, waiting: [...waiting] }),
          ).toBeLessThanOrEqual(error);
          expect(game!.lowerBound).toBe(game!.imbalance);
        }
      }
    }
  });

  it('agrees with the search from scratch through many inserts and removals', () => {
    const random = seeded(2);
    for (const teamSize of [1, 2, 5, 6]) {
      for (const p of [1, 3, Number.POSITIVE_INFINITY]) {
        const rules: GameRules = { teamSize, alpha: 1, p, q: 2, beta: 0 };
        const skill = () => Math.max(0, Math.round(1500 + 300 * normal(random)) / (random() < 0.5 ? 1 : 3));
        const queue = new DynamicQueue(rules);
        const waiting = new Map<number, number>();
        const start = Array.from({ length: 150 }, skill).sort((a, b) => a - b);
        queue.load(Float64Array.from(start));
        start.forEach((value, id) => {
          waiting.set(id, value);
        });
        for (let step = 0; step < 150; step++) {
          if (random() < 0.5) {
            const value = skill();
            waiting.set(queue.insert(value), value);
          } else {
            const game = queue.best();
            const ids = random() < 0.3 && game ? [...game.players] : [[...waiting.keys()][0]];
            for (const id of ids) {
              queue.remove(id);
              waiting.delete(id);
            }
          }
          const expected = bestGame(Float64Array.from(waiting.values()), rules)?.imbalance;
          const reached = queue.best()?.imbalance;
          if (expected === undefined) expect(reached).toBeUndefined();
          else expect(Math.abs(reached! - expected)).toBeLessThanOrEqual(1e-9 * expected + 1e-9);
        }
      }
    }
  });

  it.each([3_000, 70_000])(
    'agrees with the search from scratch through many changes among %i players',
    (count) => {
      const random = seeded(count);
      const rules: GameRules = { teamSize: count > 10_000 ? 5 : 2, alpha: 1, p: 1, q: 2, beta: 0 };
      const skill = () => Math.max(0, 1500 + 300 * normal(random));
      const start = Float64Array.from({ length: count }, skill).sort();
      const queue = new DynamicQueue(rules);
      queue.load(start);
      const ids = Array.from(start, (_, id) => id);
      const skills = Array.from(start);
      const remove = (at: number) => {
        expect(queue.remove(ids[at])).toBe(true);
        ids[at] = ids.at(-1)!;
        skills[at] = skills.at(-1)!;
        ids.pop();
        skills.pop();
      };
      for (let step = 0; step < 1200; step++) {
        if (step % 2 === 0) {
          // Now and then close to another player, so that there is a new best game.
          skills.push(step % 50 === 0 ? skills[Math.floor(random() * skills.length)] + 1e-4 : skill());
          ids.push(queue.insert(skills.at(-1)!));
        } else remove(Math.floor(random() * ids.length));
        const game = queue.best()!;
        if (step % 60 === 0) {
          const expected = bestGame(Float64Array.from(skills), rules)!.imbalance;
          expect(Math.abs(game.imbalance - expected)).toBeLessThanOrEqual(1e-9 * expected + 1e-9);
          expect(queue.lowerBound()).toBe(game.imbalance);
        }
        if (step % 100 === 0) for (const id of game.players) remove(ids.indexOf(id));
        expect(queue.size).toBe(ids.length);
      }
    },
  );

  it('returns a game and a valid bound within its node budget', () => {
    const random = seeded(3);
    const rules: GameRules = { teamSize: 5, alpha: 100, p: 1, q: 2, beta: 0 };
    const skills = Float64Array.from({ length: 400 }, () => 1000 * random()).sort();
    const exact = new DynamicQueue(rules);
    exact.load(skills);
    for (const nodeBudget of [1, 30, 300]) {
      const queue = new DynamicQueue(rules, { nodeBudget });
      queue.load(skills);
      const game = queue.best()!;
      expect(game.players).toHaveLength(10);
      expect(game.lowerBound).toBeLessThanOrEqual(exact.best()!.imbalance);
      expect(game.imbalance).toBeGreaterThanOrEqual(exact.best()!.imbalance);
    }
  });
});
