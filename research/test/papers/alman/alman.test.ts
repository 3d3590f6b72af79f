import { GamePool } from 'muster/engine';
import { seededRandom } from 'muster/simulation';
import { describe, expect, test } from 'vitest';
import { sortedBlocks } from '../../../lib/papers/alman/blocks.ts';
import {
  approximationFactor,
  bestGameOf,
  bestPartitionOf,
  bestRoleGameOf,
  bestSplitOf,
  imbalanceOf,
  subsets,
  uniformityOf,
} from '../../../lib/papers/alman/brute-force.ts';
import { errata } from '../../../lib/papers/alman/errata.ts';
import { bestWithoutRematches, bestWithSeveralSkills } from '../../../lib/papers/alman/extensions.ts';
import { PaperGameQueue } from '../../../lib/papers/alman/game-queue.ts';
import { approximateRoleGame } from '../../../lib/papers/alman/role-approximation.ts';

const PLAIN = { k: 2, alpha: 1, p: 1, q: 2 };

describe('the definitions, evaluated exhaustively', () => {
  test('imbalance is α times the difference of p-skills, and the q-mean deviation', () => {
    expect(imbalanceOf([1, 4], [2, 5], { ...PLAIN, alpha: 3 })).toBeCloseTo(3 * 2 + Math.sqrt(2.5), 12);
    const worst = { ...PLAIN, p: Number.POSITIVE_INFINITY, q: Number.POSITIVE_INFINITY };
    expect(imbalanceOf([1, 4], [2, 5], worst)).toBeCloseTo(1 + 2, 12);
  });

  test('the best split of 1, 2, 3, 4 is 1, 4 against 2, 3', () => {
    expect(bestSplitOf([1, 2, 3, 4], PLAIN)).toBeCloseTo(uniformityOf([1, 2, 3, 4], 2), 12);
  });

  test('the best game of a pool is the closest four', () => {
    expect(bestGameOf([0, 10, 11, 12, 13, 30], PLAIN).places).toEqual([1, 2, 3, 4]);
  });

  test('subsets lists every subset once', () => {
    expect([...subsets(4, 2)].map(String)).toEqual(['0,1', '0,2', '0,3', '1,2', '1,3', '2,3']);
    expect([...subsets(9, 4)]).toHaveLength(126);
  });

  test('finds no game when a role is missing', () => {
    const tanks = Array.from({ length: 6 }, (_, skill) => ({ skill, roles: 1 }));
    expect(bestRoleGameOf(tanks, PLAIN)).toBe(Number.POSITIVE_INFINITY);
    expect(approximateRoleGame(tanks, PLAIN)).toBe(Number.POSITIVE_INFINITY);
    // Teams 0, 2 and 1, 3 have a tank and a healer each.
    const healed = tanks.map((player, at) => (at === 2 || at === 3 ? { ...player, roles: 2 } : player));
    expect(bestRoleGameOf(healed, PLAIN)).toBe(approximateRoleGame(healed, PLAIN));
  });
});

describe('the structures as printed', () => {
  test("Theorem 1's queue keeps the best game through inserts and deletes", () => {
    const random = seededRandom(1);
    for (const parameters of [
      { ...PLAIN, k: 1 },
      { ...PLAIN, alpha: 0.2, q: 1 },
    ]) {
      const queue = new PaperGameQueue(parameters);
      const skills: number[] = [];
      for (let step = 0; step < 25; step++) {
        if (skills.length > 8)
          expect(queue.remove(skills.splice(random.integer(skills.length), 1)[0])).toBe(true);
        skills.push(random.integer(20));
        queue.insert(skills.at(-1)!);
        expect(queue.best()).toBeCloseTo(bestGameOf(skills, parameters).imbalance, 9);
      }
      expect(queue.remove(99)).toBe(false);
    }
  });

  test("Theorem 3's game is never better than the best and within ρ of it", () => {
    const random = seededRandom(2);
    for (let round = 0; round < 60; round++) {
      const parameters = { k: 2, alpha: [0.1, 1, 20][round % 3], p: 1, q: [1, 2][round % 2] };
      const pool = Array.from({ length: 9 }, () => ({
        skill: random.integer(50),
        roles: 1 + random.integer(3),
      }));
      const best = bestRoleGameOf(pool, parameters);
      const found = approximateRoleGame(pool, parameters);
      if (best === Number.POSITIVE_INFINITY) continue;
      expect(found).toBeGreaterThanOrEqual(best - 1e-9);
      expect(found).toBeLessThanOrEqual(approximationFactor(parameters) * best + 1e-9);
    }
  });

  test('sorted blocks do not always minimise the largest uniformity', () => {
    const skills = [6, 5, 5, 5, 5, 6, 5, 5];
    const blocks = sortedBlocks(skills, 4);
    expect(blocks).toEqual([
      [5, 5, 5, 5],
      [5, 5, 6, 6],
    ]);
    const value = (group: readonly number[]) => uniformityOf(group, 2);
    expect(Math.max(...blocks.map(value))).toBe(0.5);
    expect(bestPartitionOf(skills, 4, value)).toBeCloseTo(Math.sqrt(3) / 4, 12);
  });

  test('sorted blocks minimise the largest range: all multisets of 8 skills from 0 to 3', () => {
    const range = (group: readonly number[]) => Math.max(...group) - Math.min(...group);
    for (const bars of subsets(11, 3)) {
      const skills = Array.from({ length: 11 }, (_, at) => at)
        .filter((at) => !bars.includes(at))
        .map((at) => bars.filter((bar) => bar < at).length);
      const blocks = Math.max(...sortedBlocks(skills, 4).map(range));
      expect(bestPartitionOf(skills, 4, range)).toBe(blocks);
    }
  });
});

describe('steps of proofs that do not hold as printed', () => {
  test('each printed value is refuted by its instance, and two far roles mend theorem 2', () => {
    const { findings } = errata();
    expect(findings.map(({ verdict }) => verdict)).toEqual(['corrected', 'corrected', 'holds', 'corrected']);
    expect(findings.map(({ ours }) => ours)).toEqual([41, 3, 0, 2]);
  });

  test('the engine finds the wide game of the instance of lemma 2', () => {
    const pool = new GamePool({ teamSize: 2, alpha: 1, p: 1, q: 2, beta: 10_000 });
    const skills = [0, ...Array.from({ length: 41 }, (_, at) => 1_000 + 2.5 * at)];
    skills.forEach((skill, at) => {
      const ticketId = `${at}`;
      pool.insert({ ticketId, enqueuedAtMs: at === 0 ? 0 : 1_000, players: [{ playerId: ticketId, skill }] });
    });
    expect(
      pool
        .best(1_000)!
        .ticketIds.map(Number)
        .sort((a, b) => a - b),
    ).toEqual([0, 1, 2, 41]);
  });
});

describe('the extensions of section 8.3', () => {
  const parameters = { ...PLAIN, k: 3 };

  test.each([
    ['several skills', bestWithSeveralSkills],
    ['recent team-mates kept apart', bestWithoutRematches],
  ])('with %s the game of the rules is the best of all games', (_, compare) => {
    for (let seed = 0; seed < 8; seed++) {
      const random = seededRandom(seed);
      const skills = Array.from({ length: 9 }, () => random.normal(1500, 300));
      const [found, best] = compare(parameters, skills, random);
      if (best === Number.POSITIVE_INFINITY) expect(found).toBeUndefined();
      else expect(found).toBeCloseTo(best, 8);
    }
  });
});
