import type { Ticket } from '../engine/types.ts';
import type { PoolFacts } from './policy.ts';

/**
 * What a bucket remembers between two ticks: a small JSON value (some 1.5 KB), from which the rate and the
 * skills of arrivals are estimated. Nothing of this is ever configured.
 */
export interface TickMemory {
  readonly version: 1;
  /** When the last tick ran. */
  readonly tickedAtMs: number;
  /** The arrival time of the newest ticket seen: what came later is new. */
  readonly newestSeenMs: number;
  /** Players who came, and the seconds in which they came; both fade with time. */
  readonly players: number;
  readonly seconds: number;
  /** Skills of the players who came last, a ring of at most `SAMPLE_SIZE` that is next written at `ringAt`. */
  readonly skills: readonly number[];
  readonly ringAt: number;
}

/** Enough for a density within some 25%, which is some 12% of a threshold. */
const SAMPLE_SIZE = 256;
/** The estimate of the rate rests on about this many arrivals: within some 10%. */
const ARRIVALS_REMEMBERED = 100;
const MEMORY_MAX_SECONDS = 3600;
/** Quantiles over which the typical density is the mean. */
const TYPICAL_POINTS = 16;

/** The memory after this tick has seen its tickets. */
export function remember(
  memory: TickMemory | undefined,
  tickets: readonly Ticket[],
  nowMs: number,
): TickMemory {
  let oldestMs = nowMs;
  for (const { enqueuedAtMs } of tickets) oldestMs = Math.min(oldestMs, enqueuedAtMs);
  const before: TickMemory = memory ?? {
    version: 1,
    tickedAtMs: oldestMs,
    newestSeenMs: Number.NEGATIVE_INFINITY,
    players: 0,
    seconds: 0,
    skills: [],
    ringAt: 0,
  };
  const newcomers = tickets
    .filter(({ enqueuedAtMs }) => enqueuedAtMs > before.newestSeenMs)
    .sort((a, b) => a.enqueuedAtMs - b.enqueuedAtMs || (a.ticketId < b.ticketId ? -1 : 1));
  const skills = [...before.skills];
  let { ringAt } = before;
  let arrived = 0;
  for (const { players } of newcomers) {
    arrived += players.length;
    for (const { skill } of players) {
      skills[ringAt] = Number(skill.toPrecision(6));
      ringAt = (ringAt + 1) % SAMPLE_SIZE;
    }
  }
  const elapsed = Math.max(0, nowMs - before.tickedAtMs) / 1000;
  const rate = before.seconds === 0 ? 0 : before.players / before.seconds;
  const horizon = Math.min(MEMORY_MAX_SECONDS, rate === 0 ? MEMORY_MAX_SECONDS : ARRIVALS_REMEMBERED / rate);
  const kept = Math.exp(-elapsed / horizon);
  return {
    version: 1,
    tickedAtMs: nowMs,
    newestSeenMs: newcomers.at(-1)?.enqueuedAtMs ?? Math.max(before.newestSeenMs, Number.MIN_SAFE_INTEGER),
    players: before.players * kept + arrived,
    seconds: before.seconds * kept + elapsed,
    skills,
    ringAt,
  };
}

export type Estimates = Pick<
  PoolFacts,
  'arrivalRate' | 'density' | 'typicalDensity' | 'rank' | 'strongShare'
>;

/** Rate, density and ranks as the memory knows them. */
export function estimatesOf(memory: TickMemory): Estimates {
  const arrivalRate = Math.max(memory.players, 1) / Math.max(memory.seconds, 1);
  const sorted = Float64Array.from(memory.skills).sort();
  const size = sorted.length;
  let mean = 0;
  for (const skill of sorted) mean += skill / size;
  let square = 0;
  for (const skill of sorted) square += (skill - mean) ** 2 / size;
  const neighbours = Math.min(size - 1, Math.ceil(Math.sqrt(size)));
  // Equal skills would make the density infinite; no two players are known better than this.
  const distanceMin = Math.max(Math.sqrt(square) / 100, 1e-9 * Math.max(1, Math.abs(mean)));

  /** By the distance to the nearest few: fine where many are, and never 0 beyond the ends of the scale. */
  const density = (skill: number): number => {
    if (neighbours < 1) return arrivalRate / (2 * Math.max(1, skill));
    let above = lowerBound(sorted, skill);
    let below = above - 1;
    let distance = 0;
    for (let i = 0; i < neighbours; i++) {
      const toBelow = below >= 0 ? skill - sorted[below] : Number.POSITIVE_INFINITY;
      const toAbove = above < size ? sorted[above] - skill : Number.POSITIVE_INFINITY;
      distance = Math.min(toBelow, toAbove);
      if (toBelow <= toAbove) below--;
      else above++;
    }
    return (arrivalRate * neighbours) / (size * 2 * Math.max(distance, distanceMin));
  };
  let typicalDensity = 0;
  for (let i = 0; i < TYPICAL_POINTS; i++) {
    const part = (i + 0.5) / TYPICAL_POINTS;
    typicalDensity += density(sorted[Math.floor(part * size)] ?? 0) / TYPICAL_POINTS;
  }
  return {
    arrivalRate,
    density,
    typicalDensity,
    rank(skill) {
      return size === 0 ? 0.5 : (lowerBound(sorted, skill) + upperBound(sorted, skill)) / (2 * size);
    },
    strongShare: size === 0 ? 0.5 : 1 - upperBound(sorted, mean) / size,
  };
}

/** How many of the sorted values are below. */
function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the sorted values are below or equal. */
function upperBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
