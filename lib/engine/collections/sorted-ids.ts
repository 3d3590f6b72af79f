const chunkBits = 6;
const chunkSize = 1 << chunkBits;

/**
 * Slots in ascending order of value, equal values in order of arrival: a list of chunks of at most 64. A slot stands at
 * a *place*, a number that holds until the next change; from a place one can walk both ways. An insert costs a
 * search over the chunks and a move within one, a removal only the move: in practice as good as O(log n) at a million.
 *
 * At that size what counts is memory that is far away. So chunks are short, an insert touches no more than the end of
 * one, and what to remove is found through its slot, without the search.
 */
export class SortedSlots {
  size = 0;
  /** Chunk c holds `#counts[c]` entries from place c · 64 on; a place without an entry has slot −1. */
  #values = new Float64Array(chunkSize);
  #slots = new Int32Array(chunkSize).fill(-1);
  #counts = new Int32Array(1);
  /** The chunks before and after each, −1 at the ends. */
  #previous = new Int32Array(1);
  #next = new Int32Array(1);
  /** The chunks in order. Values from the fence at i on belong into chunk `#order[i]` or later, those below it before. */
  #order = new Int32Array(1);
  #fences = new Float64Array(1);
  #chunks = 0;
  #freeChunks: number[] = [0];
  /** Where each slot was last seen: still in the same chunk, and mostly near. */
  #placeOf = new Int32Array(0);

