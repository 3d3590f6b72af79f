import { describe, expect, it } from 'vitest';
import { CentreBound } from '../../../lib/engine/bounds/centre-bound.ts';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { skillSpread } from '../../../lib/engine/model/imbalance.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { normal, seeded } from '../random-pool.ts';

describe('the centre bound', () => {
  it('is at most the cost of every set that can be seated, close to the least, for q = 2 within 0.1%, while players leave', () => {
    const random = seeded(21);
    let compared = 0;
    const ratios: [number[], number[]] = [[], []];
    for (let round = 0; round < 300; round++) {
      const q = [1, 1.5, 2, 2, 3, 1000, Number.POSITIVE_INFINITY][Math.floor(7 * random())];
      const teamSize = 1 + Math.floor(3 * random());
      const rules: GameRules = { teamSize, alpha: 1, p: 1, q, beta: 0, roles: { a: 1, b: teamSize - 1 } };
      const roles = RoleTable.of(rules)!;
      const n = 2 * teamSize + Math.floor(5 * random());
      const masks = Uint8Array.from({ length: n }, () => Math.floor((roles.all + 1) * random()));
      const apart = random() < 0.5 ? 100 : 1000 * random();
      const unit = random() < 0.2 ? 1 : 1e-3;
      const sorted = Float64Array.from(masks, (mask) =>
        Math.max(0, unit * Math.round((1000 + apart * mask + 100 * normal(random)) / unit)),
      );
      const order = [...sorted.keys()].sort((x, y) => sorted[x] - sorted[y]);
      const inOrder = Float64Array.from(order, (i) => sorted[i]);
      const masksInOrder = Uint8Array.from(order, (i) => masks[i]);
      const centre = new CentreBound(inOrder, masksInOrder, roles, rules);
      const here = new Set(inOrder.keys());
      for (;;) {
        const least = leastSkillSpread([...here], inOrder, masksInOrder, roles, rules);
        expect(centre.prove(Number.POSITIVE_INFINITY)).toBe(least < Number.POSITIVE_INFINITY);
        if (least === Number.POSITIVE_INFINITY) break;
        compared++;
        expect(centre.bound).toBeLessThanOrEqual(least * (1 + 1e-9));
        if (q === 1 || q === Number.POSITIVE_INFINITY) {
          ratios[q === 1 ? 0 : 1].push(least === 0 ? 1 : centre.bound / least);
        }
        if (q === 2) expect(centre.bound).toBeGreaterThanOrEqual(least * 0.999 - 1e-6);
        expect(new Set(centre.basis).size).toBe(2 * teamSize);
        expect(centre.basis.every((place) => here.has(place))).toBe(true);
        expect(roles.canSeatGame(centre.basis.map((place) => masksInOrder[place]))).toBe(true);
        const gone = [...here][Math.floor(here.size * random())];
        here.delete(gone);
        centre.remove(gone);
      }
    }
    expect(compared).toBeGreaterThan(300);
    for (const each of ratios)
      expect(each.reduce((sum, ratio) => sum + ratio, 0) / each.length).toBeGreaterThan(0.97);
  });
});

describe('a pool whose only game has a mean that is no centre of the bound', () => {
  it.each([1, 10, 1_000])('finds the game with a budget of %i nodes', (nodeBudget) => {
    const rules: GameRules = {
      teamSize: 8,
      alpha: 3,
      p: 1,
      q: Number.POSITIVE_INFINITY,
      beta: 1,
      roles: { healer: 2, damage: 3, support: 2, tank: 1 },
    };
    /** For each ticket when it was enqueued, and the skills and roles of its players. */
    const tickets: readonly (readonly [number, ...(readonly [number, string?])[]])[] = [
      [4000, [0, 'healer+tank'], [0, 'damage+tank']],
      [11000, [0.8142, 'healer+damage+support+tank']],
      [
        8000,
        [0, 'support+tank'],
        [0, 'healer+support+tank'],
        [0, 'support+tank'],
        [0.6051, 'healer+damage+support+tank'],
        [0, 'healer+damage+tank'],
      ],
      [
        10000,
        [0.4237, 'damage+tank'],
        [0.6147, 'healer+tank'],
        [0, 'healer+damage+support+tank'],
        [0, 'healer+support'],
        [0, 'damage+tank'],
        [0.2117, 'healer+damage+support+tank'],
        [0],
        [0.8787, 'tank'],
      ],
    ];
    const pool = new GamePool(rules, { nodeBudget });
    for (const [number, [enqueuedAtMs, ...players]] of tickets.entries()) {
      const ticketId = `t${number}`;
      pool.insert({
        ticketId,
        enqueuedAtMs,
        players: players.map(([skill, roles], i) => ({
          playerId: `${ticketId}.${i}`,
          skill,
          ...(roles && { roles: roles.split('+') }),
        })),
      });
    }
    const game = pool.best(20_000);
    expect(game?.imbalance).toBeCloseTo(2.7854, 4);
    expect(game!.lowerBound).toBeLessThanOrEqual(game!.priority);
  });
});

/** The least v_q over all sets of 2k of these players that can be seated, by looking at all. */
function leastSkillSpread(
  places: readonly number[],
  skills: Float64Array,
  masks: Uint8Array,
  roles: RoleTable,
  rules: GameRules,
): number {
  let least = Number.POSITIVE_INFINITY;
  const chosen: number[] = [];
  const visit = (from: number): void => {
    if (chosen.length === 2 * rules.teamSize) {
      const seated = roles.canSeatGame(chosen.map((place) => masks[place]));
      if (seated)
        least = Math.min(
          least,
          skillSpread(
            Float64Array.from(chosen, (place) => skills[place]),
            rules.q,
          ),
        );
      return;
    }
    for (let i = from; i < places.length; i++) {
      chosen.push(places[i]);
      visit(i + 1);
      chosen.pop();
    }
  };
  visit(0);
  return least;
}
