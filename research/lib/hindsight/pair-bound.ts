import type { ArrivalLaw } from './foresight.ts';

/** What pairs cost, in the unit of imbalance. */
export interface PairCosts {
  /** The cost of a player's wait per tick, > 0. */
  readonly waitCost: number;
  /** The cost of a pair of players per unit of skill between them: both their imbalances together. */
  readonly distanceCost: number;
  /** All skills are in this range. */
  readonly from: number;
  readonly to: number;
}

/** A bound on the cost per player of every policy for 1v1. */
export interface PairBound {
  /** In the long run no policy costs less per player. */
  readonly cost: number;
  /** The price V of the proof, for a player of this skill; the end's price beyond the range. */
  price(skill: number): number;
}

/**
 * A bound on what any release policy for 1v1 can reach in a steady stream of arrivals, even one that knows their law.
 *
 * Let V be a price for every skill, with λ·∫ φ(y)·(V(x) + V(y) − c·|x − y|)⁺ dy ≤ waitCost for every skill x, where λ players of
 * skill density φ arrive per tick and a pair costs c·|x − y|. Then no policy costs less per player than the mean of V over
 * arrivals. For a set S of waiting players, let J(S) be the least cost of pairing some of them now, with V for each of the others.
 * - A release of a pair never lowers J plus the cost paid: the pair, with the best pairing of the others, is a pairing of S.
 * - A newcomer y raises J by V(y) or, if its best mate is i, by at least c·|i − y| − V(i), because i is one of the others in
 *   another pairing of S. So it raises J by at least V(y) − Σ_i (V(i) + V(y) − c·|i − y|)⁺ over all that wait.
 * - Between releases, waits and arrivals therefore raise the cost paid plus J by λ·∫ φ·V per tick on average, and by
 *   waitCost less the integral above, which is not negative, for each waiting player.
 * So the cost paid plus J grows at least by the mean of V with each arrival, and J stays bounded while the number of waiting
 * players does. Ticks, a longest wait and unknown laws only restrict policies further. Every ticket plays in the end.
 *
 * Here V takes equality: then a player gains by waiting, through the next arrivals, just what its wait costs. Where the density
 * changes slowly, V is √(c·waitCost/(4λφ)). The integrals are sums over a grid whose steps are a fraction of V/c. Prices are
 * lowered until the condition also holds on the grid with twice as many points. Cost: some 10⁷ steps.
 */
export function pairBound(law: ArrivalLaw, costs: PairCosts): PairBound {
  const { waitCost } = costs;
  const coarse = gridOf(law, costs);
  const prices = Float64Array.from(coarse.skills, (skill) => localPrice(law, costs, skill));
  for (let round = 0; round < ROUNDS; round++) {
    const { gains, slopes } = gainsOf(coarse, prices, costs);
    // Neighbours move in the same way, which doubles the slope.
    for (let i = 0; i < prices.length; i++) prices[i] += (waitCost - gains[i]) / (2 * slopes[i]);
  }
  const fine = halved(law, coarse);
  const between = fine.skills.map((skill) => interpolated(coarse.skills, prices, skill));
  const most = gainsOf(fine, between, costs).gains.reduce((max, gain) => Math.max(max, gain), 0);
  // For s ≤ 1 the gains of the prices s·V are at most s times those of V, since distances stay as they are.
  const scale = Math.min(1, waitCost / most);
  const total = fine.shares.reduce((sum, share) => sum + share, 0);
  return {
    cost: between.reduce((sum, price, i) => sum + scale * price * fine.shares[i], 0) / total,
    price: (skill) => scale * interpolated(coarse.skills, prices, skill),
  };
}

/**
 * A bound on the mean imbalance that any policy for 1v1 can reach at a mean wait of so many ticks. Whatever a tick costs, the
 * mean imbalance is at least the bound on the cost less that of the waits. The difference is greatest about where it would be
 * if the bound grew with the square root of the waitCost.
 *
 * @param meanWait in ticks, > 0
 */
