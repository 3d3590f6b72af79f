import type { Market } from './closed-forms.ts';

/** Before Lemma 3.2: the pool of the patient policy right before a player arrives, in the long run. */
export interface Stationary {
  /** π_(u,v), the share of periods with u players H and v players L in the pool. */
  share(high: number, low: number): number;
  /** Π_k, the share of periods with k players in the pool, for k = 0 … 2n. */
  readonly bySize: readonly number[];
}

/**
 * The stationary distribution of the patient policy's chain, computed from its transitions alone.
 *
 * Each step adds 1 to the pool modulo 2n, so the chain is followed for whole cycles of 2n steps from the empty pool and from
 * the pools that a cycle leads to, until a cycle changes nothing.
 */
export function patientStationary({ teamSize, highShare }: Market): Stationary {
  const gameSize = 2 * teamSize;
  const width = gameSize + 1;
  const at = (high: number, low: number) => high * width + low;
  let start = new Float64Array(width * width);
  start[at(0, 0)] = 1;
  let visits = new Float64Array(width * width);
  for (let change = 1; change > 1e-15; ) {
    visits = new Float64Array(width * width);
    let chance = start;
    for (let step = 0; step < gameSize; step++) {
      const next = new Float64Array(width * width);
      chance.forEach((probability, state) => {
        if (probability === 0) return;
        visits[state] += probability / gameSize;
        const high = Math.floor(state / width);
        const low = state % width;
        next[at(...afterArrival(high + 1, low, gameSize))] += probability * highShare;
        next[at(...afterArrival(high, low + 1, gameSize))] += probability * (1 - highShare);
      });
      chance = next;
    }
    const before = start;
    change = chance.reduce((sum, probability, state) => sum + Math.abs(probability - before[state]), 0);
    start = chance;
  }
  const bySize = Array.from({ length: width }, (_, size) => {
    let sum = 0;
    for (let high = 0; high <= size; high++) sum += visits[at(high, size - high)];
    return sum;
  });
  return { share: (high, low) => visits[at(high, low)], bySize };
}

/** The pool that remains once a player has arrived and the patient policy has formed the game that it can. */
function afterArrival(high: number, low: number, gameSize: number): [high: number, low: number] {
  if (high + low < gameSize || (high + low === gameSize && high % 2 === 1)) return [high, low];
  if (high + low === gameSize) return [0, 0];
  return high % 2 === 1 ? [1, 0] : [0, 1];
}

/** Π_k as the paper derives it: 1/(4n) for k = 0 and 2n, 1/(2n) between. */
export function printedShareOfSize({ teamSize }: Market, size: number): number {
  return size === 0 || size === 2 * teamSize ? 1 / (4 * teamSize) : 1 / (2 * teamSize);
}

/**
 * δ_1 and δ_2 of the proof of Lemma 3.2: the probabilities that the pool is odd when it holds 2n players, from a pool of one
 * L and from a pool of one H. They sum to 1.
 */
export function oddAfter({ teamSize, highShare }: Market): {
  readonly fromLow: number;
  readonly fromHigh: number;
} {
  const added = 2 * teamSize - 1;
  let fromLow = 0;
  let fromHigh = 0;
  let binomial = 1;
  for (let highs = 0; highs <= added; highs++) {
    const probability = binomial * highShare ** highs * (1 - highShare) ** (added - highs);
    if (highs % 2 === 1) fromLow += probability;
    else fromHigh += probability;
    binomial = (binomial * (added - highs)) / (highs + 1);
  }
  return { fromLow, fromHigh };
}
