import type { BalancedGame } from '../model/balanced-game.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { RuledPool } from '../ruled/ruled-pool.ts';
import { RuledQueue, type RuledResult } from '../ruled/ruled-queue.ts';
import type { Constraints, Forbids, GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import { LayoutTeams } from './layout-teams.ts';
import type { ShapeAnswer, ShapeQueue } from './shape-queue.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/**
 * The game queue under constraints for shapes of up to 16 seats: `RuledQueue` with the teams of a layout. A ticket that is
 * inserted after a query has the queue rebuilt at the next one.
 */
export class RuledShapeQueue implements ShapeQueue {
  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #forbids: Forbids | undefined;
  readonly #constraints: Constraints;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #waiting = new Set<ShapeTicket>();
  #queue: RuledQueue | undefined;

  constructor(
    rules: GameRules,
    layout: Layout,
    forbids: Forbids | undefined,
    constraints: Constraints,
    nodeBudget: number,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#layout = layout;
    this.#forbids = forbids;
    this.#constraints = constraints;
    this.#nodeBudget = nodeBudget;
    this.#clock = clock;
  }

  get epochMs(): number {
    return this.#built().epochMs;
  }

  insert(ticket: ShapeTicket): void {
    this.#waiting.add(ticket);
    this.#queue = undefined;
  }

  remove(ticket: ShapeTicket): boolean {
    this.#queue?.remove(ticket);
    return this.#waiting.delete(ticket);
  }

  best(): ShapeAnswer {
    return this.#answer(this.#built().best());
  }

  bestWith(ticket: ShapeTicket): ShapeAnswer {
    return this.#answer(this.#built().bestWith(ticket));
  }

  mostBalancedWith(ticket: ShapeTicket): BalancedGame {
    return this.#built().mostBalancedWith(ticket);
  }

  #answer(result: RuledResult | undefined): ShapeAnswer {
    if (!result) {
      return {
        game: undefined,
        cost: Number.POSITIVE_INFINITY,
        costBound: this.#built().leastCost(),
      };
    }
    const { game, cost, costBound } = result;
    const members = game.members as readonly ShapeTicket[];
    const shaped = { members, teams: game.division as Uint8Array, imbalance: game.imbalance };
    return { game: shaped, cost, costBound };
  }

  #built(): RuledQueue {
    if (this.#queue) return this.#queue;
    const constraints = this.#constraints;
    const pool = new RuledPool(this.#waiting, constraints);
    const tickets = pool.tickets as readonly ShapeTicket[];
    const teams = new LayoutTeams(
      this.#rules,
      this.#layout,
      this.#forbids,
      constraints,
      tickets,
      this.#clock,
    );
    this.#queue = new RuledQueue(this.#rules, teams, constraints, this.#nodeBudget, pool, this.#clock);
    return this.#queue;
  }
}
