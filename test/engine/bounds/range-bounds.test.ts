import { describe, expect, it } from 'vitest';
import { imbalancePerRange, lemma1, lemma6 } from '../../../lib/engine/bounds/range-bounds.ts';
import { teamsOf } from '../../../lib/engine/model/division.ts';
import { soloDivisions } from '../../../lib/engine/model/divisions.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { imbalance, skillSpread } from '../../../lib/engine/model/imbalance.ts';
import { seeded } from '../random-pool.ts';

const infinity = Number.POSITIVE_INFINITY;

describe('the range of a game', () => {
  it('bounds its skill spread and its imbalance from below, and the imbalance of its fairest division from above', () => {
    const random = seeded(71);
    for (let round = 0; round < 1000; round++) {
      const teamSize = 1 + (round % 4);
      const rules = {
        teamSize,
        alpha: [0.1, 1, 10][round % 3],
        p: [1, 2, infinity][Math.floor(3 * random())],
        q: [1, 1.5, 2, infinity][Math.floor(4 * random())],
      };
      const shape = shapeOf(rules);
      const outlier = random() < 0.3 ? 1000 : 0;
      const skills = Array.from({ length: shape.seats }, (_, i) => 100 * random() + (i === 0 ? outlier : 0));
      const range = Math.max(...skills) - Math.min(...skills);
      const { divisions } = soloDivisions(shape);
      const least = Math.min(
        ...Array.from(divisions, (division) => imbalance(teamsOf(skills, division), rules).imbalance),
      );
      const rounding = 1e-9 * least;
      expect(lemma6(teamSize, rules.q) * range).toBeLessThanOrEqual(skillSpread(skills, rules.q) + rounding);
      expect(imbalancePerRange(rules) * range).toBeLessThanOrEqual(least + rounding);
      expect(lemma1(range, rules.alpha, Math.max(...skills))).toBeGreaterThan(least - rounding);
    }
  });

  it('gives the exact skill spread of two extremes with everyone else in the middle', () => {
    for (const q of [1, 2, 3]) {
      expect(skillSpread([0, 1, 1, 1, 1, 2], q)).toBeCloseTo(2 * lemma6(3, q), 12);
    }
  });
});
