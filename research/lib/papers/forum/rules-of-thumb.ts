import type { RandomSource } from 'muster/simulation';
import type { Arrival, MakeGame, OnlineAlgorithm, Setting } from '../schlup/model.ts';

/**
 * Rules from a thread of game developers, "Matching players in an online 1vs1 game - a queuing problem", in Schlup's setting
 * (k = 2, D = 1). At every look the players seek a partner, the longest-waiting first; at τ_max a player gets the nearest.
 */

/** Picks one of the others, which are in order of arrival; undefined to wait. */
type Choice = (seeker: Arrival, others: readonly Arrival[], now: number) => Arrival | undefined;

export interface Window {
  /** The tolerated difference of a newcomer. */
  readonly start: number;
  /** By how much it grows per time unit. */
  readonly growth: number;
}

/** Tolerances grow with the wait, both must accept each other, and the nearest is taken. */
export function widening(window: Window) {
  return looking((seeker, others, now) => nearest(seeker, mutual(window, seeker, others, now)));
}

/** The same at fixed times only, so that there are several partners to choose from. */
export function wideningInBatches(window: Window) {
  return looking((seeker, others, now) => nearest(seeker, mutual(window, seeker, others, now)), BATCHES);
}

/**
 * The same, but the partner is drawn: the n-th nearest of N with a weight of N − n + 1, so that players meet the same
 * opponents less often.
 */
export function weightedRandom(window: Window, random: () => RandomSource) {
  return (setting: Setting, makeGame: MakeGame): OnlineAlgorithm => {
    const source = random();
    return looking((seeker, others, now) => {
      const ranked = byDifference(seeker, mutual(window, seeker, others, now));
      let draw = source.uniform() * ((ranked.length * (ranked.length + 1)) / 2);
      return ranked.find((_, at) => {
        draw -= ranked.length - at;
        return draw < 0;
      });
    }, BATCHES)(setting, makeGame);
  };
}

/**
 * A player's rating falls while it waits, and is compared with the actual ratings of others within a fixed difference: a
 * strong player meets ever weaker ones, and would gain fewer points from the game.
 */
export function virtualRating({ start, growth }: Window) {
  const accepts = (a: Arrival, b: Arrival, now: number) =>
    Math.abs(a.criteria[0] - growth * (now - a.time) - b.criteria[0]) <= start;
  return looking((seeker, others, now) =>
    nearest(
      seeker,
      others.filter((other) => accepts(seeker, other, now) || accepts(other, seeker, now)),
    ),
  );
}

/** Looks per τ_max, when there is a look at each arrival as well, and when there is none. */
const LOOKS = 50;
const BATCHES = 8;

function looking(choose: Choice, batches?: number) {
  return ({ longestWait }: Setting, makeGame: MakeGame): OnlineAlgorithm => {
    /** In order of arrival. */
    let waiting: Arrival[] = [];
    let lastLook = 0;
    const release = (members: readonly Arrival[], now: number): void => {
      waiting = waiting.filter((player) => !members.includes(player));
      makeGame(members, now);
    };
    const look = (now: number): void => {
      lastLook = now;
      for (const seeker of [...waiting]) {
        if (!waiting.includes(seeker)) continue;
        const others = waiting.filter((other) => other !== seeker);
        const isLast = now >= seeker.time + longestWait;
        const partner = isLast ? nearest(seeker, others) : choose(seeker, others, now);
        if (partner !== undefined) release([seeker, partner], now);
        else if (isLast) release([seeker], now);
      }
    };
    return {
      onArrival(arrival) {
        if (waiting.length === 0) lastLook = arrival.time;
        waiting.push(arrival);
        if (batches === undefined) look(arrival.time);
      },
      timer() {
        if (waiting.length === 0) return Number.POSITIVE_INFINITY;
        return Math.min(lastLook + longestWait / (batches ?? LOOKS), waiting[0].time + longestWait);
      },
      onTimer: look,
    };
  };
}

/** Those within the tolerance of both. */
function mutual(
  { start, growth }: Window,
  seeker: Arrival,
  others: readonly Arrival[],
  now: number,
): Arrival[] {
  const tolerance = ({ time }: Arrival) => start + growth * (now - time);
  return others.filter((other) => difference(seeker, other) <= Math.min(tolerance(seeker), tolerance(other)));
}

function nearest(seeker: Arrival, others: readonly Arrival[]): Arrival | undefined {
  return byDifference(seeker, others)[0];
}

function byDifference(seeker: Arrival, others: readonly Arrival[]): Arrival[] {
  return others.toSorted((a, b) => difference(seeker, a) - difference(seeker, b) || a.index - b.index);
}

function difference(a: Arrival, b: Arrival): number {
  return Math.abs(a.criteria[0] - b.criteria[0]);
}
