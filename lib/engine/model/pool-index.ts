import type { Game } from '../types.ts';
import type { BalancedGame } from './balanced-game.ts';
import type { PooledTicket } from './pooled-ticket.ts';

/** The tickets of a pool, ordered for searches, and the best games among them. */
export interface PoolIndex {
  insert(pooled: PooledTicket): void;
  /** Removes a ticket of the pool. */
  remove(pooled: PooledTicket): void;
  /** The game of least priority, or undefined if there is none. */
  best(nowMs: number): Game | undefined;
  /** The game of least priority with this ticket. Its `lowerBound` holds for all games of the pool. */
  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined;
  /** The game of least imbalance with this ticket, as far as the node budget allows. */
  mostBalancedWith(pooled: PooledTicket): BalancedGame;
}
