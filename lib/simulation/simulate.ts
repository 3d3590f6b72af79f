import type { Game, Ticket } from '../engine/types.ts';
import { planTick, type QueueRules, type TickMemory } from '../policies/plan.ts';
import type { Arrival } from './arrivals.ts';

/** Is told what happens, in the order in which it happens. All times are virtual, milliseconds since the epoch. */
export interface Observer {
  matched(game: Game, tickets: readonly Ticket[], nowMs: number): void;
  timedOut(ticket: Ticket, nowMs: number): void;
  cancelled(ticket: Ticket, atMs: number): void;
  /** After each tick. */
  ticked(nowMs: number, waiting: readonly Ticket[]): void;
}

export interface SimulationOptions {
  readonly rules: QueueRules;
  /** In the order of arrival. Read lazily. */
  readonly arrivals: Iterable<Arrival>;
  readonly observers: readonly Observer[];
  /**
   * What happens after the last arrival. `stop`: the simulation ends, some tickets still wait. `drain`: it
   * goes on until every ticket has left. @default 'drain'
   */
  readonly atEnd?: 'stop' | 'drain';
}

/** Where a simulation stands after a tick. */
export interface Progress {
  readonly nowMs: number;
  /** Players who have come so far. */
  readonly players: number;
  readonly ticks: number;
}

/**
 * Plays a queue in virtual time with the tick of the service itself: the same engine, policies and
 * estimates.
 *
 * Ticks are due at the multiples of `tickSeconds` since the epoch, as in the service, and only while somebody
 * waits. Between two ticks nothing happens but arrivals and cancellations. A generator that yields after each
 * tick, so that the caller can show progress or stop; memory grows with the tickets that wait.
 */
export function* simulate(options: SimulationOptions): Generator<Progress, void> {
  const { rules, observers, atEnd = 'drain' } = options;
  const arrivals = options.arrivals[Symbol.iterator]();
  const tickMs = 1000 * rules.tickSeconds;
  const waiting = new Map<string, Arrival>();
  let memory: TickMemory | undefined;
  let next = arrivals.next();
  let players = 0;
  let ticks = 0;
  let nowMs = Number.NEGATIVE_INFINITY;

  while (next.done !== true || (atEnd === 'drain' && waiting.size > 0)) {
    const fromMs = waiting.size === 0 && next.done !== true ? next.value.ticket.enqueuedAtMs : nowMs + 1;
    nowMs = Math.ceil(fromMs / tickMs) * tickMs;
    while (next.done !== true && next.value.ticket.enqueuedAtMs <= nowMs) {
      waiting.set(next.value.ticket.ticketId, next.value);
      players += next.value.ticket.players.length;
      next = arrivals.next();
    }
    for (const [ticketId, { ticket, patienceMs }] of waiting) {
      const givesUpMs = ticket.enqueuedAtMs + patienceMs;
      if (givesUpMs > nowMs) continue;
      waiting.delete(ticketId);
      for (const observer of observers) observer.cancelled(ticket, givesUpMs);
    }
    const tickets = Array.from(waiting.values(), ({ ticket }) => ticket);
    const plan = planTick({ rules, tickets, nowMs, memory, reasons: false });
    memory = plan.memory;
    ticks++;
    for (const game of plan.matches) {
      const inGame = game.ticketIds.map((ticketId) => take(waiting, ticketId));
      for (const observer of observers) observer.matched(game, inGame, nowMs);
    }
    for (const ticketId of plan.timedOut) {
      const ticket = take(waiting, ticketId);
      for (const observer of observers) observer.timedOut(ticket, nowMs);
    }
    if (observers.length > 0) {
      const left = Array.from(waiting.values(), ({ ticket }) => ticket);
      for (const observer of observers) observer.ticked(nowMs, left);
    }
    yield { nowMs, players, ticks };
  }
}

function take(waiting: Map<string, Arrival>, ticketId: string): Ticket {
  const arrival = waiting.get(ticketId);
  if (arrival === undefined)
    throw new Error(`Expected a waiting ticket, got ${ticketId}: the plan names it twice`);
  waiting.delete(ticketId);
  return arrival.ticket;
}
