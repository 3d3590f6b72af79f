import type { PlayedMatch } from '../../lib/ratings/replay.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

/** Matches whose truth is known. */
export interface Synthetic {
  readonly matches: readonly PlayedMatch[];
  /** The true chance of each team to win, by match. */
  readonly truth: readonly (readonly number[])[];
  readonly skills: ReadonlyMap<string, number>;
}

/**
 * Players with skills N(1500, 350), in random teams. The performance of a team is the sum of its players' skills and a normal
 * with the deviation `beta`; the highest wins. Skills do a random walk of `walk` after each match.
 */
export function synthetic({
  seed = 1,
  players = 200,
  matches = 3_000,
  teamSize = 2,
  teams = 2,
  beta = 350,
  walk = 0,
}): Synthetic {
  const random = seededRandom(seed);
  const names = Array.from({ length: players }, (_, i) => `p${i}`);
  const skills = new Map(names.map((name) => [name, random.normal(1_500, 350)]));
  const truth: number[][] = [];
  const played = Array.from({ length: matches }, (_, m): PlayedMatch => {
    for (let i = 0; i < teams * teamSize; i++) {
      const j = i + random.integer(players - i);
      [names[i], names[j]] = [names[j]!, names[i]!];
    }
    const sides = Array.from({ length: teams }, (_, t) => names.slice(t * teamSize, (t + 1) * teamSize));
    const sums = sides.map((side) => side.reduce((sum, name) => sum + skills.get(name)!, 0));
    truth.push(chancesOf(sums, beta));
    const performances = sums.map((sum) => random.normal(sum, beta));
    for (const name of sides.flat()) skills.set(name, skills.get(name)! + random.normal(0, walk));
    return {
      atMs: 1_000 * m,
      teams: sides.map((side) => side.map((playerId) => ({ playerId, weight: 1 }))),
      ranks: performances.map((one) => 1 + performances.filter((other) => other > one).length),
    };
  });
  return { matches: played, truth, skills };
}

/** Of two teams exact; of more, by the mean of all pairs, which is enough for a comparison. */
function chancesOf(sums: readonly number[], beta: number): number[] {
  if (sums.length === 2) {
    const chance = normalBelow((sums[0]! - sums[1]!) / (Math.SQRT2 * beta));
    return [chance, 1 - chance];
  }
  const pairs = sums.map((sum, i) =>
    sums.reduce(
      (all, other, j) => (i === j ? all : all + normalBelow((sum - other) / (Math.SQRT2 * beta))),
      0,
    ),
  );
  const all = pairs.reduce((a, b) => a + b, 0);
  return pairs.map((one) => one / all);
}

/** The standard normal distribution (Abramowitz & Stegun 26.2.17), within 7.5e-8. */
export function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}
