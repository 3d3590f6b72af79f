import * as z from 'zod';
import type { Ticket } from '../engine/types.ts';
import {
  addChoices,
  type ChoiceCounts,
  COUNTS_MAX,
  choiceCounts,
  mixedChoices,
} from './choices/choice-counts.ts';
import type { Choice } from './choices/choices.ts';
import type { PoolFacts } from './policy.ts';
import { addSkills, distributionOf, EMPTY_SKETCH, mixedSkills, type SkillSketch } from './skill-sketch.ts';

const VERSION = 2;

/**
 * What the ticks of a range of skill remember: a small JSON value (about 1 KB), from which the rate and the
 * skills of arrivals are estimated. It needs no configuration.
 */
export interface TickMemory {
  /** The version of this value's shape. A value of another version is discarded. */
  readonly version: typeof VERSION;
  /** When the last tick ran. */
  readonly tickedAtMs: number;
  /** The enqueue time of the newest ticket seen. Tickets enqueued later are new. */
  readonly newestSeenMs: number;
  /** Players who arrived, and the seconds in which they arrived. Both decay with time. */
  readonly players: number;
  readonly seconds: number;
  /** All players who have arrived, without decay. */
  readonly seen: number;
  /** Skills of recent arrivals: mostly those of the last hour or of the last thousand players, whichever is longer. */
  readonly skills: SkillSketch;
  /** When the last tick ran, if it saw all waiting tickets of the range and searched them to the end. */
  readonly searchedAtMs?: number | undefined;
  /** What recent arrivals accept of the queue's sides, roles and regions, with the same decay; absent without these. */
  readonly choices?: readonly ChoiceCounts[] | undefined;
}

/** Parses a stored memory of the current version. */
export const tickMemory = z.object({
  version: z.literal(VERSION),
  tickedAtMs: z.number(),
  newestSeenMs: z.number(),
  players: z.number(),
  seconds: z.number(),
  seen: z.number(),
  skills: z.object({ means: z.array(z.number()), weights: z.array(z.number()) }),
  searchedAtMs: z.number().optional(),
  choices: z.array(choiceCounts).optional().catch(undefined),
}) satisfies z.ZodType<TickMemory>;

/**
 * The rate estimate uses about min(300, 1.6·n^0.7) of n arrivals: a rate that was steady over many arrivals is
 * likely to stay steady. An estimate from 300 arrivals is within about 6%; results are the same from 100 to 1000.
 */
const ARRIVALS_REMEMBERED = { least: 5, factor: 1.6, exponent: 0.7, most: 300 };
const MEMORY_MAX_SECONDS = 3600;
const PLAYERS_REMEMBERED = 1000;

/** The part of the arrivals that the tickets of a tick show, when other ticks search the same players too. */
export interface Coverage {
  /**
   * The latest time at which another tick may have searched these players. It may have removed earlier tickets, so only
   * tickets enqueued later are counted, and the time since then.
   */
  readonly sinceMs: number;
  /** The share of the bucket's waiting tickets that were read, in (0, 1]. */
  readonly share: number;
}

/**
 * Updates the memory with the tickets of this tick: all waiting tickets, or the part that `coverage` describes.
 * @param choices what the players of the queue choose
 */
export function remember(
  memory: TickMemory | undefined,
  tickets: readonly Ticket[],
  nowMs: number,
  { sinceMs, share }: Coverage = { sinceMs: Number.MIN_SAFE_INTEGER, share: 1 },
  choices: readonly Choice[] = [],
): TickMemory {
  const before = memory?.version === VERSION ? memory : firstMemory(tickets, nowMs);
  let { newestSeenMs } = before;
  const countedFromMs = Math.max(before.newestSeenMs, sinceMs);
  const arrived = tickets.filter(({ enqueuedAtMs }) => enqueuedAtMs > countedFromMs);
  const newcomers: number[] = [];
  for (const { enqueuedAtMs, players } of arrived) {
    newestSeenMs = Math.max(newestSeenMs, enqueuedAtMs);
    for (const { skill } of players) newcomers.push(skill);
  }
  const elapsed = Math.max(0, nowMs - before.tickedAtMs) / 1000;
  const horizon = horizonOf(before);
  const kept = Math.exp(-elapsed / horizon);
  // Arrivals since the last tick decay too. Otherwise a night without ticks would outweigh the day.
  const added = elapsed === 0 ? 1 : ((1 - kept) * horizon) / elapsed;
  const watched = Math.min(elapsed, Math.max(0, nowMs - sinceMs) / 1000);
  const skillsKept = Math.exp(-Math.min(elapsed / MEMORY_MAX_SECONDS, newcomers.length / PLAYERS_REMEMBERED));
  return {
    version: VERSION,
    tickedAtMs: nowMs,
    newestSeenMs,
    players: before.players * kept + (newcomers.length * added) / share,
    seconds: before.seconds * kept + watched * added,
    seen: before.seen + newcomers.length,
    skills: addSkills(before.skills, newcomers, skillsKept),
    ...(choices.length > 0 && {
      choices: addChoices(before.choices ?? [], choices, arrived, skillsKept, COUNTS_MAX, PLAYERS_REMEMBERED),
    }),
  };
}

