import type { RandomSource } from 'muster/simulation';
import type { Arrival } from './model.ts';
import { drawCriteria } from './workload.ts';

/** A stretch of time in which the arrival rate changes linearly from one value to another, in players per time unit. */
export interface RatePiece {
  readonly from: number;
  readonly to: number;
  /** Time units, > 0. */
  readonly duration: number;
}

/** A Poisson stream of players whose rate may change in any way. */
export interface MixedWorkload {
  readonly name: string;
  /** One after another; the rate may jump between two pieces. */
  readonly pieces: readonly RatePiece[];
}

/**
 * Workloads that neither the paper nor the fitting of a policy uses: each has one to five pieces at constant, rising or
 * falling rates, with or without jumps between them. The level is log-uniform from 0.5 to 20 players per time unit,
 * the rates lie within a factor of 4 around it, and 100 to 1,000 players are expected.
 *
 * The same source gives the same workloads. A longer list begins with those of a shorter one.
 */
export function mixedWorkloads(count: number, random: RandomSource): MixedWorkload[] {
  return Array.from({ length: count }, (_, at) => drawWorkload(random.fork(`workload ${at}`)));
}

function drawWorkload(random: RandomSource): MixedWorkload {
  const level = logUniform(random, LEVELS);
  const rate = () => level * logUniform(random, [1 / SWING, SWING]);
  const count = 1 + random.integer(PIECES_MOST);
  const shapes: RatePiece[] = [];
  let last = rate();
  for (let piece = 0; piece < count; piece++) {
    const from = random.uniform() < 0.5 ? last : rate();
    const to = random.uniform() < 0.5 ? from : rate();
    shapes.push({ from, to, duration: 0.2 + random.uniform() });
    last = to;
  }
  const scale = logUniform(random, PLAYERS) / playersOf(shapes);
  const pieces = shapes.map(({ from, to, duration }) => ({ from, to, duration: duration * scale }));
  return { name: nameOf(pieces), pieces };
}

const LEVELS = [0.5, 20] as const;
/** Rates lie within this factor around the level. */
const SWING = 4;
const PIECES_MOST = 5;
const PLAYERS = [100, 1000] as const;

function logUniform(random: RandomSource, [from, to]: readonly [number, number]): number {
  return from * (to / from) ** random.uniform();
}

/** The expected number of players. */
export function playersOf(pieces: readonly RatePiece[]): number {
  return pieces.reduce((sum, { from, to, duration }) => sum + ((from + to) / 2) * duration, 0);
}

function nameOf(pieces: readonly RatePiece[]): string {
  const short = (rate: number) => Number(rate.toPrecision(2));
  return pieces
    .map(({ from, to, duration }) => {
      const rates = from === to ? `${short(from)}` : `${short(from)}…${short(to)}`;
      return `${rates} for ${short(duration)}`;
    })
    .join(', ');
}

/** Arrivals of one run, with criteria uniform on [0, 1]. */
export function* mixedArrivals(
  { pieces }: MixedWorkload,
  criteria: number,
  random: RandomSource,
): Generator<Arrival> {
  let index = 0;
  let start = 0;
  // Arrivals at rate 1 on a clock that shows how many players are expected in the piece so far.
  let expected = random.exponential(1);
  for (const piece of pieces) {
    const all = playersOf([piece]);
    for (; expected <= all; expected += random.exponential(1)) {
      yield {
        index: index++,
        time: start + timeOf(piece, expected),
        criteria: drawCriteria(criteria, random),
      };
    }
    expected -= all;
    start += piece.duration;
  }
}

/** The expected number of players up to a time. */
export function expectedUntil({ pieces }: MixedWorkload, time: number): number {
  let expected = 0;
  let start = 0;
  for (const piece of pieces) {
    if (time < start + piece.duration) {
      return expected + Math.max(0, time - start) * ((piece.from + rateIn(piece, time - start)) / 2);
    }
    expected += playersOf([piece]);
    start += piece.duration;
  }
  return expected;
}

/** Players per time unit at a time; 0 after the last piece. */
export function rateAt({ pieces }: MixedWorkload, time: number): number {
  let start = 0;
  for (const piece of pieces) {
    if (time < start + piece.duration) return rateIn(piece, Math.max(0, time - start));
    start += piece.duration;
  }
  return 0;
}

/** A stretch of time in which the rate does not jump. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Expected players. */
  readonly expected: number;
  /** The highest rate in it. */
  readonly highest: number;
}

/** The time between two times, split at the ends of pieces. No player is expected after the last piece. */
export function stretches({ pieces }: MixedWorkload, from: number, to: number): Stretch[] {
  const found: Stretch[] = [];
  let start = 0;
  for (const piece of pieces) {
    const end = start + piece.duration;
    if (from < end && start < to) {
      const [first, last] = [Math.max(from, start), Math.min(to, end)];
      const [before, after] = [rateIn(piece, first - start), rateIn(piece, last - start)];
      const expected = ((before + after) / 2) * (last - first);
      found.push({ from: first, to: last, expected, highest: Math.max(before, after) });
    }
    start = end;
  }
  if (start < to) found.push({ from: Math.max(from, start), to, expected: 0, highest: 0 });
  return found;
}

function rateIn({ from, to, duration }: RatePiece, time: number): number {
  return from + ((to - from) * time) / duration;
}

/** The time in a piece by which this many players are expected: the root of from·t + (to − from)·t²/(2·duration). */
function timeOf({ from, to, duration }: RatePiece, players: number): number {
  const slope = (to - from) / duration;
  return (2 * players) / (from + Math.sqrt(from ** 2 + 2 * slope * players));
}
