import type { Game, Ticket } from '../engine/types.ts';
import type { Filling } from '../policies/plan.ts';

/** Receives the events of a simulation in order. All times are virtual, milliseconds since the epoch. */
export interface Observer {
  matched(game: Game, tickets: readonly Ticket[], nowMs: number): void;
  /** Tickets that join a running match. */
  joined(filling: Filling, tickets: readonly Ticket[], nowMs: number): void;
  timedOut(ticket: Ticket, nowMs: number): void;
  cancelled(ticket: Ticket, atMs: number): void;
  /** Another queue has matched a ticket that waited here too. */
  elsewhere?(ticket: Ticket, nowMs: number): void;
  /** After each slot of the clock, all buckets together, and after `elsewhere`; `waiting` in the order of arrival. */
  ticked(nowMs: number, waiting: readonly Ticket[]): void;
}
