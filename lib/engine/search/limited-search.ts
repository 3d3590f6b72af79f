import { makeGame } from '../model/game.ts';
import { type PooledTicket, poolTicket } from '../model/pooled-ticket.ts';
import { RoleTable } from '../model/roles.ts';
import type { Forbids, Game, GameRules, Ticket } from '../types.ts';
import { MarginSearch, type TicketLimits } from './margin-search.ts';

/**
 * Searches for games within limits, for release policies: of two equal teams, at one moment. Other than a `GamePool` it keeps
 * no order of its own: the caller lists the candidates of each search.
 */
export class LimitedSearch {
  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #nowMs: number;
  readonly #nodeBudget: number;
  readonly #search: MarginSearch;
  readonly #pooled = new Map<Ticket, PooledTicket>();

  /** @param nodeBudget the nodes that one search may visit */
  constructor(rules: GameRules, forbids: Forbids | undefined, nowMs: number, nodeBudget: number) {
    this.#rules = rules;
    this.#roles = RoleTable.of(rules);
    this.#nowMs = nowMs;
    this.#nodeBudget = nodeBudget;
    this.#search = new MarginSearch(rules, this.#roles, forbids);
  }

  /**
   * The game with the widest margin to its limit among those of one ticket, as far as `MarginSearch` finds it. Undefined when
   * none is within its limit. Its `lowerBound` says nothing.
   *
   * @param tickets the candidates, in any order
   * @param anchor the place of the ticket
   * @param limits by place
   * @throws RangeError for a party that fits no team, or an invalid skill
   */
  game(tickets: readonly Ticket[], anchor: number, limits: TicketLimits): Game | undefined {
    const pooled = tickets.map((ticket) => this.#pooledOf(ticket));
    const found = this.#search.run({ tickets: pooled, anchor, limits }, this.#nodeBudget);
    if (!found) return undefined;
    const { members, division } = found;
    return makeGame(members, division, this.#rules, this.#roles, this.#nowMs, Number.NEGATIVE_INFINITY);
  }

  #pooledOf(ticket: Ticket): PooledTicket {
    let pooled = this.#pooled.get(ticket);
    if (!pooled) {
      pooled = poolTicket(ticket, this.#rules.teamSize, this.#roles);
      this.#pooled.set(ticket, pooled);
    }
    return pooled;
  }
}