  /** Fills an empty list with slots already in order, `values[i]` being the value of `slots[i]`. */
  fill(values: Float64Array, slots: Int32Array): void {
    const per = (3 * chunkSize) >> 2;
    while (this.#freeChunks.length * per < slots.length) this.#grow();
    for (let from = 0; from < slots.length; from += per) {
      const to = Math.min(slots.length, from + per);
      const chunk = this.#openChunk(this.#chunks, values[from]);
      this.#values.set(values.subarray(from, to), chunk * chunkSize);
      this.#slots.set(slots.subarray(from, to), chunk * chunkSize);
      this.#counts[chunk] = to - from;
      for (let i = from; i < to; i++) {
        if (slots[i] >= this.#placeOf.length) this.#reserve(slots[i] + 1);
        this.#placeOf[slots[i]] = chunk * chunkSize + i - from;
      }
    }
    this.size = slots.length;
  }

  valueAt(place: number): number {
    return this.#values[place];
  }

  slotAt(place: number): number {
    return this.#slots[place];
  }

  /** The place after this one, −1 if it is the last. */
  after(place: number): number {
    const chunk = place >> chunkBits;
    if (place + 1 < chunk * chunkSize + this.#counts[chunk]) return place + 1;
    const next = this.#next[chunk];
    return next === -1 ? -1 : next * chunkSize;
  }

  /** The place before this one, −1 if it is the first. */
  before(place: number): number {
    if ((place & (chunkSize - 1)) > 0) return place - 1;
    const previous = this.#previous[place >> chunkBits];
    return previous === -1 ? -1 : previous * chunkSize + this.#counts[previous] - 1;
  }

  /** The place of a slot that is in the list. */
  find(slot: number): number {
    const slots = this.#slots;
    const seen = this.#placeOf[slot];
    const chunk = seen & -chunkSize;
    // Outward from where it was, around the ends of its chunk.
    for (let distance = 0; distance <= chunkSize / 2; distance++) {
      const below = chunk + ((seen - distance) & (chunkSize - 1));
      if (slots[below] === slot) return below;
      const above = chunk + ((seen + distance) & (chunkSize - 1));
      if (slots[above] === slot) return above;
    }
    throw new Error(`Expected a slot that is in the list, got ${slot}`);
  }

  /** Adds a slot and returns its place. */
  insert(value: number, slot: number): number {
    if (this.#chunks === 0) this.#openChunk(0, value);
    let position = this.#locate(value);
    if (this.#counts[this.#order[position]] === chunkSize) {
      this.#halve(position);
      if (this.#fences[position + 1] <= value) position++;
    }
    if (slot >= this.#placeOf.length) this.#reserve(slot + 1);
    const chunk = this.#order[position];
    const values = this.#values;
    const slots = this.#slots;
    const from = chunk * chunkSize;
    let at = from + this.#counts[chunk]++;
    while (at > from && values[at - 1] > value) {
      values[at] = values[at - 1];
      slots[at] = slots[at - 1];
      at--;
    }
    values[at] = value;
    slots[at] = slot;
    this.#placeOf[slot] = at;
    this.size++;
    return at;
  }

  /** Removes a slot that is in the list. */
  remove(slot: number): void {
    const values = this.#values;
    const slots = this.#slots;
    const chunk = this.#placeOf[slot] >> chunkBits;
    const last = chunk * chunkSize + --this.#counts[chunk];
    for (let at = this.find(slot); at < last; at++) {
      values[at] = values[at + 1];
      slots[at] = slots[at + 1];
    }
    slots[last] = -1;
    this.size--;
    if (this.#counts[chunk] === 0) this.#closeChunk(chunk, values[last]);
  }

  /** The position of the last chunk whose fence is at most `value`, 0 if there is none. */
  #locate(value: number): number {
    // Without branches on values: half of them would be mispredicted.
    const fences = this.#fences;
    let low = 0;
    for (let length = this.#chunks; length > 1; ) {
      const half = length >> 1;
      low += half & -(fences[low + half] <= value);
      length -= half;
    }
    return low;
  }

  #halve(position: number): void {
    const full = this.#order[position];
    const half = chunkSize >> 1;
    const from = full * chunkSize + half;
    const fresh = this.#openChunk(position + 1, this.#values[from]);
    this.#values.copyWithin(fresh * chunkSize, from, from + half);
    this.#slots.copyWithin(fresh * chunkSize, from, from + half);
    for (let i = 0; i < half; i++) this.#placeOf[this.#slots[from + i]] = fresh * chunkSize + i;
    this.#slots.fill(-1, from, from + half);
    this.#counts[full] = half;
    this.#counts[fresh] = half;
  }

  /** An empty chunk at this place of the order, for values from `fence` on. */
  #openChunk(position: number, fence: number): number {
    if (this.#freeChunks.length === 0) this.#grow();
    const chunk = this.#freeChunks.pop()!;
    const previous = position > 0 ? this.#order[position - 1] : -1;
    const next = position < this.#chunks ? this.#order[position] : -1;
    this.#link(previous, chunk);
    this.#link(chunk, next);
    this.#order.copyWithin(position + 1, position, this.#chunks);
    this.#fences.copyWithin(position + 1, position, this.#chunks);
    this.#order[position] = chunk;
    this.#fences[position] = fence;
    this.#counts[chunk] = 0;
    this.#chunks++;
    return chunk;
  }

  /** Gives back an empty chunk, whose last value this was. */
  #closeChunk(chunk: number, value: number): void {
    let position = this.#locate(value);
    while (this.#order[position] !== chunk) position--;
    this.#link(this.#previous[chunk], this.#next[chunk]);
    this.#order.copyWithin(position, position + 1, this.#chunks);
    this.#fences.copyWithin(position, position + 1, this.#chunks);
    this.#freeChunks.push(chunk);
    this.#chunks--;
  }

  #link(chunk: number, next: number): void {
    if (chunk !== -1) this.#next[chunk] = next;
    if (next !== -1) this.#previous[next] = chunk;
  }

  #reserve(slots: number): void {
    const placeOf = new Int32Array(Math.max(slots, Math.ceil(1.5 * this.#placeOf.length)));
    placeOf.set(this.#placeOf);
    this.#placeOf = placeOf;
  }

  #grow(): void {
    const old = this.#counts.length;
    const room = Math.ceil(1.5 * old) + 1;
    const grow = <T extends Float64Array | Int32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#values = grow(this.#values, new Float64Array(room * chunkSize));
    this.#slots = grow(this.#slots, new Int32Array(room * chunkSize).fill(-1));
    this.#counts = grow(this.#counts, new Int32Array(room));
    this.#previous = grow(this.#previous, new Int32Array(room));
    this.#next = grow(this.#next, new Int32Array(room));
    this.#order = grow(this.#order, new Int32Array(room));
    this.#fences = grow(this.#fences, new Float64Array(room));
    for (let chunk = room - 1; chunk >= old; chunk--) this.#freeChunks.push(chunk);
  }
}
