import type { ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/**
 * Tickets with the best games among them. Costs are imbalances less a credit for waiting: β times the time by which the
 * longest-waiting ticket of a game was enqueued before `epochMs`.
 */
export interface ShapeQueue {
  readonly epochMs: number;
  insert(ticket: ShapeTicket): void;
  /** Whether the ticket was in the queue. */
  remove(ticket: ShapeTicket): boolean;
  /** The game of least cost. */
  best(): ShapeAnswer;
  /** The game of least cost with this ticket; the bound holds for all games. */
  bestWith(ticket: ShapeTicket): ShapeAnswer;
}

/** The game that a query found, its cost, and the proved bound on the cost of every game. */
export interface ShapeAnswer {
  /** Undefined if no game can be formed, or none was found. The cost is then ∞. */
  readonly game: ShapedGame | undefined;
  readonly cost: number;
  readonly costBound: number;
}
