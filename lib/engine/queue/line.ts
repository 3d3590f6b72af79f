import { firstPlace } from '../collections/first-place.ts';
import { bySkill } from '../model/pooled-ticket.ts';
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

/** Consecutive tickets of a line. */
export interface Block {
  /** In order of skill, those of some tickets that have left among them. */
  ids: number[];
  /** The means of the first and the last ticket that it had, or has. */
  low: number;
  high: number;
  /** Not below what `Line.raise` got for its tickets since a caller has lowered it. */
  most: number;
}

/**
 * Tickets in order of mean skill, linked to their neighbours. A ticket's id stays the same while it waits. An insert costs a
 * binary search. Tickets that have left are unlinked by `remove`, or by the searches that come upon them.
 */
export class Line {
  /** What the constraints know these tickets by; undefined for the whole pool. */
  readonly facet: { readonly id: number; readonly tickets: readonly number[] } | undefined;
  /** By id. */
  readonly tickets: QueuedTicket[];
  means: Float64Array;
  sizes: Uint8Array;
  numbers: Int32Array;
  /** By id: the neighbours; −1 at the ends. */
  after: Int32Array;
  before: Int32Array;
  /** The tickets in order, in blocks of a few. */
  readonly blocks: Block[] = [];
  readonly #blockOf: Block[] = [];

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
    sorted.forEach(({ ticket, number }, id) => {
      this.means[id] = ticket.mean;
      this.sizes[id] = ticket.size;
      this.numbers[id] = number;
      this.after[id] = id + 1 < length ? id + 1 : -1;
      this.before[id] = id - 1;
    });
    for (let from = 0; from < length; from += blockSize) {
      const to = Math.min(length, from + blockSize);
      this.#open(
        this.blocks.length,
        Array.from({ length: to - from }, (_, i) => from + i),
      );
    }
  }

  /** Adds a ticket between its neighbours. Returns its id. */
  insert(queued: QueuedTicket): number {
    const id = this.tickets.length;
    const { mean, size } = queued.ticket;
    this.tickets.push(queued);
    if (id === this.means.length) this.#grow();
    this.means[id] = mean;
    this.sizes[id] = size;
    this.numbers[id] = queued.number;
    const isBefore = (other: number) => bySkill(this.tickets[other].ticket, queued.ticket) < 0;
    let at = this.#blockFor(isBefore);
    while (at !== -1 && this.#compact(at)) at = this.#blockFor(isBefore);
    if (at === -1) {
      this.after[id] = this.before[id] = -1;
      this.#open(0, [id]);
      return id;
    }
    const block = this.blocks[at];
    const { ids } = block;
    const place = firstPlace(ids, (id) => !isBefore(id));
    if (place > 0) this.#link(ids[place - 1], id, this.after[ids[place - 1]]);
    else this.#link(this.before[ids[0]], id, ids[0]);
    ids.splice(place, 0, id);
    block.low = Math.min(block.low, mean);
    block.high = Math.max(block.high, mean);
    this.#blockOf[id] = block;
    if (ids.length > 2 * blockSize) this.#halve(at);
    return id;
  }

  /** Unlinks a ticket that has left. */
  remove(id: number): void {
    const next = this.after[id];
    const previous = this.before[id];
    if (previous !== -1) this.after[previous] = next;
    if (next !== -1) this.before[next] = previous;
  }

  /** The id of the first waiting ticket whose mean is not below this one; −1 if there is none. */
  firstFrom(mean: number): number {
    const isBefore = (id: number) => this.means[id] < mean;
    for (let at = this.#blockFor(isBefore); at !== -1; at = this.#blockFor(isBefore)) {
      const { ids } = this.blocks[at];
      const place = firstPlace(ids, (id) => !isBefore(id));
      const near = ids[Math.min(place, ids.length - 1)];
      if (this.tickets[near].isHere) return place < ids.length ? near : this.waitingAfter(near);
      this.#compact(at);
    }
    return -1;
  }

  /** The id of the last waiting ticket whose mean is below this one; −1 if there is none. */
  lastBelow(mean: number): number {
    const isBefore = (id: number) => this.means[id] < mean;
    for (let at = this.#blockFor(isBefore); at !== -1; at = this.#blockFor(isBefore)) {
      const { ids } = this.blocks[at];
      const place = firstPlace(ids, (id) => !isBefore(id));
      const near = ids[Math.max(0, place - 1)];
      if (this.tickets[near].isHere) return place > 0 ? near : this.waitingBefore(near);
      this.#compact(at);
    }
    return -1;
  }

  /** The next waiting ticket; −1 at the end. Unlinks those between that have left. */
  waitingAfter(id: number): number {
    let next = this.after[id];
    for (; next !== -1 && !this.tickets[next].isHere; next = this.after[id]) this.remove(next);
    return next;
  }

  /** The same in the other direction. */
  waitingBefore(id: number): number {
    let next = this.before[id];
    for (; next !== -1 && !this.tickets[next].isHere; next = this.before[id]) this.remove(next);
    return next;
  }

  /** Says that something of a ticket has this value, which its block's `most` then is not below. */
  raise(id: number, value: number): void {
    const block = this.#blockOf[id];
    if (value > block.most) block.most = value;
  }

  /** The place of the last block whose first ticket is before another one, or of the first block; −1 without blocks. */
  #blockFor(isBefore: (id: number) => boolean): number {
    const next = firstPlace(this.blocks, ({ ids }) => !isBefore(ids[0]));
    return next === 0 && this.blocks.length > 0 ? 0 : next - 1;
  }

  /** Takes the tickets that have left out of a block, and the block away if it was empty then. Returns whether there were any. */
  #compact(at: number): boolean {
    const block = this.blocks[at];
    const waiting = block.ids.filter((id) => this.tickets[id].isHere);
    if (waiting.length === block.ids.length) return false;
    block.ids = waiting;
    if (waiting.length === 0) this.blocks.splice(at, 1);
    return true;
  }

  #link(previous: number, id: number, next: number): void {
    this.before[id] = previous;
    this.after[id] = next;
    if (previous !== -1) this.after[previous] = id;
    if (next !== -1) this.before[next] = id;
  }

  #open(at: number, ids: number[], most = Number.NEGATIVE_INFINITY): void {
    const block = { ids, low: this.means[ids[0]], high: this.means[ids[ids.length - 1]], most };
    this.blocks.splice(at, 0, block);
    for (const id of ids) this.#blockOf[id] = block;
  }

  #halve(at: number): void {
    const block = this.blocks[at];
    const upper = block.ids.splice(block.ids.length >> 1);
    block.high = this.means[block.ids[block.ids.length - 1]];
    this.#open(at + 1, upper, block.most);
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
  }
}

/** The tickets of a block at first, and half of those that it may have. */
const blockSize = 64;
const spare = 64;
