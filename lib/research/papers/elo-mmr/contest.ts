import type { RandomSource } from '../../../simulation/random.ts';

/** The synthetic contests of Ebtekar & Liu: skills, the noise of a performance, and what a skill gains between two rounds. */
export const CONTEST = { mean: 1_500, deviation: 350, noise: 200, drift: 35, rounds: 50 } as const;

/** Whether skills spread further with each round, or are drawn back so that their deviation stays. */
export type Spread = 'grows' | 'stays';

/**
 * Plays the contests: all participants in all rounds.
 *
 * @param play receives the skills and the performances of each round, from round 0 on
 */
export function playContests(
  participants: number,
  spread: Spread,
  random: RandomSource,
  play: (round: number, skills: Float64Array, performances: Float64Array) => void,
): void {
  const { mean, deviation, noise, drift, rounds } = CONTEST;
  const skills = Float64Array.from({ length: participants }, () => random.normal(mean, deviation));
  const kept = spread === 'grows' ? 1 : Math.sqrt(1 - drift ** 2 / deviation ** 2);
  for (let round = 0; round < rounds; round++) {
    const performances = skills.map((skill) => random.normal(skill, noise));
    play(round, skills, performances);
    for (let i = 0; i < participants; i++)
      skills[i] = mean + kept * (skills[i] - mean) + random.normal(0, drift);
  }
}

/** How a prediction fits a round, both in percent: the pairs that it orders rightly, and how far ranks are from it. */
export function fitOf(predicted: Float64Array, performances: Float64Array) {
  const n = predicted.length;
  let right = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++)
      if (predicted[i] > predicted[j] === performances[i] > performances[j]) right++;
  const [expected, actual] = [ranksOf(predicted), ranksOf(performances)];
  let distance = 0;
  for (let i = 0; i < n; i++) distance += Math.abs(expected[i] - actual[i]);
  return { pairs: (200 * right) / (n * (n - 1)), ranks: (100 * distance) / (n * (n - 1)) };
}

/** The participants, the best first. */
export function orderOf(values: Float64Array): number[] {
  return [...values.keys()].sort((a, b) => values[b] - values[a]);
}

function ranksOf(values: Float64Array): Float64Array {
  const ranks = new Float64Array(values.length);
  orderOf(values).forEach((participant, rank) => {
    ranks[participant] = rank;
  });
  return ranks;
}

/** The variance with which a filter that sees performances knows a skill before a round, and the variance of all skills. */
export function variancesAt(round: number, spread: Spread): { readonly known: number; readonly all: number } {
  const { deviation, noise, drift } = CONTEST;
  const kept = spread === 'grows' ? 1 : 1 - drift ** 2 / deviation ** 2;
  let [known, all] = [deviation ** 2, deviation ** 2];
  for (let before = 0; before < round; before++) {
    known = (kept * known * noise ** 2) / (known + noise ** 2) + drift ** 2;
    all = kept * all + drift ** 2;
  }
  return { known, all };
}

/**
 * The percentage of pairs that a filter which sees performances orders rightly, in expectation: two normals of correlation ρ have
 * the same sign with a chance of 1/2 + asin(ρ)/π.
 */
export function pairsOfFilter(round: number, spread: Spread): number {
  const { known, all } = variancesAt(round, spread);
  const correlation = Math.sqrt((all - known) / (all + CONTEST.noise ** 2));
  return 100 * (0.5 + Math.asin(correlation) / Math.PI);
}
