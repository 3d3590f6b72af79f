import type { RandomSource } from 'muster/simulation';
import type { Estimate } from '../finding.ts';
import { BlockMeans } from '../statistics.ts';
import { maximumWeightMatching, type WeightedEdge } from './maximum-weight-matching.ts';

/**
 * Schlup's setting for pairs far from the ends of the scale and of the run, where time-outs do not matter. In units of
 * ℓ = 1/√(2aτ_max) for lengths and costs it has no parameter: players arrive on a ring, half a one per unit of length and
 * time, and a game costs twice the difference plus both waits.
 */
export interface RingArrival {
  readonly time: number;
  readonly place: number;
}

/** Long enough that a player's neighbours on both sides are different ones. */
const LENGTH = 40;

export function* ringArrivals(players: number, random: RandomSource): Generator<RingArrival> {
  let time = 0;
  for (let count = 0; count < players; count++) {
    time += random.exponential(LENGTH / 2);
    yield { time, place: LENGTH * random.uniform() };
  }
}

/** The tolerance of two neighbours, from the gaps to the next waiting player on both sides. */
export type RingTolerance = (before: number, after: number) => number;

/** Cost per game when neighbours within their tolerance are paired at each arrival, the widest margin first. */
export function ringCost(
  arrivals: Iterable<RingArrival>,
  players: number,
  tolerance: RingTolerance,
): Estimate {
  const costs = new BlockMeans(Math.max(1, Math.floor(players / 200)));
  const waiting: RingArrival[] = [];
  const gapAfter = (at: number) => {
    const next = waiting[(at + 1) % waiting.length].place - waiting[at].place;
    return next < 0 ? next + LENGTH : next;
  };
  const before = (at: number) => (at + waiting.length - 1) % waiting.length;
  for (const arrival of arrivals) {
    let at = waiting.findIndex(({ place }) => place > arrival.place);
    if (at < 0) at = waiting.length;
    waiting.splice(at, 0, arrival);
    while (waiting.length >= 4) {
      let best = -1;
      let widest = 0;
      for (let first = 0; first < waiting.length; first++) {
        const margin =
          tolerance(gapAfter(before(first)), gapAfter((first + 1) % waiting.length)) - gapAfter(first);
        if (margin <= widest) continue;
        best = first;
        widest = margin;
      }
      if (best < 0) break;
      const second = (best + 1) % waiting.length;
      costs.add(2 * gapAfter(best) + 2 * arrival.time - waiting[best].time - waiting[second].time);
      const pair = [waiting[best], waiting[second]];
      for (const player of pair) waiting.splice(waiting.indexOf(player), 1);
    }
  }
  return { value: costs.mean, standardError: costs.standardError };
}

/** A longer wait is worth no pair: two players wait less than this between them with a constant tolerance. */
const WAIT_MOST = 8;
const PARTS = 2 ** 24;

/** The least cost per game of pairs that wait at most `WAIT_MOST`, with all arrivals known. */
export function ringOptimum(arrivals: readonly RingArrival[]): number {
  const cost = (early: RingArrival, late: RingArrival) => {
    const apart = Math.abs(early.place - late.place);
    return 2 * Math.min(apart, LENGTH - apart) + late.time - early.time;
  };
  const edges: WeightedEdge[] = [];
  for (let late = 1; late < arrivals.length; late++) {
    for (let early = late - 1; early >= 0; early--) {
      if (arrivals[late].time - arrivals[early].time > WAIT_MOST) break;
      const paid = cost(arrivals[early], arrivals[late]);
      if (paid < WAIT_MOST) edges.push([early, late, Math.round((2 * WAIT_MOST - paid) * PARTS)]);
    }
  }
  const { mates } = maximumWeightMatching(arrivals.length, edges);
  let games = 0;
  let total = 0;
  mates.forEach((mate, index) => {
    if (mate <= index) return;
    games++;
    total += cost(arrivals[index], arrivals[mate]);
  });
  return total / games;
}
