import type { Game, Ticket } from '../engine/types.ts';
import type { Filling, TickMemory } from '../policies/plan.ts';

/** How a ticket leaves a queue without a match of it. `elsewhere`: another queue in which it waited too has matched it. */
export type Unmatched = 'cancelled' | 'timedOut' | 'elsewhere';

/** Receives the events of a simulation in order. All times are virtual, milliseconds since the epoch. */
export interface Observer {
  /** Before a search of a range of skill. */
  searching?(range: string, tickets: readonly Ticket[], nowMs: number): void;
  /** After it, and before its matches. */
  searched?(
    range: string,
    tickets: readonly Ticket[],
    matchedIds: ReadonlySet<string>,
    memory: TickMemory,
    nowMs: number,
  ): void;
  matched?(game: Game, tickets: readonly Ticket[], nowMs: number): void;
  /** Tickets that join a running match. */
  joined?(filling: Filling, tickets: readonly Ticket[], nowMs: number): void;
  left?(ticket: Ticket, why: Unmatched, atMs: number): void;
  /** After each slot of the clock, all buckets together, and after tickets have left for another queue; `waiting` in the order of arrival. */
  ticked?(nowMs: number, waiting: readonly Ticket[]): void;
}
