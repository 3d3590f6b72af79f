import { KeyHeap } from '../collections/key-heap.ts';
import type { Entry } from './entry.ts';
import type { EntryList } from './entry-list.ts';

/**
 * The keys of a queue's entries, and the entry to examine next: the one of least **cost**, key plus β·t. All games of an
 * entry have the same wait, so the order does not depend on the time of the query.
 *
 * Entries are identified by their ids in the list.
 */
export class EntryKeys {
  readonly #list: EntryList;
  readonly #beta: number;
  /** Pairs (cost, id). A pair is outdated when the id has a different cost now. */
  readonly #heap = new KeyHeap();
  /** By id: the cost and the key (NaN when the id is free), and the ticket's mean skill. */
  #costs = new Float64Array(0);
  #keys = new Float64Array(0);
  #means = new Float64Array(0);

  constructor(list: EntryList, beta: number) {
    this.#list = list;
    this.#beta = beta;
  }

  /** Discards all keys after the list has been refilled. */
  clear(): void {
    const room = 2 * this.#list.size;
    this.#costs = new Float64Array(room).fill(Number.NaN);
    this.#keys = new Float64Array(room).fill(Number.NaN);
    this.#means = new Float64Array(room);
    this.#heap.clear();
  }

  /** Sets the key of an entry and reinserts it in the order, unless the key is ∞. */
  set(entry: Entry, key: number): void {
    const { id } = entry;
    if (id >= this.#costs.length) {
      this.#costs = grown(this.#costs, 2 * id);
      this.#keys = grown(this.#keys, 2 * id);
      this.#means = grown(this.#means, 2 * id);
    }
    entry.key = key;
    this.#keys[id] = key;
    this.#means[id] = entry.pooled.mean;
    this.#costs[id] = key + this.waitTerm(entry);
    if (key < Number.POSITIVE_INFINITY) this.#heap.push(this.#costs[id], id);
    if (this.#heap.size > 64 + 4 * this.#list.size) this.#heap.compact(this.#costs);
  }

  /** Removes an entry that leaves the list. */
  remove(entry: Entry): void {
    this.#costs[entry.id] = Number.NaN;
    this.#keys[entry.id] = Number.NaN;
  }

  /** The entry of least cost, undefined if no entry has a game. */
  least(): Entry | undefined {
    const heap = this.#heap;
    while (heap.size > 0 && this.#costs[heap.topId] !== heap.topKey) heap.pop();
    return heap.size > 0 ? this.#list.at(heap.topId) : undefined;
  }

  /** Removes the entry that `least` has just returned from the order, until its key is set. */
  takeLeast(): void {
    this.#heap.pop();
  }

  /** No game of this entry costs less than this. */
  costBound(entry: Entry): number {
    return this.#costs[entry.id];
  }

  /** β·t, the amount that waiting adds to the cost of all games of an entry. */
  waitTerm(entry: Entry): number {
    return this.#beta * entry.seconds;
  }

  /**
   * The entries whose key is above the bound that remains valid after a ticket is inserted: `least`, and `perRange` for
   * each point of skill between the two. Cost: linear in the waiting tickets, over contiguous numbers.
   */
  above(mean: number, least: number, perRange: number): { entry: Entry; key: number }[] {
    const keys = this.#keys;
    const means = this.#means;
    const above: { entry: Entry; key: number }[] = [];
    for (let id = 0; id < keys.length; id++) {
      const key = Math.max(least, perRange * Math.abs(means[id] - mean));
      // The comparison is false for a free id, whose key is NaN.
      if (keys[id] > key) above.push({ entry: this.#list.at(id), key });
    }
    return above;
  }
}

/** Copies the values to a larger array. */
function grown(values: Float64Array, room: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(room).fill(Number.NaN);
  more.set(values);
  return more;
}