/**
 * The memory of a queue, merged from the memories of its buckets.
 * @returns undefined when no bucket has had a player
 */
export function together(memories: readonly TickMemory[]): TickMemory | undefined {
  const some = memories.filter(({ seen }) => seen > 0);
  if (some.length === 0) return undefined;
  const rates = some.map(measuredRate);
  const seconds = Math.max(1, ...some.map((one) => one.seconds));
  const choices = mixedChoices(some.map((one, i) => ({ choices: one.choices ?? [], share: rates[i] })));
  return {
    version: VERSION,
    tickedAtMs: Math.max(...some.map(({ tickedAtMs }) => tickedAtMs)),
    newestSeenMs: Math.max(...some.map(({ newestSeenMs }) => newestSeenMs)),
    players: seconds * rates.reduce((sum, rate) => sum + rate, 0),
    seconds,
    seen: some.reduce((sum, { seen }) => sum + seen, 0),
    skills: mixedSkills(some.map(({ skills }, i) => ({ sketch: skills, share: rates[i] }))),
    ...(choices.length > 0 && { choices }),
  };
}

function firstMemory(tickets: readonly Ticket[], nowMs: number): TickMemory {
  let tickedAtMs = nowMs;
  for (const { enqueuedAtMs } of tickets) tickedAtMs = Math.min(tickedAtMs, enqueuedAtMs);
  const newestSeenMs = Number.MIN_SAFE_INTEGER;
  return {
    version: VERSION,
    tickedAtMs,
    newestSeenMs,
    players: 0,
    seconds: 0,
    seen: 0,
    skills: EMPTY_SKETCH,
  };
}

/** The seconds in which the memory of the rate decays by a factor of e. */
function horizonOf({ players, seconds, seen }: TickMemory): number {
  return Math.min(
    MEMORY_MAX_SECONDS,
    (rememberedArrivals(seen) * Math.max(seconds, 1)) / Math.max(players, 1),
  );
}

/** How many arrivals the estimate of the rate is based on. */
function rememberedArrivals(seen: number): number {
  const { least, factor, exponent, most } = ARRIVALS_REMEMBERED;
  return Math.min(most, Math.max(least, factor * seen ** exponent));
}

/** The facts about a queue that are estimated from its memory. */
export type Estimates = Pick<
  PoolFacts,
  'arrivalRate' | 'density' | 'typicalDensity' | 'rank' | 'strongShare'
>;

/**
 * Estimates rate, density and ranks from the memory.
 *
 * @param expectedRate players per second; it counts only while few players have arrived
 */
export function estimatesOf(memory: TickMemory, expectedRate: number): Estimates {
  const arrivalRate = rateOf(memory, expectedRate);
  const skills = distributionOf(memory.skills);
  if (skills === undefined) {
    const density = (skill: number) => arrivalRate / (2 * Math.max(1, skill));
    return { arrivalRate, density, typicalDensity: () => density(0), rank: () => 0.5, strongShare: 0.5 };
  }
  return {
    arrivalRate,
    density: (skill) => arrivalRate * skills.density(skill),
    typicalDensity: () => arrivalRate * skills.typicalDensity(),
    rank: skills.rank,
    strongShare: 1 - skills.rank(skills.mean),
  };
}

/** The players who arrive per second, as measured; 0 before the first arrival. */
export function measuredRate({ players, seconds }: TickMemory): number {
  return players / Math.max(seconds, 1);
}

/** The weight of the expected rate, in arrivals. It is combined as a factor, so even a wrong one is soon outweighed. */
const EXPECTED_COUNTS_AS = 2;
/**
 * How many arrivals are expected in a silence, by the rate that it leads to. It counts when it is longer than silences of a
 * steady rate are: of the n arrivals that the memory holds, the longest gap is ln n mean gaps on average. A silence of two
 * mean gaps comes with every seventh arrival. If it counted, thresholds would rise again and again.
 */
const ARRIVALS_MISSED = 2;
/**
 * A shorter pause in the arrivals does not count, because storing and reading a ticket takes time. At hundreds of players
 * per second this time alone would otherwise cap the rate.
 */
const NO_SILENCE_MS = 500;

function rateOf({ tickedAtMs, newestSeenMs, players, seconds, seen }: TickMemory, expected: number): number {
  const measured = Math.max(players, 1) / Math.max(seconds, 1);
  const trust = seen / (seen + EXPECTED_COUNTS_AS);
  const rate = measured ** trust * expected ** (1 - trust);
  const silentMs = tickedAtMs - newestSeenMs;
  if (seen === 0 || silentMs <= NO_SILENCE_MS) return rate;
  const silentSeconds = silentMs / 1000;
  const isSteady = rate * silentSeconds <= Math.max(ARRIVALS_MISSED, Math.log(rememberedArrivals(seen)));
  return isSteady ? rate : Math.min(rate, ARRIVALS_MISSED / silentSeconds);
}
