import type { BalancedGame } from '../model/balanced-game.ts';
import { makeGame } from '../model/game.ts';
import { priority } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Forbids, Game, GameRules } from '../types.ts';
import type { PoolIndex } from './pool-index.ts';
import { type QueueResult, TicketQueue } from './ticket-queue.ts';

/** The index of every other pool: a `TicketQueue`, whose costs are converted to priorities. */
export class TicketIndex implements PoolIndex {
  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #queue: TicketQueue;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    nodeBudget: number,
    waiting: Iterable<PooledTicket>,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#roles = roles;
    this.#queue = new TicketQueue(rules, roles, forbids, nodeBudget, clock);
    for (const pooled of waiting) this.#queue.insert(pooled);
  }

  insert(pooled: PooledTicket): void {
    this.#queue.insert(pooled);
  }

  remove(pooled: PooledTicket): void {
    this.#queue.remove(pooled.ticket.ticketId);
  }

  best(nowMs: number): Game | undefined {
    return this.#make(this.#queue.best(), nowMs);
  }

  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined {
    return this.#make(this.#queue.bestWith(pooled.ticket.ticketId), nowMs);
  }

  mostBalancedWith(pooled: PooledTicket): BalancedGame {
    return this.#queue.mostBalancedWith(pooled.ticket.ticketId);
  }

  #make(result: QueueResult | undefined, nowMs: number): Game | undefined {
    if (!result) return undefined;
    const { game, costBound } = result;
    // Costs count time from the queue's epoch; priorities count it from now.
    const bound =
      costBound >= game.cost
        ? Number.POSITIVE_INFINITY
        : costBound + priority(0, this.#queue.epochMs, nowMs, this.#rules.beta);
    return makeGame(game.members, game.division, this.#rules, this.#roles, nowMs, bound);
  }
}
