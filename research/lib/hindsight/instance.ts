import type { Ticket } from 'muster/engine';

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
 * All tickets of a queue in a span of time, in the order of arrival. Either the span starts with an empty pool and more
 * tickets may arrive after its end, or it repeats for ever.
 */
export interface Instance {
  readonly parts: readonly Part[];
  readonly players: number;
  /** Players in a game. */
  readonly seats: number;
  /** The cost of a player's wait, imbalance per tick. */
  readonly waitCost: number;
  /**
   * Imbalance for each unit of d_1 between a party that fills a team and the other team: α if p is 1. Other differences
   * between teams do not count, so that no game costs less than its cost here. 0 or at least 1 / seats.
   */
  readonly gapCost: number;
  /** The last tick of the span: a ticket of the span that plays with a later one plays after it. */
  readonly end: number;
  /** In a stream that repeats for ever: after how many ticks each ticket arrives again. The span is one such period. */
  readonly period?: number;
}

/**
 * An instance from tickets.
 *
 * @param tickSeconds seconds between two ticks; ticks are due at its multiples since the epoch
 * @param waitCost imbalance per second of a player's wait
 * @param gapCost α if p is 1. If it is less than 1 / seats it counts as 0. @default 0
 * @param skillScale a factor for all skills. With it v_2 may stand for more of the imbalance. @default 1
 */
export function instanceOf(
  tickets: readonly Ticket[],
  {
    seats,
    tickSeconds,
    waitCost,
    gapCost = 0,
    skillScale = 1,
  }: { seats: number; tickSeconds: number; waitCost: number; gapCost?: number; skillScale?: number },
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
    gapCost: gapCost * seats >= 1 ? gapCost : 0,
    end: Math.max(...parts.map(({ slot }) => slot)),
  };
}

/**
 * The stream in which the tickets of an instance arrive again and again. It has neither a start nor an end: a ticket may
 * play with copies of the others that arrived in earlier periods, and even with copies of itself.
 */
export function repeated(instance: Instance): Instance & { readonly period: number } {
  const first = instance.parts.reduce((least, { slot }) => Math.min(least, slot), instance.end);
  return { ...instance, period: instance.end - first + 1 };
}

/** The wait of a ticket's players until a tick, as a cost. */
export function waitUntil({ waitCost }: Instance, part: Part, tick: number): number {
  const cost = waitCost * part.size * (tick - part.arrived);
  return part.charges === undefined ? cost : cost + part.charges[tick - part.slot];
}

/**
 * What a ticket costs at least when it plays with tickets that arrive after the span: its wait until then, and the part of the
 * game's spread that lies within it. Infinite in a stream that repeats, because it has no such tickets.
 */
export function costOfLeaving(instance: Instance, part: Part): number {
  if (instance.period !== undefined) return Number.POSITIVE_INFINITY;
  const spread = Math.sqrt(part.within / instance.seats);
  return waitUntil(instance, part, instance.end) + part.size * spread;
}

/**
 * The least a game of these tickets costs: v_2 of its players for each of them, the difference between the teams if a party
 * fills one, and their waits until all have arrived. In a stream that repeats it is the least over all copies of these tickets.
 */
export function leastCost(instance: Instance, members: readonly number[]): number {
  const { parts, seats, gapCost } = instance;
  let mean = 0;
  for (const at of members) mean += (parts[at].size * parts[at].mean) / seats;
  let squares = 0;
  let gap = 0;
  for (const at of members) {
    const { within, size, mean: own } = parts[at];
    squares += within + size * (own - mean) ** 2;
    if (2 * size === seats) gap = seats * Math.abs(own - mean);
  }
  return Math.sqrt(seats * squares) + seats * gapCost * gap + leastWaits(instance, members);
}

/** The least the waits of these tickets cost until all have arrived. A ticket that is named twice is there with an older copy. */
export function leastWaits(instance: Instance, members: readonly number[]): number {
  const { parts, period } = instance;
  const last = members.reduce((tick, at) => Math.max(tick, parts[at].slot), 0);
  if (period === undefined) return members.reduce((sum, at) => sum + waitUntil(instance, parts[at], last), 0);
  // The game is made when the last copy of one of them has arrived, with those of the period before of all that arrive later.
  let least = Number.POSITIVE_INFINITY;
  for (const { slot } of members.map((at) => parts[at])) {
    let waits = 0;
    members.forEach((at, k) => {
      const newer = members.slice(0, k).filter((other) => other === at).length;
      const periods = newer + (parts[at].slot > slot ? 1 : 0);
      waits += waitUntil(instance, parts[at], slot + periods * period);
    });
    least = Math.min(least, waits);
  }
  return least;
}
