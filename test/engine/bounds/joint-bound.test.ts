import { describe, expect, it } from 'vitest';
import { skillSpreadBound } from '../../../lib/engine/bounds/fill-bound.ts';
import { deficitOf, jointBound } from '../../../lib/engine/bounds/joint-bound.ts';
import { imbalancePerRange } from '../../../lib/engine/bounds/range-bounds.ts';
import { teamsOf } from '../../../lib/engine/model/division.ts';
import { soloDivisions } from '../../../lib/engine/model/divisions.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { imbalance, skillSpread } from '../../../lib/engine/model/imbalance.ts';
import { SoloDivider } from '../../../lib/engine/model/solo-divider.ts';
import { sample } from '../../long.ts';
import { seeded } from '../random-pool.ts';

const infinity = Number.POSITIVE_INFINITY;

/** The bounds on v_q alone and on α·d_1 + v_q of these chosen (ascending) and any of the rest (ascending, none below). */
function boundsOf(
  chosen: readonly number[],
  rest: readonly number[],
  rules: { alpha: number; q: number; teamSize: number },
) {
  const { alpha, q, teamSize } = rules;
  const m = chosen.length;
  const r = 2 * teamSize - m;
  const fill = Float64Array.from(rest.slice(0, r));
  const values = Float64Array.from(chosen);
  const sum = chosen.reduce((total, value) => total + value, 0);
  const squares = chosen.reduce((total, value) => total + value * value, 0);
  const lead = chosen.slice(0, teamSize + 1).reduce((total, value) => total + value, 0);
  const all = { values, m, sum, squares, within: 0, lead };
  const opponents = Math.max(0, teamSize + 1 - m);
  const v = skillSpreadBound(all, fill, r, q, imbalancePerRange(rules));
  return { v, joint: jointBound(v, all, chosen[0], fill, r, opponents, alpha, q) };
}

/** The least imbalance of any game of all the chosen and some of the rest. */
function leastOf(
  chosen: readonly number[],
  rest: readonly number[],
  rules: { alpha: number; q: number; teamSize: number },
): number {
  const { divisions } = soloDivisions(shapeOf(rules));
  let least = infinity;
  const extend = (game: number[], from: number): void => {
    if (game.length < 2 * rules.teamSize) {
      for (let i = from; i < rest.length; i++) extend([...game, rest[i]], i + 1);
      return;
    }
    for (const division of divisions) {
      least = Math.min(least, imbalance(teamsOf(game, division), { ...rules, p: 1 }).imbalance);
    }
  };
  extend([...chosen], 0);
  return least;
}

describe('the joint bound', () => {
  it('is never above the best game, for any chosen players, with outliers, ties and equal skills', () => {
    const random = seeded(11);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
    let above = 0;
    for (let round = 0; round < sample(1500, 4000); round++) {
      const rules = {
        teamSize: pick([2, 2, 3]),
        alpha: pick([0.05, 0.2, 0.5, 1, 1, 3, 10, 100]),
        q: pick([1, 1.5, 2, 2, 2, 3, infinity]),
      };
      const width = pick([0, 3, 30, 300]);
      const outliers = pick([1, 1, 1, 2, 3]);
      const n = 2 * rules.teamSize;
      const values = Array.from({ length: n + 3 }, (_, i) =>
        i < outliers ? -pick([10, 100, 1000]) * random() : Math.floor(width * random()),
      ).sort((a, b) => a - b);
      const m = 1 + Math.floor(random() * (n - 1));
      const chosen = values.slice(0, m);
      const rest = values.slice(m);
      const { v, joint } = boundsOf(chosen, rest, rules);
      const least = leastOf(chosen, rest, rules);
      expect(joint).toBeGreaterThanOrEqual(v);
      expect(joint).toBeLessThanOrEqual(least * (1 + 1e-12) + 1e-9);
      if (joint > v) above++;
    }
    expect(above).toBeGreaterThan(sample(375, 1000));
  });

  it('is never above the best game for teams of four to eight either', () => {
    const random = seeded(12);
    let above = 0;
    for (const teamSize of [4, 5, 6, 7, 8]) {
      for (const q of [1, 1.5, 2, 3, infinity]) {
        for (let round = 0; round < 20; round++) {
          const rules = { teamSize, alpha: [0.1, 1, 10][round % 3], q };
          const n = 2 * teamSize;
          const values = Array.from({ length: n + 1 }, (_, i) =>
            i === 0 ? -1000 * random() : 300 * random(),
          ).sort((a, b) => a - b);
          const m = 1 + Math.floor((n - 1) * random());
          const { v, joint } = boundsOf(values.slice(0, m), values.slice(m), rules);
          const divider = new SoloDivider({ teamSize, p: 1 });
          let least = infinity;
          for (let left = m; left <= n; left++) {
            const game = Float64Array.from(values.toSpliced(left, 1));
            least = Math.min(least, rules.alpha * divider.divide(game, 0) + skillSpread(game, q));
          }
          expect(joint).toBeGreaterThanOrEqual(v);
          expect(joint).toBeLessThanOrEqual(least * (1 + 1e-12));
          if (joint > v) above++;
        }
      }
    }
    expect(above).toBeGreaterThan(100);
  });

  it('is close to the best game of a player far from a crowd, where a bound on v alone is not', () => {
    const crowd = Array.from({ length: 18 }, (_, i) => 1000 + 50 * i);
    for (const [q, closeness] of [
      [1, 0.95],
      [2, 0.999],
      [infinity, 0.999],
    ] as const) {
      const rules = { teamSize: 3, alpha: 1, q };
      const { v, joint } = boundsOf([0], crowd, rules);
      const least = leastOf([0], crowd, rules);
      expect(joint).toBeLessThanOrEqual(least);
      expect(joint).toBeGreaterThan(closeness * least);
      expect(v).toBeLessThan(0.9 * least);
    }
  });
});

it('the deficit is the least gap that a division can leave for the team of the extreme', () => {
  // 0 with 9 and 8, against 5, 6 and 7.
  expect(deficitOf(0 + 5 + 6 + 7, 35, 0)).toBe(1);
  // Far away: 0 with 109 and 108, against 105, 106 and 107.
  expect(deficitOf(0 + 105 + 106 + 107, 535, 0)).toBe(101);
});
