import type { Game } from '../types.ts';
import type { PooledTicket } from './pooled-ticket.ts';

/** The tickets of a pool, ordered for searches, and the best games among them. */
export interface PoolIndex {
  /** False when the index cannot take a ticket, and another one has to be built. */
  insert(pooled: PooledTicket): boolean;
  /** Removes a ticket of the pool. */
  remove(pooled: PooledTicket): void;
  /** The game of least priority, or undefined if there is none. */
  best(nowMs: number): Game | undefined;
  /** The game of least priority with this ticket. Its `lowerBound` holds for all games of the pool. */
  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined;
}
