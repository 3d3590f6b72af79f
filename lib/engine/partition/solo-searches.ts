import { TicketQueue } from '../index/ticket-queue.ts';
import { poolTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import { type BestGame, numbered, type ShrinkingPool } from './best-games.ts';

/** Solo players by their places in order of skill, and the best games among those that remain. */
export class SoloSearches implements ShrinkingPool {
  readonly #queue: TicketQueue;
  readonly #places: ReadonlyMap<string, number>;

  constructor(sorted: Float64Array, rules: GameRules, clock: SearchClock) {
    this.#queue = new TicketQueue({ ...rules, beta: 0 }, undefined, undefined, nodeBudget, clock);
    const places = new Map<string, number>();
    sorted.forEach((skill, place) => {
      const ticketId = String(place);
      places.set(ticketId, place);
      const ticket = { ticketId, enqueuedAtMs: 0, players: [{ playerId: ticketId, skill }] };
      this.#queue.insert(poolTicket(ticket, rules.teamSize, undefined));
    });
    this.#places = places;
  }

  bestWith(place: number): BestGame {
    return numbered(this.#queue.mostBalancedWith(String(place)), this.#places);
  }

  remove(place: number): void {
    this.#queue.remove(String(place));
  }
}

/** Nodes of one search: among ten thousand players nearly all best games are proved. */
const nodeBudget = 20_000;
