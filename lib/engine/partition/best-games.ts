import type { BalancedGame } from '../model/balanced-game.ts';
import type { TicketPool } from './ticket-pool.ts';

/** The best game with one ticket, as far as a search was allowed to go. Tickets are numbers from 0. */
export interface BestGame {
  /** Undefined if the search found no game; `imbalance` is then ∞. */
  readonly members: readonly number[] | undefined;
  /** At least that of the best game. */
  readonly imbalance: number;
  /** At most that of the best game; ∞ if there is none. */
  readonly lowerBound: number;
}

/** A pool of numbered tickets that only shrinks, and the best games among those that remain. */
export interface ShrinkingPool {
  bestWith(ticket: number): BestGame;
  remove(ticket: number): void;
}

/** A ticket pool by the numbers of its tickets. */
export function numberedPool(pool: TicketPool, ticketIds: readonly string[]): ShrinkingPool {
  const numbers = new Map(ticketIds.map((ticketId, number) => [ticketId, number]));
  return {
    bestWith: (ticket) => numbered(pool.mostBalancedWith(ticketIds[ticket]), numbers),
    remove: (ticket) => pool.remove(ticketIds[ticket]),
  };
}

/** An answer of a pool by the numbers of its tickets. */
export function numbered(
  { members, imbalance, lowerBound }: BalancedGame,
  numbers: ReadonlyMap<string, number>,
): BestGame {
  return { members: members?.map(({ ticket }) => numbers.get(ticket.ticketId)!), imbalance, lowerBound };
}
