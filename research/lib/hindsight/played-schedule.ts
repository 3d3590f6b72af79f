import type { Game, Ticket } from 'muster/engine';
import { type QueueDefinition, simulate, type Traffic } from 'muster/simulation';
import { type Instance, waitUntil } from './instance.ts';

/** What a policy makes of an instance. */
export interface PlayedSchedule {
  /** Imbalance and wait of all players of the instance, per player. */
  readonly cost: number;
  /** The cost of each ticket, of all its players. */
  readonly costs: Float64Array;
  /** The games of tickets of the instance alone, as places in `instance.parts`. */
  readonly games: readonly (readonly number[])[];
}

/**
 * Plays a queue until every ticket of the instance has left. A ticket that is not in a game costs its wait.
 *
 * @param traffic the tickets of the instance, and later ones
 */
export function playedSchedule(
  instance: Instance,
  definition: QueueDefinition,
  traffic: Traffic,
): PlayedSchedule {
  const { parts } = instance;
  const places = new Map(parts.map(({ ticket }, at) => [ticket.ticketId, at]));
  const costs = new Float64Array(parts.length);
  const games: number[][] = [];
  let left = parts.length;
  const leave = (ticket: Ticket, atMs: number, imbalance: number) => {
    const at = places.get(ticket.ticketId);
    if (at === undefined) return;
    const tick = atMs / 1000 / definition.tickSeconds;
    costs[at] = waitUntil(instance, parts[at], tick) + parts[at].size * imbalance;
    left--;
  };
  const observer = {
    matched(game: Game, tickets: readonly Ticket[], nowMs: number) {
      for (const ticket of tickets) leave(ticket, nowMs, game.imbalance);
      const members = tickets.flatMap(({ ticketId }) => places.get(ticketId) ?? []);
      if (members.length === tickets.length) games.push(members);
    },
    joined() {},
    timedOut: (ticket: Ticket, nowMs: number) => leave(ticket, nowMs, 0),
    cancelled: (ticket: Ticket, atMs: number) => leave(ticket, atMs, 0),
    ticked() {},
  };
  const run = simulate({
    rules: definition,
    arrivals: traffic.arrivals,
    observers: [observer],
    atEnd: traffic.atEnd,
  });
  for (const _ of run) if (left === 0) break;
  if (left > 0)
    throw new Error(`Expected later arrivals until all tickets have left, ${left} are still waiting`);
  return { cost: costs.reduce((sum, cost) => sum + cost, 0) / instance.players, costs, games };
}
