import type { PoolIndex } from '../model/pool-index.ts';
import { type PooledTicket, sortBySkill } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Game, GameRules } from '../types.ts';
import { soloGame } from './solo-game.ts';
import { type SoloGame, SoloQueue } from './solo-queue.ts';

/** The index of a pool of solo players without roles, refused pairs and β. A new ticket needs a new index. */
export class SoloIndex implements PoolIndex {
  readonly #rules: GameRules;
  readonly #queue: SoloQueue;
  /** By id, and the id by ticketId. */
  readonly #tickets: PooledTicket[];
  readonly #ids: ReadonlyMap<string, number>;

  constructor(
    rules: GameRules,
    nodeBudget: number | undefined,
    waiting: Iterable<PooledTicket>,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#tickets = sortBySkill([...waiting]);
    this.#ids = new Map(this.#tickets.map(({ ticket }, id) => [ticket.ticketId, id]));
    const means = Float64Array.from(this.#tickets, ({ mean }) => mean);
    this.#queue = new SoloQueue(rules, means, { nodeBudget, clock });
  }

  insert(): boolean {
    return false;
  }

  remove(pooled: PooledTicket): void {
    const id = this.#ids.get(pooled.ticket.ticketId);
    if (id !== undefined) this.#queue.remove(id);
  }

  best(nowMs: number): Game | undefined {
    const game = this.#queue.best();
    return game && this.#make(game, game.lowerBound, nowMs);
  }

  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined {
    const game = this.#queue.bestWith(this.#ids.get(pooled.ticket.ticketId)!);
    return game && this.#make(game, this.#queue.lowerBound(), nowMs);
  }

  #make({ players, division, imbalance }: SoloGame, lowerBound: number, nowMs: number): Game {
    const tickets = Array.from(players, (id) => this.#tickets[id].ticket);
    const bound = lowerBound >= imbalance ? Number.POSITIVE_INFINITY : lowerBound;
    return soloGame(tickets, division, this.#rules, nowMs, bound);
  }
}
