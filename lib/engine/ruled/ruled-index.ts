import type { PoolIndex } from '../index/pool-index.ts';
import type { BalancedGame } from '../model/balanced-game.ts';
import { type Division, teamsOf } from '../model/division.ts';
import { makeGame } from '../model/game.ts';
import { priority } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Constraints, Forbids, Game, GameRules } from '../types.ts';
import { RuledPool } from './ruled-pool.ts';
import { RuledQueue, type RuledResult } from './ruled-queue.ts';
import { TwoTeams } from './two-teams.ts';

/**
 * The index of a pool with constraints whose games are two equal teams of up to 8 players. The constraints are those of one moment, so `nowMs` of all queries is theirs. A
 * ticket that is inserted after a query has the queue rebuilt at the next one.
 */
export class RuledIndex implements PoolIndex {
  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #forbids: Forbids | undefined;
  readonly #constraints: Constraints;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #waiting: Set<PooledTicket>;
  #queue: RuledQueue | undefined;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    constraints: Constraints,
    nodeBudget: number,
    waiting: Iterable<PooledTicket>,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#roles = roles;
    this.#forbids = forbids;
    this.#constraints = constraints;
    this.#nodeBudget = nodeBudget;
    this.#clock = clock;
    this.#waiting = new Set(waiting);
  }

  insert(pooled: PooledTicket): void {
    this.#waiting.add(pooled);
    this.#queue = undefined;
  }

  remove(pooled: PooledTicket): void {
    this.#waiting.delete(pooled);
    this.#queue?.remove(pooled);
  }

  best(nowMs: number): Game | undefined {
    return this.#make(this.#built().best(), nowMs);
  }

  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined {
    return this.#make(this.#built().bestWith(pooled), nowMs);
  }

  mostBalancedWith(pooled: PooledTicket): BalancedGame {
    return this.#built().mostBalancedWith(pooled);
  }

  #built(): RuledQueue {
    if (this.#queue) return this.#queue;
    const rules = this.#rules;
    const constraints = this.#constraints;
    const pool = new RuledPool(this.#waiting, constraints);
    const teams = new TwoTeams(rules, this.#roles, this.#forbids, constraints, pool.hasParties, this.#clock);
    this.#queue = new RuledQueue(rules, teams, constraints, this.#nodeBudget, pool, this.#clock);
    return this.#queue;
  }

  #make(result: RuledResult | undefined, nowMs: number): Game | undefined {
    if (!result) return undefined;
    const { game, cost, costBound } = result;
    const { members } = game;
    const division = game.division as Division;
    const numbers = members.map(({ ticket }) => this.#constraints.enter(ticket));
    const ruling = this.#constraints.judge(teamsOf(numbers, division));
    if (!ruling)
      throw new Error(
        `Expected a game that the constraints permit, got ${members.map((m) => m.ticket.ticketId)}`,
      );
    // Costs count time from the queue's epoch; priorities count it from now.
    const bound =
      costBound >= cost
        ? Number.POSITIVE_INFINITY
        : costBound + priority(0, this.#built().epochMs, nowMs, this.#rules.beta);
    return makeGame(members, division, this.#rules, this.#roles, nowMs, bound, ruling);
  }
}
