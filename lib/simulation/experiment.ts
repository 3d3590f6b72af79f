import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Game, Ticket } from '../engine/types.ts';
import { addWait, type BlockTotals, noTotals, type WaitEnd } from '../experiments/block-totals.ts';
import { mix } from '../experiments/coin.ts';
import { blockAt, countedIn, type Schedule } from '../experiments/schedule.ts';
import { getOrCreate } from '../vocabulary/get-or-create.ts';
import type { Arrival } from './arrivals.ts';
import type { Observer } from './observer.ts';
import { type Progress, simulate } from './simulate.ts';
import type { Traffic } from './traffic.ts';

/** What an experiment on simulated traffic has measured, by the number of the block. */
export interface ExperimentTotals {
  /** Of the tickets that count: those enqueued after the burn-in of their block. */
  readonly counted: ReadonlyMap<number, BlockTotals>;
  /** Of those enqueued in a burn-in, at the beginning and at the end of their block. */
  readonly burntIn: Readonly<Record<'beginning' | 'end', ReadonlyMap<number, BlockTotals>>>;
}

/**
 * Plays a queue whose variants take turns. A generator that yields after each tick; `result()` may be read at any time.
 *
 * @param definitions of the variants, in the order of the experiment
 */
export function playExperiment(
  definitions: readonly QueueDefinition[],
  schedule: Schedule,
  traffic: Traffic,
): { steps: Generator<Progress, void>; result: () => ExperimentTotals } {
  const meter = new BlockMeter(schedule);
  const inForce = (nowMs: number) => definitions[blockAt(schedule, nowMs)?.variant ?? 0]!;
  return {
    steps: simulate({
      rules: definitions[0]!,
      rulesAt: inForce,
      arrivals: traffic.arrivals,
      observers: [meter],
      atEnd: traffic.atEnd,
    }),
    result: () => meter,
  };
}

/**
 * A variant when it has the queue for itself, or for a half of its players: what an experiment estimates, and what a split of
 * players does instead.
 *
 * @returns the totals of all tickets by the block in which they were enqueued
 */
export function playAlone(
  definition: QueueDefinition,
  schedule: Schedule,
  { arrivals, atEnd }: Traffic,
): ReadonlyMap<number, BlockTotals> {
  const meter = new BlockMeter({ ...schedule, burnInMs: 0 });
  for (const _ of simulate({ rules: definition, arrivals, observers: [meter], atEnd }));
  return meter.counted;
}

/**
 * The tickets that an even split of players gives one of some variants: what an experiment should not do, because each then has a
 * thinner pool than it would have.
 */
export function partOf(traffic: Traffic, variant: number, variants: number, seed: number): Traffic {
  return {
    ...traffic,
    arrivals: {
      *[Symbol.iterator](): Generator<Arrival> {
        let number = 0;
        for (const arrival of traffic.arrivals)
          if ((mix(seed, number++) >>> 0) % variants === variant) yield arrival;
      },
    },
  };
}

/** Adds up the waits of a simulation by the block in which their tickets were enqueued. */
class BlockMeter implements Observer, ExperimentTotals {
  readonly #schedule: Schedule;
  readonly counted = new Map<number, BlockTotals>();
  readonly burntIn = { beginning: new Map<number, BlockTotals>(), end: new Map<number, BlockTotals>() };

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  matched(game: Game, tickets: readonly Ticket[], nowMs: number): void {
    for (const ticket of tickets) this.#add(ticket, 'matched', nowMs, game.imbalance);
  }

  left(ticket: Ticket, why: 'cancelled' | 'timedOut', atMs: number): void {
    this.#add(ticket, why, atMs);
  }

  #add(ticket: Ticket, end: WaitEnd, nowMs: number, imbalance?: number): void {
    const found = blockAt(this.#schedule, ticket.enqueuedAtMs);
    if (found === undefined) return;
    const counts = countedIn(this.#schedule, ticket.enqueuedAtMs) !== undefined;
    const edge = 2 * ticket.enqueuedAtMs < found.fromMs + found.untilMs ? 'beginning' : 'end';
    const blocks = counts ? this.counted : this.burntIn[edge];
    const totals = getOrCreate(blocks, found.number, noTotals);
    addWait(totals, ticket.players.length, end, (nowMs - ticket.enqueuedAtMs) / 1000, imbalance);
  }
}
