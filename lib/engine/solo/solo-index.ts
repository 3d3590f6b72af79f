import { type BalancedGame, balancedGame, noBalancedGame } from '../model/balanced-game.ts';
import type { PoolIndex } from '../model/pool-index.ts';
import { type PooledTicket, sortBySkill } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Game, GameRules } from '../types.ts';
import { soloGame } from './solo-game.ts';
import { type SoloGame, SoloQueue } from './solo-queue.ts';

/** The index of a pool of solo players without roles, refused pairs and β: a `SoloQueue` and the tickets of its ids. */
export class SoloIndex implements PoolIndex {
  readonly #rules: GameRules;
  readonly #queue: SoloQueue;
  /** By id, and the id by ticketId. */
  readonly #tickets: PooledTicket[];
  readonly #ids = new Map<string, number>();

  constructor(
    rules: GameRules,
    nodeBudget: number | undefined,
    waiting: Iterable<PooledTicket>,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#queue = new SoloQueue(rules, { nodeBudget, clock });
    this.#tickets = sortBySkill([...waiting]);
    const means = new Float64Array(this.#tickets.length);
    for (let id = 0; id < means.length; id++) {
      const { ticket, mean } = this.#tickets[id];
      this.#ids.set(ticket.ticketId, id);
      means[id] = mean;
    }
    this.#queue.load(means);
  }

  /** Ignores a party: the pool builds another index before its next query. */
  insert(pooled: PooledTicket): void {
    if (pooled.size > 1) return;
    const id = this.#queue.insert(pooled.mean);
    this.#tickets[id] = pooled;
    this.#ids.set(pooled.ticket.ticketId, id);
  }

  remove(pooled: PooledTicket): void {
    const id = this.#ids.get(pooled.ticket.ticketId);
    if (id === undefined) return;
    this.#queue.remove(id);
    this.#ids.delete(pooled.ticket.ticketId);
  }

  best(nowMs: number): Game | undefined {
    const game = this.#queue.best();
    return game && this.#make(game, game.lowerBound, nowMs);
  }

  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined {
    const game = this.#queue.bestWith(this.#ids.get(pooled.ticket.ticketId)!);
    return game && this.#make(game, this.#queue.lowerBound(), nowMs);
  }

  mostBalancedWith(pooled: PooledTicket): BalancedGame {
    const game = this.#queue.bestWith(this.#ids.get(pooled.ticket.ticketId)!);
    if (!game) return noBalancedGame;
    const members = Array.from(game.players, (id) => this.#tickets[id]);
    return balancedGame({ members, imbalance: game.imbalance }, game.lowerBound);
  }

  #make({ players, division, imbalance }: SoloGame, lowerBound: number, nowMs: number): Game {
    const tickets = Array.from(players, (id) => this.#tickets[id].ticket);
    const bound = lowerBound >= imbalance ? Number.POSITIVE_INFINITY : lowerBound;
    return soloGame(tickets, division, this.#rules, nowMs, bound);
  }
}
