import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addSkills,
  distributionOf,
  EMPTY_SKETCH,
  type SkillSketch,
} from '../../lib/policies/skill-sketch.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { sample } from '../long.ts';

/** Adds ten skills per tick. */
function sketchOf(skills: readonly number[], kept = 1): SkillSketch {
  let sketch = EMPTY_SKETCH;
  for (let at = 0; at < skills.length; at += 10) sketch = addSkills(sketch, skills.slice(at, at + 10), kept);
  return sketch;
}

function normals(count: number, mean: number, deviation: number, seed = 1): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random.normal(mean, deviation));
}

const phi = (z: number) => Math.exp(-z * z * 0.5) / Math.sqrt(2 * Math.PI);

describe('a sketch of skills', () => {
  it('keeps six digits of a skill, also of one that lies between two such numbers', () => {
    const roundedOf = (skill: number) => addSkills(EMPTY_SKETCH, [skill], 1).means[0];
    const random = seededRandom(3);
    for (let i = 0; i < sample(4_000, 20_000); i++) {
      const skill = Math.exp(random.uniform() * 18 - 2);
      expect(roundedOf(skill)).toBe(Number(skill.toPrecision(6)));
      const between = (Math.floor(random.uniform() * 1e6) + 0.5) / 10 ** random.integer(7);
      expect(roundedOf(between)).toBe(Number(between.toPrecision(6)));
    }
  });

  it('stays small and sorted, and preserves the total weight and the mean', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 500 }), (skills) => {
        const { means, weights } = sketchOf(skills);
        expect(means.length).toBeLessThanOrEqual(2 * 64);
        expect(means).toEqual(means.toSorted((a, b) => a - b));
        const total = weights.reduce((sum, weight) => sum + weight);
        expect(total / skills.length).toBeCloseTo(1, 3);
        const mean = skills.reduce((sum, skill) => sum + skill) / skills.length;
        expect(distributionOf({ means, weights })!.mean - mean).toBeCloseTo(0, 0);
      }),
      { numRuns: 50, seed: 1 },
    );
  });

  it('estimates ranks within 1% of the players, and more precisely at the ends', () => {
    const skills = normals(10_000, 1500, 350);
    const sorted = skills.toSorted((a, b) => a - b);
    const { rank } = distributionOf(sketchOf(skills))!;
    for (const part of [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]) {
      const off = Math.abs(rank(sorted[part * 10_000]) - part);
      expect(off).toBeLessThan(part === 0.001 || part === 0.999 ? 0.001 : 0.01);
    }
    expect(rank(-1e6)).toBe(0);
    expect(rank(1e6)).toBe(1);
  });

  it('estimates the density of normal skills, and of two groups far apart', () => {
    const one = distributionOf(sketchOf(normals(5000, 1500, 350)))!;
    for (const z of [-2, -1, 0, 1, 2]) {
      expect((one.density(1500 + 350 * z) * 350) / phi(z)).toBeGreaterThan(0.7);
      expect((one.density(1500 + 350 * z) * 350) / phi(z)).toBeLessThan(1.5);
    }
    const two = distributionOf(sketchOf([...normals(3000, 1000, 50), ...normals(3000, 3000, 50, 2)]))!;
    expect(two.density(2000)).toBeLessThan(two.density(1000) / 10);
  });

  it('never has a density of 0, not even for one player or equal skills', () => {
    for (const skills of [[0], [1500], Array.from({ length: 100 }, () => 7), [1, 1e6]]) {
      const { density, typicalDensity } = distributionOf(sketchOf(skills))!;
      expect(typicalDensity()).toBeGreaterThan(0);
      for (const skill of [-1e9, 0, 7, 1500, 1e9]) expect(density(skill)).toBeGreaterThan(0);
    }
  });

  it('weighs recent arrivals more than old ones', () => {
    const before = normals(5000, 1000, 100);
    const now = normals(5000, 2000, 100, 2);
    expect(distributionOf(sketchOf([...before, ...now], 0.99))!.mean).toBeGreaterThan(1900);
  });
});
