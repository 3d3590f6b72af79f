import type { Constraints, Forbids, Game, GameRules, Ticket } from '../types.ts';

/** The interface of a ticket pool that a partition needs. `GamePool` implements it. */
export interface TicketPool {
  insert(ticket: Ticket): void;
  remove(ticketId: string): boolean;
  best(nowMs: number): Game | undefined;
  bestWith(ticketId: string, nowMs: number): Game | undefined;
}

/** Makes an empty pool. */
export type NewPool = (
  rules: GameRules,
  options: {
    readonly nodeBudget: number;
    readonly forbids?: Forbids;
    readonly constraints?: Constraints;
    readonly outOfTime?: (() => boolean) | undefined;
  },
) => TicketPool;
