import type { ArrivalRate } from './arrival-rate.ts';
import type { Arrival, MakeGame, OnlineAlgorithm, Setting } from './model.ts';

/**
 * Not in the paper: pairs are formed by a threshold derived from the arrival rate (k = 2, D = 1).
 *
 * One player who waits alone and takes the first newcomer within θ waits 1/(2aθ) and gets a difference of
 * θ/2 on average; with f = 2 the cost θ + 1/(2aθτ_max) is least at ℓ = 1/√(2aτ_max). From there:
 *
 * - among several waiting players, θ = ℓ·(1.05 + 0.9·e^(−0.8·a·rem)), where rem is the time left until τ_max: the
 *   tolerance grows as further arrivals become less likely;
 * - when few players are expected within τ_max, ℓ is near the whole range of skill, and θ is up to one half lower;
 * - near 0 and 1 a player has fewer neighbours, so θ is larger there;
 * - two players form a pair when their difference is within their tolerance as a pair: the larger of the two, and half of
 *   the difference between the two above it; the pair with the widest margin goes first. This is checked at every arrival, and
 *   again during a silence;
 * - after a silence of 10 mean gaps all waiting players are paired at least cost, as no more arrivals are expected;
 * - a player who reaches τ_max is paired with the nearest one. Without computer players it waits on for the next one when it
 *   is alone.
 */
export function slack(arrivalRate: () => ArrivalRate) {
  return ({ longestWait, computerPlayers = true }: Setting, makeGame: MakeGame): OnlineAlgorithm => {
    const rate = arrivalRate();
    /** In order of arrival. */
    let waiting: Arrival[] = [];
    let lastArrival = 0;
    let lookEvery = 0;
    let looksIntoSilence = 0;

    const tolerance = (player: Arrival, now: number, arrivalsPerTime: number): number => {
      const ell = 1 / Math.sqrt(2 * arrivalsPerTime * longestWait);
      const left = Math.max(0, player.time + longestWait - now);
      const urgency = LASTING + FADING * Math.exp(-FADES_BY * arrivalsPerTime * left);
      const caution = 1 - CAUTION * Math.exp((-arrivalsPerTime * longestWait) / CAUTIOUS_BELOW);
      return (ell * urgency * caution) / shareInside(player.criteria[0], REACH * ell) ** EDGE;
    };

    const pairBestWhileAny = (now: number): void => {
      const arrivalsPerTime = Math.max(rate.at(now), Number.MIN_VALUE);
      for (;;) {
        const tolerances = waiting.map((player) => tolerance(player, now, arrivalsPerTime));
        let best: [Arrival, Arrival] | undefined;
        let mostToSpare = 0;
        for (let late = 1; late < waiting.length; late++) {
          for (let early = 0; early < late; early++) {
            const toSpare =
              toleranceOfPair(tolerances[early], tolerances[late]) -
              difference(waiting[early], waiting[late]);
            if (toSpare < mostToSpare || (toSpare === mostToSpare && best !== undefined)) continue;
            best = [waiting[early], waiting[late]];
            mostToSpare = toSpare;
          }
        }
        if (best === undefined) return;
        release(best, now);
      }
    };

    const release = (members: readonly Arrival[], now: number): void => {
      waiting = waiting.filter((player) => !members.includes(player));
      makeGame(members, now);
    };

    const oldestTimesOutAt = (): number => {
      if (waiting.length < (computerPlayers ? 1 : 2)) return Number.POSITIVE_INFINITY;
      return Math.max(lastArrival, waiting[0].time + longestWait);
    };

    return {
      onArrival(arrival) {
        rate.onArrival(arrival.time);
        lastArrival = arrival.time;
        lookEvery = LOOK_EVERY_GAPS / rate.at(arrival.time);
        looksIntoSilence = 0;
        waiting.push(arrival);
        pairBestWhileAny(arrival.time);
      },
      timer() {
        if (waiting.length < 2) return oldestTimesOutAt();
        return Math.min(oldestTimesOutAt(), lastArrival + (looksIntoSilence + 1) * lookEvery);
      },
      onTimer(now) {
        if (now >= oldestTimesOutAt()) {
          const [oldest, ...others] = waiting;
          const nearest = others.sort((a, b) => difference(oldest, a) - difference(oldest, b)).slice(0, 1);
          release([oldest, ...nearest], now);
        } else if (++looksIntoSilence * LOOK_EVERY_GAPS >= SILENT_AFTER_GAPS) {
          for (const pair of cheapestPairs(waiting)) release(pair, now);
        } else {
          pairBestWhileAny(now);
        }
      },
    };
  };
}

// Fitted together with the constants of the estimated arrival rate, on the workloads of table 2 and 180 mixed workloads with
// seeds that the reproduction does not use. The score is flat around them.
const LASTING = 1.05;
const FADING = 0.9;
const FADES_BY = 0.8;
/** By how much θ is lower when no player is expected, and the players per τ_max at which this has faded to a third. */
const CAUTION = 0.5;
const CAUTIOUS_BELOW = 1.3;
/** Neighbours within this many ℓ count as near; θ grows with this power of the inverse of their share. */
const REACH = 0.75;
const EDGE = 0.25;
/** How far the tolerance of a pair is above the smaller one of its players, in parts of the difference between the two. */
const LARGER = 1.5;
const LOOK_EVERY_GAPS = 0.34;
const SILENT_AFTER_GAPS = 10;

function toleranceOfPair(one: number, other: number): number {
  return Math.min(one, other) + LARGER * Math.abs(one - other);
}

function difference(a: Arrival, b: Arrival): number {
  return Math.abs(a.criteria[0] - b.criteria[0]);
}

/** The part of [center − reach, center + reach] that lies in [0, 1]. */
function shareInside(center: number, reach: number): number {
  return (Math.min(1, center + reach) - Math.max(0, center - reach)) / (2 * reach);
}

/**
 * The pairs with the least sum of differences; one player stays when their number is odd. Once that player is removed,
 * the pairs are neighbours in order of the criterion.
 */
function cheapestPairs(players: readonly Arrival[]): (readonly [Arrival, Arrival])[] {
  const sorted = [...players].sort((a, b) => a.criteria[0] - b.criteria[0] || a.index - b.index);
  if (sorted.length % 2 === 0) return neighbours(sorted);
  let best: (readonly [Arrival, Arrival])[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let out = 0; out < sorted.length; out += 2) {
    const pairs = neighbours(sorted.filter((_, at) => at !== out));
    const sum = pairs.reduce((total, [a, b]) => total + difference(a, b), 0);
    if (sum < least) {
      least = sum;
      best = pairs;
    }
  }
  return best;
}

function neighbours(sorted: readonly Arrival[]): (readonly [Arrival, Arrival])[] {
  const pairs: (readonly [Arrival, Arrival])[] = [];
  for (let at = 0; at + 1 < sorted.length; at += 2) pairs.push([sorted[at], sorted[at + 1]]);
  return pairs;
}
