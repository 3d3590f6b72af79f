import { describe, expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { Seating } from '../../../lib/engine/shapes/seating.ts';
import { poolShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { randomCase, seeded } from '../random-pool.ts';
import { RoleApproximation } from './role-approximation.ts';

describe("Theorem 3's approximation", () => {
  it('keeps the shortest interval and stays within its ratio of the best game while players are added and removed', () => {
    const random = seeded(14);
    let compared = 0;
    for (let round = 0; round < 250; round++) {
      const { rules, tickets } = randomCase(random, { maxPlayers: 14, teamSizes: [1, 2, 3] });
      const layout = layoutOf(rules);
      if (!layout.classes) continue;
      const team = new Seating(
        layout.classes.map(({ perTeam }) => perTeam),
        rules.teamSize,
      );
      const queue = new RoleApproximation(rules);
      const here = new Map<number, { skill: number; mask: number }>();
      for (const ticket of tickets) {
        const player = { skill: ticket.players[0].skill, mask: poolShapeTicket(ticket, layout).classes![0] };
        here.set(queue.insert(player.skill, player.mask), player);
        if (random() < 0.3) {
          const id = [...here.keys()][Math.floor(random() * here.size)];
          queue.remove(id);
          here.delete(id);
        }
        const players = [...here.values()];
        const game = queue.best();
        const exact = bestGame(
          players.map(({ skill }) => skill),
          players.map(({ mask }) => mask),
          rules,
        );
        expect(game === undefined).toBe(exact === undefined);
        if (!game || !exact) continue;
        compared++;
        const unit = 1e-11 * Math.max(...players.map(({ skill }) => skill)) * (1 + rules.alpha);
        expect(game.lowerBound).toBeLessThanOrEqual(exact.imbalance + unit);
        expect(game.imbalance).toBeGreaterThanOrEqual(exact.imbalance - unit);
        expect(game.imbalance).toBeLessThanOrEqual(queue.ratio * game.lowerBound + unit);
        for (const ids of game.teams) {
          team.clear();
          expect(ids.every((id) => team.joinOne(here.get(id)!.mask))).toBe(true);
        }
      }
    }
    expect(compared).toBeGreaterThan(300);
  });
});

describe('the hard instances of Theorem 2', () => {
  it('stay within the node budget and keep a valid bound', () => {
    const random = seeded(15);
    for (const solvable of [true, false]) {
      const { rules, skills, masks } = ksumPool(random, 3, 12, solvable);
      const exact = bestGame(skills, masks, rules, 5_000_000)!;
      const cut = bestGame(skills, masks, rules, 200)!;
      expect(cut.lowerBound).toBeLessThanOrEqual(exact.imbalance * (1 + 1e-9));
      expect(cut.imbalance).toBeGreaterThanOrEqual(exact.imbalance * (1 - 1e-9));
      expect(exact.lowerBound).toBeLessThanOrEqual(exact.imbalance);
    }
  });
});

/** The engine's best game of solo players with these roles. */
function bestGame(
  skills: readonly number[],
  masks: readonly number[],
  rules: GameRules,
  nodeBudget = 2_000_000,
): { imbalance: number; lowerBound: number } | undefined {
  const pool = new GamePool({ ...rules, beta: 0 }, { nodeBudget });
  const names = layoutOf(rules).classes!.map(({ role }) => role!);
  skills.forEach((skill, i) => {
    const roles = names.filter((_, r) => (masks[i] >> r) & 1);
    pool.insert({ ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `t${i}`, skill, roles }] });
  });
  return pool.best(0);
}

/**
 * Theorem 2's reduction: choosing one number from each of several lists so that they sum to zero, expressed as players
 * of k roles who accept one role each. Role i < k contains the numbers of two lists, which differ in their residues modulo
 * the first odd primes. The last role has two players far away, so v_q hardly depends on the choice and d_p decides.
 */
function ksumPool(
  random: () => number,
  teamSize: number,
  perList: number,
  solvable: boolean,
): { rules: GameRules; skills: number[]; masks: number[] } {
  const primes = [3, 5, 7, 11].slice(0, teamSize - 1);
  const product = primes.reduce((a, b) => a * b, 1);
  const residues = primes.map((prime) => {
    let b = product / prime;
    while (b % prime !== 1) b += product / prime;
    return b;
  });
  const positive = Array.from({ length: teamSize - 1 }, () =>
    Array.from({ length: perList }, () => 1 + Math.floor(random() * 1000)),
  );
  const negative = positive.map((list, i) =>
    list.map((value, j) => (solvable && j === 0 ? value : 1001 + Math.floor(random() * 1000) * (i + 1))),
  );
  const far = 1e6 * product;
  const skills: number[] = [];
  const masks: number[] = [];
  for (let i = 0; i + 1 < teamSize; i++) {
    for (const value of positive[i]) {
      skills.push(value * product + residues[i]);
      masks.push(1 << i);
    }
    for (const value of negative[i]) {
      skills.push(value * product);
      masks.push(1 << i);
    }
  }
  const shift = residues.reduce((a, b) => a + b, 0);
  skills.push(far, far + shift);
  masks.push(1 << (teamSize - 1), 1 << (teamSize - 1));
  const roles = Object.fromEntries(Array.from({ length: teamSize }, (_, i) => [`role${i}`, 1]));
  return {
    rules: { teamSize, alpha: 1, p: 1, q: 2, beta: 0, roles },
    skills,
    masks,
  };
}
