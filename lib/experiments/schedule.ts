import { mix } from './coin.ts';

/**
 * Which variant of a queue is in force when: a switchback. Time is cut into blocks, and the whole queue has one variant in
 * each. As many blocks in a row as there are variants are a round, and each variant has one block of a round, in an order that
 * the seed draws. So the variants share the hours of a day and the days of a week to within a round, and how a round was ordered
 * says nothing about the next one.
 *
 * A pure function of these numbers and of the time: functions agree on it without asking each other.
 */
export interface Schedule {
  /** A 32-bit integer. */
  readonly seed: number;
  /** When the first block begins, milliseconds since the epoch. */
  readonly startMs: number;
  /** The length of a block, > 0. */
  readonly blockMs: number;
  /**
   * For how long at the beginning of a block, and at its end, tickets are not counted; from 0 to less than half of `blockMs`. Those
   * of the beginning meet tickets that have waited under another variant, and those of the end are matched under the next one.
   */
  readonly burnInMs: number;
  /** How many variants there are, from 2 up. The first is what the others are compared with. */
  readonly variants: number;
  /** How many rounds there are, from 1 up. */
  readonly rounds: number;
}

/** A time in which one variant is in force. */
export interface Block {
  /** From 0 up, in the order of time. */
  readonly number: number;
  /** From 0 up. */
  readonly round: number;
  /** The position of the variant, from 0 up. */
  readonly variant: number;
  readonly fromMs: number;
  /** Where the next block begins. */
  readonly untilMs: number;
}

/** @returns the block at a moment; undefined before the first and after the last */
export function blockAt(schedule: Schedule, nowMs: number): Block | undefined {
  const number = Math.floor((nowMs - schedule.startMs) / schedule.blockMs);
  return number < 0 || number >= blocksOf(schedule) ? undefined : block(schedule, number);
}

/** The last blocks that have ended, the oldest first. */
export function lastBlocks(schedule: Schedule, nowMs: number, most: number): Block[] {
  const ended = Math.floor((nowMs - schedule.startMs) / schedule.blockMs);
  const end = Math.min(Math.max(0, ended), blocksOf(schedule));
  const from = Math.max(0, end - most);
  return Array.from({ length: end - from }, (_, at) => block(schedule, from + at));
}

/** How many blocks a schedule has. */
export function blocksOf({ rounds, variants }: Schedule): number {
  return rounds * variants;
}

/** When the last block ends, milliseconds since the epoch. */
export function endMs(schedule: Schedule): number {
  return schedule.startMs + blocksOf(schedule) * schedule.blockMs;
}

/**
 * The block that a ticket counts in, which is the one in which it was enqueued, however long it waits. A ticket is excluded by when
 * it was enqueued, never by how long it waited, so long waits count like short ones.
 * @returns undefined for tickets before, after and in a burn-in
 */
export function countedIn(schedule: Schedule, enqueuedAtMs: number): Block | undefined {
  const found = blockAt(schedule, enqueuedAtMs);
  if (found === undefined) return undefined;
  const fromEdgeMs = Math.min(enqueuedAtMs - found.fromMs, found.untilMs - enqueuedAtMs);
  return fromEdgeMs >= schedule.burnInMs ? found : undefined;
}

/** @param number of a block, from 0 to below `blocksOf(schedule)` */
export function block(schedule: Schedule, number: number): Block {
  const { startMs, blockMs, variants } = schedule;
  const round = Math.floor(number / variants);
  return {
    number,
    round,
    variant: orderOf(schedule, round)[number % variants]!,
    fromMs: startMs + number * blockMs,
    untilMs: startMs + (number + 1) * blockMs,
  };
}

/** The variants of a round in the order of their blocks: every order is equally likely (Fisher–Yates). */
function orderOf({ seed, variants }: Schedule, round: number): number[] {
  const order = Array.from({ length: variants }, (_, variant) => variant);
  const drawn = mix(seed, round);
  for (let last = variants - 1; last > 0; last--) {
    // 32 bits make the orders of a few variants equally likely to within 2⁻³⁰.
    const at = (mix(drawn, last) >>> 0) % (last + 1);
    [order[last], order[at]] = [order[at]!, order[last]!];
  }
  return order;
}
