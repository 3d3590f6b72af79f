/**
 * Slots in ascending order of value that are all known at once and only leave: each knows its neighbours. A slot's
 * *place* is the slot itself. Every operation is O(1) and touches little memory that is far away; see `SortedSlots`
 * for lists that take new slots.
 */
export class LinkedSlots {
  size: number;
  #first: number;
  /** By slot: the value and the neighbours, −1 at the ends. */
  readonly #values: Float64Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;

  /** The slots 0 to n − 1 in the order of `slots`, `values[i]` being the value of `slots[i]`. */
  constructor(values: Float64Array, slots: Int32Array) {
    const count = slots.length;
    this.size = count;
    this.#first = count > 0 ? slots[0] : -1;
    this.#values = new Float64Array(count);
    this.#next = new Int32Array(count);
    this.#previous = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      this.#values[slots[i]] = values[i];
      this.#previous[slots[i]] = i > 0 ? slots[i - 1] : -1;
      this.#next[slots[i]] = i + 1 < count ? slots[i + 1] : -1;
    }
  }

  /** The place of the first slot, −1 if there is none. */
  get first(): number {
    return this.#first;
  }

  find(slot: number): number {
    return slot;
  }

  valueAt(place: number): number {
    return this.#values[place];
  }

  slotAt(place: number): number {
    return place;
  }

  after(place: number): number {
    return this.#next[place];
  }

  before(place: number): number {
    return this.#previous[place];
  }

  /** Removes a slot that is in the list. */
  remove(slot: number): void {
    const previous = this.#previous[slot];
    const next = this.#next[slot];
    if (previous === -1) this.#first = next;
    else this.#next[previous] = next;
    if (next !== -1) this.#previous[next] = previous;
    this.size--;
  }
}
