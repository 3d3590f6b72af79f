import type { PlayedMatch } from '../../lib/ratings/replay.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';

/** Matches whose truth is known. */
export interface Synthetic {
  readonly matches: readonly PlayedMatch[];
  /** The true chance of each team to win, by match. */
  readonly truth: readonly (readonly number[])[];
  /** At the end. */
  readonly skills: ReadonlyMap<string, number>;
}

const DAY_MS = 86_400_000;
/** Friends who form parties: each player has the same three. */
const CIRCLE = 4;

/**
 * Players with skills N(1500, 350), in random teams. The performance of a team is the sum of its players' skills and a normal
 * with the deviation `beta`; the highest wins. Skills do a random walk of `walk` after each match, and of `walkPerDay` in each
 * day between two matches.
 *
 * @param regions parts of the players that play among themselves
 * @param friends whether every second player brings up to three friends into the team
 * @param betweenMs from one match to the next
 */
export function synthetic({
  seed = 1,
  players = 200,
  matches = 3_000,
  teamSize = 2,
  teams = 2,
  beta = 350,
  walk = 0,
  walkPerDay = 0,
  regions = 1,
  friends = false,
  betweenMs = 1_000,
}): Synthetic {
  const random = seededRandom(seed);
  const all = Array.from({ length: players }, (_, i) => `p${i}`);
  const skills = new Map(all.map((name) => [name, random.normal(1_500, 350)]));
  const lastMs = new Map<string, number>();
  const size = players / regions;
  const pools = Array.from({ length: regions }, (_, r) => all.slice(r * size, (r + 1) * size));
  const truth: number[][] = [];
  const played = Array.from({ length: matches }, (_, m): PlayedMatch => {
    const atMs = Math.round(m * betweenMs);
    const pool = pools[m % regions]!;
    const drawn = friends
      ? drawParties(pool, teams, teamSize, random)
      : drawSolos(pool, teams * teamSize, random);
    const sides = Array.from({ length: teams }, (_, t) => drawn.slice(t * teamSize, (t + 1) * teamSize));
    if (walkPerDay > 0)
      for (const name of drawn) {
        const days = (atMs - (lastMs.get(name) ?? atMs)) / DAY_MS;
        skills.set(name, skills.get(name)! + random.normal(0, walkPerDay * Math.sqrt(days)));
        lastMs.set(name, atMs);
      }
    const sums = sides.map((side) => side.reduce((sum, name) => sum + skills.get(name)!, 0));
    truth.push(chancesOf(sums, beta));
    const performances = sums.map((sum) => random.normal(sum, beta));
    for (const name of sides.flat()) skills.set(name, skills.get(name)! + random.normal(0, walk));
    return {
      atMs,
      teams: sides.map((side) => side.map((playerId) => ({ playerId, weight: 1 }))),
      ranks: performances.map((one) => 1 + performances.filter((other) => other > one).length),
    };
  });
  return { matches: played, truth, skills };
}

/** Some of the names, which are moved to the front of the pool. */
function drawSolos(pool: string[], count: number, random: RandomSource): string[] {
  for (let i = 0; i < count; i++) {
    const j = i + random.integer(pool.length - i);
    [pool[i], pool[j]] = [pool[j]!, pool[i]!];
  }
  return pool.slice(0, count);
}

/** Teams of players, and of friends of theirs: neighbours in the pool. */
function drawParties(
  pool: readonly string[],
  teams: number,
  teamSize: number,
  random: RandomSource,
): string[] {
  const drawn = new Set<string>();
  for (let team = 1; team <= teams; team++)
    while (drawn.size < team * teamSize) {
      const one = random.integer(pool.length);
      if (drawn.has(pool[one]!)) continue;
      drawn.add(pool[one]!);
      if (random.uniform() < 0.5) continue;
      const first = one - (one % CIRCLE);
      for (const friend of pool.slice(first, first + CIRCLE))
        if (drawn.size < team * teamSize) drawn.add(friend);
    }
  return [...drawn];
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
