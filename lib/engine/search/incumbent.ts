import type { DividedGame } from '../model/division.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import type { GameRules } from '../types.ts';

/**
 * The best game that a search has found so far, and the limit that the next one has to beat. Games are compared by
 * **cost**, f − credit. The credit of a game is the greatest credit of its tickets: what β gives for a wait longer than
 * the anchor's.
 */
export class Incumbent {
  game: DividedGame | undefined;
  /** The cost of `game`; before a game is found, the limit that it has to be below. */
  limit = 0;

  readonly #alpha: number;
  readonly #divider: TicketDivider;
  readonly #clock: SearchClock;

  constructor(rules: GameRules, roles: RoleTable | undefined, clock: SearchClock) {
    this.#clock = clock;
    this.#alpha = rules.alpha;
    this.#divider = new TicketDivider(rules, roles);
  }

  /** Forgets the last search. */
  start(limit: number): void {
    this.limit = limit;
    this.game = undefined;
  }

  /**
   * Keeps the fairest division of these tickets if its cost is below the limit, and returns whether it is. It divides only
   * if v_q plus `unfair`, the least cost of the teamGap, is below the limit.
   */
  offer(members: readonly PooledTicket[], credit: number, unfair = 0): boolean {
    const v = this.#divider.skillSpread(members);
    if (v + unfair - credit >= this.limit) return false;
    const room = (this.limit + credit - v) / this.#alpha;
    const imbalance = this.#alpha * this.#divider.divide(members, room) + v;
    this.#clock.isOver(this.#divider.steps);
    if (imbalance - credit >= this.limit) return false;
    this.limit = imbalance - credit;
    this.game = { members: [...members], division: this.#divider.division, imbalance };
    return true;
  }
}
