import { type Forbids, GamePool, type GameRules, shapeOf, type Ticket } from 'muster/engine';

/** The best game with one ticket, as far as a search was allowed to go. Tickets are numbers from 0. */
export interface BestGame {
  /** Undefined if the search found no game; `imbalance` is then ∞. */
  readonly members: readonly number[] | undefined;
  /** At least that of the best game. */
  readonly imbalance: number;
  /** At most that of the best game; ∞ if there is none. */
  readonly lowerBound: number;
}

/** A pool of numbered tickets that only shrinks, and the best games among those that remain. */
export interface ShrinkingPool {
  bestWith(ticket: number): BestGame;
  remove(ticket: number): void;
}

/**
 * The best games of a pool with one ticket each. A ticket that has waited longer than any imbalance could outweigh is in the
 * game of least priority, so that game and its bound are those of the ticket.
 */
export class BestGames implements ShrinkingPool {
  readonly #tickets: readonly Ticket[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #pool: GamePool;
  readonly #weight: number;

  constructor(
    tickets: readonly Ticket[],
    rules: GameRules,
    options: { readonly forbids?: Forbids | undefined; readonly nodeBudget: number },
  ) {
    const { forbids, nodeBudget } = options;
    this.#pool = new GamePool({ ...rules, beta: 1 }, { nodeBudget, ...(forbids && { forbids }) });
    this.#tickets = tickets.map((ticket) => ({ ...ticket, enqueuedAtMs: -1000 * everyoneWaits }));
    this.#numbers = new Map(tickets.map(({ ticketId }, number) => [ticketId, number]));
    for (const ticket of this.#tickets) this.#pool.insert(ticket);
    const top = tickets.reduce(
      (most, { players }) => players.reduce((high, { skill }) => Math.max(high, skill), most),
      1,
    );
    this.#weight = 2 * (1 + rules.alpha) * shapeOf(rules).seats * top;
  }

  bestWith(number: number): BestGame {
    const ticket = this.#tickets[number];
    const { ticketId, enqueuedAtMs } = ticket;
    this.#pool.remove(ticketId);
    this.#pool.insert({ ...ticket, enqueuedAtMs: enqueuedAtMs - 1000 * this.#weight });
    const game = this.#pool.best(0);
    this.#pool.remove(ticketId);
    this.#pool.insert(ticket);
    const none = { members: undefined, imbalance: Number.POSITIVE_INFINITY };
    if (!game) return { ...none, lowerBound: Number.POSITIVE_INFINITY };
    const bound = game.lowerBound + everyoneWaits + this.#weight;
    if (!game.ticketIds.includes(ticketId))
      return { ...none, lowerBound: game.optimal ? Number.POSITIVE_INFINITY : Math.max(0, bound) };
    const { imbalance, optimal, ticketIds } = game;
    return {
      members: ticketIds.map((id) => this.#numbers.get(id)!),
      imbalance,
      lowerBound: optimal ? imbalance : Math.max(0, Math.min(bound, imbalance)),
    };
  }

  remove(number: number): void {
    this.#pool.remove(this.#tickets[number].ticketId);
  }
}

/** How long all other tickets wait, in seconds: long enough for a game that starts short. */
const everyoneWaits = 1e6;
