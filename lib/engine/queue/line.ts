import type { ShapeTicket } from '../shapes/shape-ticket.ts';

/** A ticket in a queue. The lines of all facets share it. */
export interface QueuedTicket {
  readonly ticket: ShapeTicket;
  /** β times the time by which it was enqueued before the queue's epoch; below 0 for one enqueued later. */
  readonly credit: number;
  /** Its number in the constraints; 0 without them. */
  readonly number: number;
  /** Whether it still waits. */
  isHere: boolean;
}

/**
 * Tickets in order of mean skill, linked to their waiting neighbours. A ticket's id stays the same while it waits; an
 * insert takes a binary search and moves the ids above it.
 */
export class Line {
  /** What the constraints know these tickets by; undefined for the whole pool. */
  readonly facet: { readonly id: number; readonly tickets: readonly number[] } | undefined;
  /** By id. */
  readonly tickets: QueuedTicket[];
  means: Float64Array;
  sizes: Uint8Array;
  numbers: Int32Array;
  /** By id: the waiting neighbours; −1 at the ends. */
  after: Int32Array;
  before: Int32Array;
  /** The ids in order of skill, those of tickets that have left among them. */
  #order: Int32Array;
  #ordered: number;

  /** @param sorted by mean skill, then ticketId */
  constructor(sorted: QueuedTicket[], facet?: Line['facet']) {
    const { length } = sorted;
    this.facet = facet;
    this.tickets = sorted;
    this.means = new Float64Array(length + spare);
    this.sizes = new Uint8Array(length + spare);
    this.numbers = new Int32Array(length + spare);
    this.after = new Int32Array(length + spare);
    this.before = new Int32Array(length + spare);
    this.#order = new Int32Array(length + spare);
    this.#ordered = length;
    sorted.forEach(({ ticket, number }, id) => {
      this.means[id] = ticket.mean;
      this.sizes[id] = ticket.size;
      this.numbers[id] = number;
      this.after[id] = id + 1 < length ? id + 1 : -1;
      this.before[id] = id - 1;
      this.#order[id] = id;
    });
  }

  /** Adds a ticket between its neighbours. Returns its id. */
  insert(queued: QueuedTicket): number {
    const id = this.tickets.length;
    this.tickets.push(queued);
    if (id === this.means.length) this.#grow();
    this.means[id] = queued.ticket.mean;
    this.sizes[id] = queued.ticket.size;
    this.numbers[id] = queued.number;
    const place = this.#placeFor(queued);
    const next = this.#waitingFrom(place, 1);
    const previous = this.#waitingFrom(place - 1, -1);
    this.after[id] = next;
    this.before[id] = previous;
    if (next !== -1) this.before[next] = id;
    if (previous !== -1) this.after[previous] = id;
    this.#order.copyWithin(place + 1, place, this.#ordered);
    this.#order[place] = id;
    this.#ordered++;
    return id;
  }

  /** Unlinks a ticket that has left. */
  remove(id: number): void {
    const next = this.after[id];
    const previous = this.before[id];
    if (previous !== -1) this.after[previous] = next;
    if (next !== -1) this.before[next] = previous;
  }

  #placeFor({ ticket: { mean, ticket } }: QueuedTicket): number {
    let low = 0;
    for (let high = this.#ordered; low < high; ) {
      const middle = (low + high) >> 1;
      const id = this.#order[middle];
      const isBelow =
        this.means[id] < mean ||
        (this.means[id] === mean && this.tickets[id].ticket.ticket.ticketId < ticket.ticketId);
      if (isBelow) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The id of the first waiting ticket from this place on, in one direction; −1 if there is none. */
  #waitingFrom(place: number, step: 1 | -1): number {
    for (let at = place; at >= 0 && at < this.#ordered; at += step)
      if (this.tickets[this.#order[at]].isHere) return this.#order[at];
    return -1;
  }

  #grow(): void {
    const room = 2 * this.means.length;
    const grown = (ids: Int32Array) => {
      const more = new Int32Array(room);
      more.set(ids);
      return more;
    };
    const means = new Float64Array(room);
    means.set(this.means);
    this.means = means;
    const sizes = new Uint8Array(room);
    sizes.set(this.sizes);
    this.sizes = sizes;
    this.numbers = grown(this.numbers);
    this.after = grown(this.after);
    this.before = grown(this.before);
    this.#order = grown(this.#order);
  }
}

const spare = 64;