export function imbalanceBound(
  law: ArrivalLaw,
  range: Omit<PairCosts, 'waitCost'>,
  meanWait: number,
): { imbalance: number; waitCost: number } {
  const waitCost = (pairBound(law, { ...range, waitCost: 1 }).cost / (2 * meanWait)) ** 2;
  return { imbalance: pairBound(law, { ...range, waitCost }).cost - waitCost * meanWait, waitCost };
}

const ROUNDS = 40;
/** Points of the grid in the skill difference that one price pays for. */
const POINTS = 30;
/** Points of the grid at least, over the whole range. */
const POINTS_LEAST = 300;

/** Ascending skills, and how many players per tick each of them stands for (trapezoids). */
interface SkillGrid {
  readonly skills: Float64Array;
  readonly shares: Float64Array;
}

/** The price of a player among arrivals as dense everywhere as at its skill. */
function localPrice(
  { perTick, density }: ArrivalLaw,
  { waitCost, distanceCost, from, to }: PairCosts,
  skill: number,
): number {
  const price = Math.sqrt((distanceCost * waitCost) / (4 * perTick * density(skill)));
  return Math.min(price, distanceCost * (to - from));
}

function gridOf(law: ArrivalLaw, costs: PairCosts): SkillGrid {
  const { from, to, distanceCost } = costs;
  const skills = [from];
  for (let at = from; at < to; ) {
    const step = localPrice(law, costs, at) / distanceCost / POINTS;
    at = Math.min(to, at + Math.min(step, (to - from) / POINTS_LEAST));
    skills.push(at);
  }
  return withShares(law, Float64Array.from(skills));
}

function halved(law: ArrivalLaw, { skills }: SkillGrid): SkillGrid {
  const finer = new Float64Array(2 * skills.length - 1);
  for (let i = 0; i < finer.length; i++) finer[i] = (skills[i >> 1] + skills[(i + 1) >> 1]) / 2;
  return withShares(law, finer);
}

function withShares({ perTick, density }: ArrivalLaw, skills: Float64Array): SkillGrid {
  const last = skills.length - 1;
  const shares = skills.map((skill, i) => {
    const width = (skills[Math.min(last, i + 1)] - skills[Math.max(0, i - 1)]) / 2;
    return perTick * density(skill) * width;
  });
  return { skills, shares };
}

/** For every skill of the grid: what a waiting player of it gains per tick by new arrivals, and the slope in its price. */
function gainsOf({ skills, shares }: SkillGrid, prices: Float64Array, { distanceCost }: PairCosts) {
  const count = skills.length;
  const gains = new Float64Array(count);
  const slopes = new Float64Array(count);
  /** At each point: the most that any point there or farther out can bring to a player on the other side, but for the distance. */
  const above = prices.map((price, i) => price - distanceCost * skills[i]);
  for (let i = count - 2; i >= 0; i--) above[i] = Math.max(above[i], above[i + 1]);
  const below = prices.map((price, i) => price + distanceCost * skills[i]);
  for (let i = 1; i < count; i++) below[i] = Math.max(below[i], below[i - 1]);
  for (let i = 0; i < count; i++) {
    const add = (j: number): void => {
      const gain = prices[i] + prices[j] - distanceCost * Math.abs(skills[i] - skills[j]);
      if (gain <= 0) return;
      gains[i] += shares[j] * gain;
      slopes[i] += shares[j];
    };
    const place = distanceCost * skills[i];
    for (let j = i; j < count && prices[i] + place + above[j] > 0; j++) add(j);
    for (let j = i - 1; j >= 0 && prices[i] - place + below[j] > 0; j--) add(j);
  }
  return { gains, slopes };
}

function interpolated(skills: Float64Array, prices: Float64Array, skill: number): number {
  let low = 0;
  let high = skills.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (skills[middle] <= skill) low = middle;
    else high = middle;
  }
  const part = Math.min(1, Math.max(0, (skill - skills[low]) / (skills[high] - skills[low])));
  return (1 - part) * prices[low] + part * prices[high];
}
