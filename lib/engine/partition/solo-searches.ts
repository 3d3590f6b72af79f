import type { SearchClock } from '../model/search-clock.ts';
import { GameQueue } from '../queue/game-queue.ts';
import { layoutOf } from '../shapes/layout.ts';
import { poolShapeTicket, type ShapeTicket } from '../shapes/shape-ticket.ts';
import type { GameRules } from '../types.ts';
import { type BestGame, numbered, type ShrinkingPool } from './best-games.ts';

/** Solo players by their places in order of skill, and the best games among those that remain. */
export class SoloSearches implements ShrinkingPool {
  readonly #queue: GameQueue;
  readonly #tickets: readonly ShapeTicket[];
  readonly #places = new Map<string, number>();

  constructor(sorted: Float64Array, rules: GameRules, clock: SearchClock) {
    const layout = layoutOf(rules);
    this.#queue = new GameQueue({ ...rules, beta: 0 }, layout, { nodeBudget, clock });
    this.#tickets = Array.from(sorted, (skill, place) => {
      const ticketId = String(place);
      this.#places.set(ticketId, place);
      return poolShapeTicket({ ticketId, enqueuedAtMs: 0, players: [{ playerId: ticketId, skill }] }, layout);
    });
    for (const ticket of this.#tickets) this.#queue.insert(ticket);
  }

  bestWith(place: number): BestGame {
    return numbered(this.#queue.mostBalancedWith(this.#tickets[place]), this.#places);
  }

  remove(place: number): void {
    this.#queue.remove(this.#tickets[place]);
  }
}

/** Nodes of one search: among ten thousand players nearly all best games are proved. */
const nodeBudget = 20_000;
