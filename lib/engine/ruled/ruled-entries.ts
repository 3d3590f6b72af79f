import { KeyHeap } from '../collections/key-heap.ts';
import type { FacetList } from './facet-list.ts';
import type { RuledPool } from './ruled-pool.ts';
import type { RuledGame } from './ruled-teams.ts';

/**
 * One entry for each ticket in each facet: it stands for the games of that facet in which the ticket is the first of the
 * order, by skill or by wait. Its key is a lower bound on their imbalance, and its cost is the key and what waiting adds.
 */
export class RuledEntries {
  readonly count: number;
  /** By entry: the place of its ticket, its list, and its position in that list. */
  readonly placeOf: Int32Array;
  readonly listOf: Int32Array;
  readonly positionOf: Int32Array;
  readonly key: Float64Array;
  readonly wait: Float64Array;
  readonly game: (RuledGame | undefined)[];
  /** Searches that ended, and those that were cut short; the query that searches it again. */
  readonly tries: Uint16Array;
  readonly cuts: Uint8Array;
  readonly restsUntil: Float64Array;
  /** The entries of each ticket: from `firstOf[place]` on in `ofPlace`. */
  readonly #ofPlace: Int32Array;
  readonly #firstOf: Int32Array;
  readonly #costs: Float64Array;
  readonly #alive: Uint8Array;
  readonly #heap = new KeyHeap();
  /** Whether the top of the heap has been taken out of the order, but not yet out of the heap. */
  #isTopTaken = false;

  /** @param waitOf what waiting adds to the cost of games whose first ticket is at a place */
  constructor(pool: RuledPool, lists: readonly FacetList[], waitOf: (place: number) => number) {
    const count = lists.reduce((sum, { places }) => sum + places.length, 0);
    this.count = count;
    this.placeOf = new Int32Array(count);
    this.listOf = new Int32Array(count);
    this.positionOf = new Int32Array(count);
    this.key = new Float64Array(count);
    this.wait = new Float64Array(count);
    this.game = new Array<RuledGame | undefined>(count).fill(undefined);
    this.tries = new Uint16Array(count);
    this.cuts = new Uint8Array(count);
    this.restsUntil = new Float64Array(count);
    this.#costs = new Float64Array(count);
    this.#alive = pool.alive;
    this.#ofPlace = new Int32Array(count);
    this.#firstOf = new Int32Array(pool.tickets.length + 1);
    let entry = 0;
    lists.forEach(({ places }, list) => {
      for (let position = 0; position < places.length; position++) {
        this.placeOf[entry] = places[position];
        this.listOf[entry] = list;
        this.positionOf[entry] = position;
        this.wait[entry] = waitOf(places[position]);
        this.#firstOf[places[position] + 1]++;
        entry++;
      }
    });
    for (let place = 0; place < pool.tickets.length; place++)
      this.#firstOf[place + 1] += this.#firstOf[place];
    const filled = this.#firstOf.slice();
    for (let e = 0; e < count; e++) this.#ofPlace[filled[this.placeOf[e]]++] = e;
  }

  /** The entries of the ticket at a place. */
  of(place: number): Int32Array {
    return this.#ofPlace.subarray(this.#firstOf[place], this.#firstOf[place + 1]);
  }

  /** Sets the key of an entry and puts it back into the order, unless the key is ∞. */
  set(entry: number, key: number): void {
    this.key[entry] = key;
    const cost = key + this.wait[entry];
    this.#costs[entry] = cost;
    if (key === Number.POSITIVE_INFINITY) return;
    if (this.#isTopTaken) this.#heap.replaceTop(cost, entry);
    else this.#heap.push(cost, entry);
    this.#isTopTaken = false;
  }

  /** The entry of least cost whose ticket is in the pool, −1 if there is none. */
  least(): number {
    const heap = this.#heap;
    this.#dropTaken();
    while (
      heap.size > 0 &&
      (this.#alive[this.placeOf[heap.topId]] === 0 || this.#costs[heap.topId] !== heap.topKey)
    )
      heap.pop();
    return heap.topId;
  }

  /** The cost of the entry that `least` has just returned; ∞ if there is none. */
  get leastCost(): number {
    return this.#heap.topKey;
  }

  /** Takes the entry that `least` has just returned out of the order, until its key is set. */
  takeLeast(): void {
    this.#dropTaken();
    this.#isTopTaken = true;
  }

  #dropTaken(): void {
    if (this.#isTopTaken) this.#heap.pop();
    this.#isTopTaken = false;
  }

  /** The known game of an entry, forgotten once one of its tickets has left the pool. */
  gameOf(entry: number): RuledGame | undefined {
    const game = this.game[entry];
    if (!game || game.places.every((place) => this.#alive[place] === 1)) return game;
    this.game[entry] = undefined;
    this.restsUntil[entry] = 0;
    return undefined;
  }
}
