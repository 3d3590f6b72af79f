import { type PooledTicket, sortBySkill } from '../model/pooled-ticket.ts';
import type { Constraints } from '../types.ts';

/** The tickets of a pool with constraints as arrays, by their place in the order of skill. */
export class RuledPool {
  readonly tickets: readonly PooledTicket[];
  readonly means: Float64Array;
  readonly sizes: Uint8Array;
  /** The numbers by which the constraints know the tickets. */
  readonly numbers: Int32Array;
  /** 1 while the ticket is in the pool. */
  readonly alive: Uint8Array;
  readonly hasParties: boolean;
  readonly #placeOf = new Map<PooledTicket, number>();

  constructor(waiting: Iterable<PooledTicket>, constraints: Constraints) {
    this.tickets = sortBySkill([...waiting]);
    this.means = Float64Array.from(this.tickets, ({ mean }) => mean);
    this.sizes = Uint8Array.from(this.tickets, ({ size }) => size);
    this.numbers = Int32Array.from(this.tickets, ({ ticket }) => constraints.enter(ticket));
    this.alive = new Uint8Array(this.tickets.length).fill(1);
    this.hasParties = this.sizes.some((size) => size > 1);
    this.tickets.forEach((pooled, place) => {
      this.#placeOf.set(pooled, place);
    });
  }

  /** The place of a ticket, undefined if it never was in this pool. */
  placeOf(pooled: PooledTicket): number | undefined {
    return this.#placeOf.get(pooled);
  }
}
