import type { RandomSource } from 'muster/simulation';
import type { Estimate } from '../finding.ts';
import { BlockMeans } from '../statistics.ts';
import { type PartyRates, totalRate } from './central-queue.ts';

/**
 * The times between the packages of the 1v1 approximation (section IV-A, figure 6): a package is a pair, or two solos packed
 * together, at the arrival of the second. The paper shows their histograms and gives no formula.
 *
 * With Λ = λ1 + λ2, p = λ1/Λ and r = λ2/Λ: when a solo already waits, the next party completes a package, after one time
 * with rate Λ. When none waits, so does a pair; a solo adds a second such time. A package finds no solo left with probability
 * 1/(1 + r). So the density is Λe^(−Λt)·(2r + pΛt)/(1 + r), and the share of times above t is e^(−Λt)·(1 + r + pΛt)/(1 + r).
 */
export function gapAbove(rates: PartyRates, time: number): number {
  const parties = rates.solos + rates.pairs;
  const pairShare = rates.pairs / parties;
  const scaled = parties * time;
  if (time === Number.POSITIVE_INFINITY) return 0;
  return (Math.exp(-scaled) * (1 + pairShare + (1 - pairShare) * scaled)) / (1 + pairShare);
}

/** The same for Poisson arrivals of packages at their rate, λ_total/2: what the approximation assumes. */
export function poissonGapAbove(rates: PartyRates, time: number): number {
  return Math.exp((-totalRate(rates) * time) / 2);
}

/** The largest difference between the two shares over all times: 0 with pairs alone. */
export function gapDistance(rates: PartyRates): number {
  let most = 0;
  const step = 0.001 / totalRate(rates);
  for (let time = 0; time * totalRate(rates) < 30; time += step)
    most = Math.max(most, Math.abs(gapAbove(rates, time) - poissonGapAbove(rates, time)));
  return most;
}

/** The share of the times between packages that fall into each bin, measured. */
export function simulateGaps(
  rates: PartyRates,
  edges: readonly number[],
  packages: number,
  random: RandomSource,
): Estimate[] {
  const parties = rates.solos + rates.pairs;
  const bins = edges.slice(1).map(() => new BlockMeans(Math.max(1, Math.floor(packages / 100))));
  let isSoloWaiting = false;
  for (let count = 0; count < packages; count++) {
    let gap = random.exponential(parties);
    let isSolo = random.uniform() * parties < rates.solos;
    if (isSolo && !isSoloWaiting) {
      isSoloWaiting = true;
      gap += random.exponential(parties);
      isSolo = random.uniform() * parties < rates.solos;
    }
    if (isSolo) isSoloWaiting = false;
    for (const [at, bin] of bins.entries()) bin.add(edges[at] <= gap && gap < edges[at + 1] ? 1 : 0);
  }
  return bins.map(({ mean, standardError }) => ({ value: mean, standardError }));
}
