import type { BalancedGame } from '../model/balanced-game.ts';
import { makeGame } from '../model/game.ts';
import { priority } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Game, GameRules } from '../types.ts';
import { PackingQueue } from './packing-queue.ts';
import type { PoolIndex } from './pool-index.ts';
import { TicketIndex } from './ticket-index.ts';

/**
 * The index of a pool of parties that packs as it goes: its best game is that of a `PackingQueue`. The games of one ticket are
 * those of a `TicketIndex`, which knows no prices.
 */
export class PackingIndex implements PoolIndex {
  readonly #rules: GameRules;
  readonly #lostGameCost: number;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #waiting: Set<PooledTicket>;
  /** Built at the first query and after inserts. */
  #queue: PackingQueue | undefined;
  #tickets: TicketIndex | undefined;

  constructor(
    rules: GameRules,
    lostGameCost: number,
    nodeBudget: number,
    waiting: Iterable<PooledTicket>,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#lostGameCost = lostGameCost;
    this.#nodeBudget = nodeBudget;
    this.#clock = clock;
    this.#waiting = new Set(waiting);
  }

  insert(pooled: PooledTicket): void {
    this.#waiting.add(pooled);
    this.#queue = undefined;
    this.#tickets?.insert(pooled);
  }

  remove(pooled: PooledTicket): void {
    this.#waiting.delete(pooled);
    this.#queue?.remove(pooled);
    this.#tickets?.remove(pooled);
  }

  best(nowMs: number): Game | undefined {
    if (this.#waiting.size === 0) return undefined;
    this.#queue ??= new PackingQueue(
      this.#waiting,
      this.#rules,
      this.#lostGameCost,
      this.#nodeBudget,
      this.#clock,
    );
    const packed = this.#queue.best();
    if (!packed) return undefined;
    const { game, cost, gap } = packed;
    const bound =
      gap === 0
        ? Number.POSITIVE_INFINITY
        : cost - gap + priority(0, this.#queue.epochMs, nowMs, this.#rules.beta);
    return makeGame(game.members, game.division, this.#rules, undefined, nowMs, bound);
  }

  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined {
    return this.#perTicket().bestWith(pooled, nowMs);
  }

  mostBalancedWith(pooled: PooledTicket): BalancedGame {
    return this.#perTicket().mostBalancedWith(pooled);
  }

  #perTicket(): TicketIndex {
    this.#tickets ??= new TicketIndex(
      this.#rules,
      undefined,
      undefined,
      this.#nodeBudget,
      this.#waiting,
      this.#clock,
    );
    return this.#tickets;
  }
}
