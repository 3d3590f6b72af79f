import { type GamePool, type LimitedSearch, PreparedTickets } from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { OutOfTime } from './policy.ts';

/**
 * The searches of one range of skill, kept from tick to tick: a tick then prepares the tickets that are new, not all that wait.
 * A ticket is recognised by its object, so callers keep these too. A plan makes the same games with and without kept searches.
 * Their lower bounds may differ where a search is cut short, mostly closer with them, because they build on the bounds that earlier
 * ticks proved. Both are valid.
 *
 * For one queue definition and one range: another one needs its own.
 */
export class KeptSearches {
  /** The tickets as pools need them. */
  readonly prepared = new PreparedTickets();
  #limited: LimitedSearch | undefined;
  #all: GamePool | undefined;
  #inAll = new Map<string, Ticket>();
  #outOfTime: OutOfTime = () => false;

  /** The number of tickets that are kept at most. */
  get size(): number {
    return Math.max(this.prepared.size, this.#inAll.size, this.#limited?.size ?? 0);
  }

  /** Whether the time of the current tick is over, for searches that outlive it. */
  readonly outOfTime: OutOfTime = (share) => this.#outOfTime(share);

  /** Begins a tick, whose searches end when this function returns true. */
  begin(outOfTime: OutOfTime): void {
    this.#outOfTime = outOfTime;
  }

  /** The search within limits, made at the first call. */
  limited(make: () => LimitedSearch): LimitedSearch {
    this.#limited ??= make();
    return this.#limited;
  }

  /**
   * The pool of exactly these tickets. The caller may remove tickets from it until the next call.
   *
   * @param make makes an empty pool, at the first call
   */
  all(make: () => GamePool, waiting: readonly Ticket[]): GamePool {
    const before = this.#inAll;
    this.#inAll = new Map(waiting.map((ticket) => [ticket.ticketId, ticket]));
    let known = 0;
    for (const ticket of waiting) if (before.get(ticket.ticketId) === ticket) known++;
    // A pool of which most has changed costs more to bring up to date than a new one.
    if (2 * known < Math.max(before.size, waiting.length)) {
      this.#all = undefined;
      before.clear();
    }
    this.#all ??= make();
    const pool = this.#all;
    for (const [ticketId, ticket] of before) if (this.#inAll.get(ticketId) !== ticket) pool.remove(ticketId);
    for (const ticket of waiting) {
      const { ticketId } = ticket;
      if (before.get(ticketId) !== ticket || !pool.has(ticketId)) pool.insert(ticket);
    }
    return pool;
  }
}
