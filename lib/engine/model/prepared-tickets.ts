import type { Ticket } from '../types.ts';
import type { PooledTicket } from './pooled-ticket.ts';

/**
 * The tickets that pools with the same teams and roles have prepared for their searches, each of them once.
 *
 * A ticket is recognised by its object and never changes, and neither does what is prepared of it. So a pool finds the same
 * games with and without it. The pools of a tick share it, and those of later ticks of the same queue.
 */
export class PreparedTickets {
  readonly #whole = new Map<Ticket, PooledTicket>();

  /** The number of tickets that are kept. */
  get size(): number {
    return this.#whole.size;
  }

  /** A ticket as pools need it, prepared at the first call. */
  of<Prepared extends PooledTicket>(ticket: Ticket, prepare: (ticket: Ticket) => Prepared): Prepared {
    let prepared = this.#whole.get(ticket);
    if (prepared === undefined) {
      prepared = prepare(ticket);
      this.#whole.set(ticket, prepared);
    }
    return prepared as Prepared;
  }

  /** Forgets others than these once they are half as many. It costs nothing until then. */
  keepOnly(tickets: readonly Ticket[]): void {
    const prepared = this.#whole;
    if (2 * prepared.size <= 3 * tickets.length) return;
    const kept = tickets.flatMap((ticket) => {
      const one = prepared.get(ticket);
      return one === undefined ? [] : [[ticket, one] as const];
    });
    prepared.clear();
    for (const [ticket, one] of kept) prepared.set(ticket, one);
  }
}
