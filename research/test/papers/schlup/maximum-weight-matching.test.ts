import { type RandomSource, seededRandom } from 'muster/simulation';
import { describe, expect, test } from 'vitest';
import {
  maximumWeightMatching,
  type WeightedEdge,
  type WeightedMatching,
} from '../../../lib/papers/schlup/maximum-weight-matching.ts';

/** The best weight by trying every matching: over subsets of vertices, the lowest one is alone or matched. */
const bruteForce = (vertexCount: number, edges: readonly WeightedEdge[]): number => {
  const best = new Float64Array(1 << vertexCount);
  for (let set = 1; set < best.length; set++) {
    const lowest = 31 - Math.clz32(set & -set);
    best[set] = best[set & (set - 1)];
    for (const [from, to, weight] of edges) {
      if (Math.min(from, to) !== lowest || !(set & (1 << from)) || !(set & (1 << to))) continue;
      best[set] = Math.max(best[set], weight + best[set & ~(1 << from) & ~(1 << to)]);
    }
  }
  return best.at(-1)!;
};

const expectMatching = (matching: WeightedMatching, edges: readonly WeightedEdge[]) => {
  let weight = 0;
  matching.mates.forEach((mate, v) => {
    if (mate === -1) return;
    expect(matching.mates[mate]).toBe(v);
    const edge = edges.find(([a, b]) => (a === v && b === mate) || (a === mate && b === v));
    expect(edge).toBeDefined();
    if (v < mate) weight += edge![2];
  });
  expect(matching.weight).toBe(weight);
  expect(matching.bound).toBe(weight);
};

const randomGraph = (random: RandomSource, vertexCount: number, density: number, weights: number) => {
  const edges: WeightedEdge[] = [];
  for (let a = 0; a < vertexCount; a++) {
    for (let b = a + 1; b < vertexCount; b++) {
      if (random.uniform() < density) edges.push([a, b, random.integer(weights) - 1]);
    }
  }
  return edges;
};

describe('maximum-weight matching', () => {
  test('agrees with brute force on small graphs, dense and sparse, with many and few ties', () => {
    const random = seededRandom(20);
    for (let round = 0; round < 6000; round++) {
      const vertexCount = 2 + random.integer(9);
      const edges = randomGraph(
        random,
        vertexCount,
        [0.25, 0.5, 0.8, 1][round % 4],
        [3, 6, 30, 1e6][random.integer(4)],
      );
      const matching = maximumWeightMatching(vertexCount, edges);
      expectMatching(matching, edges);
      expect(matching.weight).toBe(bruteForce(vertexCount, edges));
    }
  });

  test('is proved by its dual on larger graphs, where blossoms nest and dissolve', () => {
    const random = seededRandom(21);
    for (let round = 0; round < 60; round++) {
      const vertexCount = 30 + random.integer(60);
      const edges = randomGraph(
        random,
        vertexCount,
        [0.05, 0.1, 0.5][round % 3],
        [4, 20, 1e6][random.integer(3)],
      );
      expectMatching(maximumWeightMatching(vertexCount, edges), edges);
    }
  });

  test('prefers a heavy middle edge to two light ones, and two medium ones to it', () => {
    expect([
      ...maximumWeightMatching(4, [
        [0, 1, 2],
        [1, 2, 5],
        [2, 3, 2],
      ]).mates,
    ]).toEqual([-1, 2, 1, -1]);
    expect([
      ...maximumWeightMatching(4, [
        [0, 1, 3],
        [1, 2, 5],
        [2, 3, 3],
      ]).mates,
    ]).toEqual([1, 0, 3, 2]);
  });

  test('leaves vertices unmatched when no edge has a positive weight, and accepts an empty graph', () => {
    expect([...maximumWeightMatching(2, [[0, 1, -1]]).mates]).toEqual([-1, -1]);
    expect(maximumWeightMatching(0, [])).toMatchObject({ weight: 0, bound: 0 });
  });

  test('rejects weights that it cannot add exactly', () => {
    expect(() => maximumWeightMatching(2, [[0, 1, 0.5]])).toThrow(
      'Expected a whole edge weight below 2⁵⁰, got `0.5`',
    );
  });
});
