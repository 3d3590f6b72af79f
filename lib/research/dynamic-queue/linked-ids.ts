/**
 * A linked list of ids in ascending order of value, for ids that are all known at the start and are only removed. An id's
 * *place* is the id itself. Every operation is O(1) and causes few cache misses. Use `SortedIds` for lists that take new
 * ids.
 */
export class LinkedIds {
  size: number;
  #first: number;
  /** By id: the value and the neighbours, −1 at the ends. */
  readonly #values: Float64Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;

  /** The ids 0 to n − 1 in the order of `ids`, `values[i]` being the value of `ids[i]`. */
  constructor(values: Float64Array, ids: Int32Array) {
    const count = ids.length;
    this.size = count;
    this.#first = count > 0 ? ids[0] : -1;
    this.#values = new Float64Array(count);
    this.#next = new Int32Array(count);
    this.#previous = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      this.#values[ids[i]] = values[i];
      this.#previous[ids[i]] = i > 0 ? ids[i - 1] : -1;
      this.#next[ids[i]] = i + 1 < count ? ids[i + 1] : -1;
    }
  }

  /** The place of the first id, −1 if there is none. */
  get first(): number {
    return this.#first;
  }

  find(id: number): number {
    return id;
  }

  valueAt(place: number): number {
    return this.#values[place];
  }

  idAt(place: number): number {
    return place;
  }

  after(place: number): number {
    return this.#next[place];
  }

  before(place: number): number {
    return this.#previous[place];
  }

  /** Removes an id that is in the list. */
  remove(id: number): void {
    const previous = this.#previous[id];
    const next = this.#next[id];
    if (previous === -1) this.#first = next;
    else this.#next[previous] = next;
    if (next !== -1) this.#previous[next] = previous;
    this.size--;
  }
}
