import { describe, expect, it } from 'vitest';
import { imbalance } from '../../../lib/engine/model/imbalance.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { allGames, scale } from '../oracle.ts';
import { normal, randomCase, seeded } from '../random-pool.ts';
import { bestRoleGame } from './best-role-game.ts';

describe('the best game with roles from scratch', () => {
  it('agrees with brute force, or bounds it when the budget is short', () => {
    const random = seeded(12);
    let compared = 0;
    for (let round = 0; round < 600; round++) {
      const { rules, tickets: pool } = randomCase(random, { maxPlayers: 9, teamSizes: [1, 2, 3] });
      const tickets = pool.filter((ticket) => ticket.players.length === 1);
      const roles = RoleTable.of(rules);
      if (!roles) continue;
      const skills = Float64Array.from(tickets, (ticket) => ticket.players[0].skill);
      const masks = Uint8Array.from(tickets, (ticket) => roles.maskOf(ticket.players[0]));
      const best = Math.min(...allGames(tickets, { ...rules, beta: 0 }, 0).map((game) => game.imbalance));
      const error = Math.max(1e-9 * best, scale(tickets, rules));
      const exact = bestRoleGame(skills, masks, rules);
      if (best === Number.POSITIVE_INFINITY) {
        expect(exact).toBeUndefined();
        continue;
      }
      compared++;
      expect(Math.abs(exact!.imbalance - best)).toBeLessThanOrEqual(error);
      expect(exact!.lowerBound).toBe(exact!.imbalance);
      const cut = bestRoleGame(skills, masks, rules, { nodeBudget: 0 })!;
      expect(cut.lowerBound).toBeLessThanOrEqual(best + error);
      expect(cut.imbalance).toBeGreaterThanOrEqual(best - error);
      const [x, y] = cut.teams.map((team) => team.map((i) => skills[i]));
      expect(Math.abs(imbalance([x, y], rules).imbalance - cut.imbalance)).toBeLessThanOrEqual(error);
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('certifies within 2% when each role is at a different level of skill', () => {
    const random = seeded(13);
    const rules: GameRules = {
      teamSize: 5,
      alpha: 1,
      p: 1,
      q: 2,
      beta: 0,
      roles: { damage: 3, healer: 1, tank: 1 },
    };
    const masks = Uint8Array.from({ length: 3000 }, () => 2 ** Math.floor(3 * random()));
    const skills = Float64Array.from(masks, (mask) => 1000 + 250 * mask + 30 * normal(random));
    const game = bestRoleGame(skills, masks, rules)!;
    expect(game.imbalance / game.lowerBound).toBeLessThan(1.02);
  });
});
