import { sortBySkill } from '../model/pooled-ticket.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/** Tickets in order of mean skill, linked to their neighbours. A ticket's place stays the same while others are removed. */
export class TicketLine {
  readonly tickets: readonly ShapeTicket[];
  readonly means: Float64Array;
  /** The places of the waiting neighbours of each place; `length` and −1 at the ends. */
  readonly after: Int32Array;
  readonly before: Int32Array;
  readonly isHere: Uint8Array;
  /** The first waiting place. */
  start = 0;
  size: number;
  readonly #places = new Map<ShapeTicket, number>();

  constructor(tickets: Iterable<ShapeTicket>) {
    this.tickets = sortBySkill([...tickets]) as ShapeTicket[];
    const { length } = this.tickets;
    this.means = Float64Array.from(this.tickets, ({ mean }) => mean);
    this.after = Int32Array.from(this.tickets, (_, i) => i + 1);
    this.before = Int32Array.from(this.tickets, (_, i) => i - 1);
    this.isHere = new Uint8Array(length).fill(1);
    this.size = length;
    this.tickets.forEach((ticket, place) => {
      this.#places.set(ticket, place);
    });
  }

  /** The place of a ticket; undefined when it was never in the line. */
  placeOf(ticket: ShapeTicket): number | undefined {
    return this.#places.get(ticket);
  }

  /** Whether the ticket was waiting here. */
  remove(ticket: ShapeTicket): boolean {
    const place = this.#places.get(ticket);
    if (place === undefined || this.isHere[place] === 0) return false;
    this.isHere[place] = 0;
    this.size--;
    const before = this.before[place];
    const after = this.after[place];
    if (before >= 0) this.after[before] = after;
    else this.start = after;
    if (after < this.tickets.length) this.before[after] = before;
    return true;
  }

  /** The first waiting place from this one up; `length` if there is none. */
  firstFrom(place: number): number {
    return this.#skip(place, this.after);
  }

  /** The last waiting place from this one down; −1 if there is none. */
  lastTo(place: number): number {
    return this.#skip(place, this.before);
  }

  /** The waiting tickets in order. */
  waiting(): ShapeTicket[] {
    const found: ShapeTicket[] = [];
    for (let place = this.start; place < this.tickets.length; place = this.after[place])
      found.push(this.tickets[place]);
    return found;
  }

  /** Follows links from places that are empty, and shortens them for later calls. */
  #skip(from: number, links: Int32Array): number {
    let to = from;
    while (this.isHere[to] === 0) to = links[to];
    for (let at = from; at !== to; ) {
      const next = links[at];
      links[at] = to;
      at = next;
    }
    return to;
  }
}
