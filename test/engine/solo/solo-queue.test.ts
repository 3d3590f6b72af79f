import { describe, expect, it } from 'vitest';
import { SoloQueue } from '../../../lib/engine/solo/solo-queue.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { sample } from '../../long.ts';
import { allGames, scale } from '../oracle.ts';
import { normal, randomCase, seeded } from '../random-pool.ts';
import { bestGame } from '../reference/best-game.ts';

const tickets = (skills: readonly number[]) =>
  skills.map((skill, i) => ({ ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `p${i}`, skill }] }));

describe('the game queue', () => {
  it('agrees with brute force after every removal', () => {
    const random = seeded(1);
    for (let round = 0; round < sample(150, 250); round++) {
      const { rules, tickets: pool } = randomCase(random, {
        maxPlayers: 10,
        teamSizes: [1, 2, 3, 4],
        plain: true,
      });
      const skills = Float64Array.from(pool, (ticket) => ticket.players[0].skill).sort();
      const queue = new SoloQueue(rules, skills);
      const waiting = new Map(Array.from(skills, (skill, id) => [id, skill]));
      while (waiting.size > 0) {
        const now = tickets([...waiting.values()]);
        const games = allGames(now, rules, 0);
        const best = Math.min(...games.map((game) => game.imbalance));
        const game = queue.best();
        const error = Math.max(1e-9 * best, scale(now, rules));
        if (best === Number.POSITIVE_INFINITY) expect(game).toBeUndefined();
        else {
          expect(Math.abs(game!.imbalance - best)).toBeLessThanOrEqual(error);
          expect(game!.lowerBound).toBe(game!.imbalance);
        }
        const id = [...waiting.keys()][Math.floor(random() * waiting.size)];
        const withId = Math.min(
          ...games
            .filter((each) => each.ticketIds.includes(`t${[...waiting.keys()].indexOf(id)}`))
            .map((each) => each.imbalance),
        );
        const found = queue.bestWith(id)?.imbalance ?? Number.POSITIVE_INFINITY;
        if (withId === Number.POSITIVE_INFINITY) expect(found).toBe(withId);
        else expect(Math.abs(found - withId)).toBeLessThanOrEqual(error);
        waiting.delete(id);
        expect(queue.remove(id)).toBe(true);
        expect(queue.remove(id)).toBe(false);
      }
    }
  });

  it.each([1, 3, Number.POSITIVE_INFINITY])(
    'agrees with the search from scratch through a drain (p = %d)',
    (p) => {
      const random = seeded(2);
      for (const teamSize of [1, 2, 5, 6]) {
        const rules: GameRules = { teamSize, alpha: 1, p, q: 2, beta: 0 };
        const skill = () => Math.max(0, Math.round(1500 + 300 * normal(random)) / (random() < 0.5 ? 1 : 3));
        const skills = Float64Array.from({ length: 250 }, skill).sort();
        const queue = new SoloQueue(rules, skills);
        const waiting = new Map(Array.from(skills, (value, id) => [id, value]));
        for (;;) {
          const expected = bestGame(Float64Array.from(waiting.values()), rules)?.imbalance;
          const game = queue.best();
          expect(queue.size).toBe(waiting.size);
          if (expected === undefined || !game) {
            expect(game).toBe(expected);
            break;
          }
          expect(Math.abs(game.imbalance - expected)).toBeLessThanOrEqual(1e-9 * expected + 1e-9);
          const ids = random() < 0.5 ? [...game.players] : [[...waiting.keys()][0]];
          for (const id of ids) {
            queue.remove(id);
            waiting.delete(id);
          }
        }
      }
    },
  );

  it('returns a game and a valid bound within its node budget', () => {
    const random = seeded(3);
    const rules: GameRules = { teamSize: 5, alpha: 100, p: 1, q: 2, beta: 0 };
    const skills = Float64Array.from({ length: 400 }, () => 1000 * random()).sort();
    const exact = new SoloQueue(rules, skills);
    for (const nodeBudget of [1, 30, 300]) {
      const queue = new SoloQueue(rules, skills, { nodeBudget });
      const game = queue.best()!;
      expect(game.players).toHaveLength(10);
      expect(game.lowerBound).toBeLessThanOrEqual(exact.best()!.imbalance);
      expect(game.imbalance).toBeGreaterThanOrEqual(exact.best()!.imbalance);
    }
  });

  it.each([1, 2, Number.POSITIVE_INFINITY])(
    'ends for every player when a budget of few nodes finds no game (p = q = %d)',
    (p) => {
      const random = seeded(4);
      const rules: GameRules = { teamSize: 5, alpha: 10, p, q: p, beta: 0 };
      const skills = Float64Array.from({ length: 300 }, () => 3000 * random()).sort();
      const [roomy, tight] = [200_000, 20].map((nodeBudget) => {
        const queue = new SoloQueue(rules, skills, { nodeBudget });
        return queue;
      });
      for (let id = 0; id < skills.length; id += 7) {
        const game = tight!.bestWith(id)!;
        expect(new Set(game.players).size).toBe(10);
        expect(game.players).toContain(id);
        expect(game.lowerBound).toBeLessThanOrEqual(Math.min(game.imbalance, roomy!.bestWith(id)!.imbalance));
      }
    },
  );
});
