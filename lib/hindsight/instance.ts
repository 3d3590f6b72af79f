import type { Ticket } from '../engine/types.ts';

/** A ticket of an instance. Times are in ticks of the queue, skills in the unit of skill. */
export interface Part {
  /** When it arrived, in ticks since the start; not a whole number. */
  readonly arrived: number;
  /** The first tick at which it can be in a game. */
  readonly slot: number;
  readonly size: number;
  /** The mean scaled skill of its players, and the sum of their squared deviations from it. */
  readonly mean: number;
  readonly within: number;
  readonly ticket: Ticket;
  /** What its wait costs besides, by ticks since its first one: see `withoutForesight`. @default nothing */
  readonly charges?: Float64Array;
}

/**
 * All tickets of a queue in a span of time that starts with an empty pool, in the order of arrival. More tickets may arrive
 * after the end of the span.
 */
export interface Instance {
  readonly parts: readonly Part[];
  readonly players: number;
  /** Players in a game. */
  readonly seats: number;
  /** The cost of a player's wait, imbalance per tick. */
  readonly waitCost: number;
  /** The last tick of the span: a ticket of the span that plays with a later one plays after it. */
  readonly end: number;
}

/**
 * An instance from tickets.
 *
 * @param tickSeconds seconds between two ticks; ticks are due at its multiples since the epoch
 * @param waitCost imbalance per second of a player's wait
 * @param skillScale a factor for all skills. With it v_2 may stand for more of the imbalance. @default 1
 */
export function instanceOf(
  tickets: readonly Ticket[],
  {
    seats,
    tickSeconds,
    waitCost,
    skillScale = 1,
  }: { seats: number; tickSeconds: number; waitCost: number; skillScale?: number },
): Instance {
  const parts = tickets.map((ticket) => {
    const arrived = ticket.enqueuedAtMs / 1_000 / tickSeconds;
    const skills = ticket.players.map(({ skill }) => skillScale * skill);
    const size = skills.length;
    const mean = skills.reduce((sum, skill) => sum + skill / size, 0);
    const within = skills.reduce((sum, skill) => sum + (skill - mean) ** 2, 0);
    return { arrived, slot: Math.ceil(arrived), size, mean, within, ticket };
  });
  return {
    parts,
    players: parts.reduce((sum, { size }) => sum + size, 0),
    seats,
    waitCost: waitCost * tickSeconds,
    end: Math.max(...parts.map(({ slot }) => slot)),
  };
}

/** The wait of a ticket's players until a tick, as a cost. */
export function waitUntil({ waitCost }: Instance, part: Part, tick: number): number {
  const cost = waitCost * part.size * (tick - part.arrived);
  return part.charges === undefined ? cost : cost + part.charges[tick - part.slot];
}

/**
 * What a ticket costs at least when it plays with tickets that arrive after the span: its wait until then, and the part of the
 * game's spread that lies within it.
 */
export function costOfLeaving(instance: Instance, part: Part): number {
  const spread = Math.sqrt(part.within / instance.seats);
  return waitUntil(instance, part, instance.end) + part.size * spread;
}

/** The least a game of these tickets costs: v_2 of its players for each of them, and their waits until all have arrived. */
export function leastCost(instance: Instance, members: readonly number[]): number {
  const { parts, seats } = instance;
  let mean = 0;
  let tick = 0;
  for (const at of members) {
    const part = parts[at];
    mean += (part.size * part.mean) / seats;
    tick = Math.max(tick, part.slot);
  }
  let squares = 0;
  let waits = 0;
  for (const at of members) {
    const part = parts[at];
    squares += part.within + part.size * (part.mean - mean) ** 2;
    waits += waitUntil(instance, part, tick);
  }
  return Math.sqrt(seats * squares) + waits;
}
