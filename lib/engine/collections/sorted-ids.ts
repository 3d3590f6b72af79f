const chunkBits = 6;
const chunkSize = 1 << chunkBits;

/**
 * Ids in ascending order of value, equal values in order of arrival: a list of chunks of at most 64. Each id has
 * a *place*, a number that is valid until the next change; from a place one can step both ways. An insert costs a
 * search over the chunks and a move within one, a removal only the move: in practice like O(log n) up to a million.
 *
 * At that size cache misses dominate. So chunks are short, an insert touches only the end of one, and a removal finds
 * its place through the id, without a search.
 */
export class SortedIds {
  size = 0;
  /** Chunk c has `#counts[c]` entries from place c · 64 on; a place without an entry has id −1. */
  #values = new Float64Array(chunkSize);
  #ids = new Int32Array(chunkSize).fill(-1);
  #counts = new Int32Array(1);
  /** The chunks before and after each, −1 at the ends. */
  #previous = new Int32Array(1);
  #next = new Int32Array(1);
  /** The chunks in order. Values from the fence at i on belong to chunk `#order[i]` or later, lower ones to earlier chunks. */
  #order = new Int32Array(1);
  #fences = new Float64Array(1);
  #chunks = 0;
  #freeChunks: number[] = [0];
  /** The last known place of each id: still in the same chunk and usually near. */
  #placeOf = new Int32Array(0);

  /** Fills an empty list with ids already in order, `values[i]` being the value of `ids[i]`. */
  fill(values: Float64Array, ids: Int32Array): void {
    const per = (3 * chunkSize) >> 2;
    while (this.#freeChunks.length * per < ids.length) this.#grow();
    for (let from = 0; from < ids.length; from += per) {
      const to = Math.min(ids.length, from + per);
      const chunk = this.#openChunk(this.#chunks, values[from]);
      this.#values.set(values.subarray(from, to), chunk * chunkSize);
      this.#ids.set(ids.subarray(from, to), chunk * chunkSize);
      this.#counts[chunk] = to - from;
      for (let i = from; i < to; i++) {
        if (ids[i] >= this.#placeOf.length) this.#reserve(ids[i] + 1);
        this.#placeOf[ids[i]] = chunk * chunkSize + i - from;
      }
    }
    this.size = ids.length;
  }

  valueAt(place: number): number {
    return this.#values[place];
  }

  idAt(place: number): number {
    return this.#ids[place];
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

  /** The place of an id that is in the list. */
  find(id: number): number {
    const ids = this.#ids;
    const seen = this.#placeOf[id];
    const chunk = seen & -chunkSize;
    // Search outward from the last known place, wrapping at the ends of the chunk.
    for (let distance = 0; distance <= chunkSize / 2; distance++) {
      const below = chunk + ((seen - distance) & (chunkSize - 1));
      if (ids[below] === id) return below;
      const above = chunk + ((seen + distance) & (chunkSize - 1));
      if (ids[above] === id) return above;
    }
    throw new Error(`Expected an id that is in the list, got ${id}`);
  }

  /** Adds an id and returns its place. */
  insert(value: number, id: number): number {
    if (this.#chunks === 0) this.#openChunk(0, value);
    let position = this.#locate(value);
    if (this.#counts[this.#order[position]] === chunkSize) {
      this.#halve(position);
      if (this.#fences[position + 1] <= value) position++;
    }
    if (id >= this.#placeOf.length) this.#reserve(id + 1);
    const chunk = this.#order[position];
    const values = this.#values;
    const ids = this.#ids;
    const from = chunk * chunkSize;
    let at = from + this.#counts[chunk]++;
    while (at > from && values[at - 1] > value) {
      values[at] = values[at - 1];
      ids[at] = ids[at - 1];
      at--;
    }
    values[at] = value;
    ids[at] = id;
    this.#placeOf[id] = at;
    this.size++;
    return at;
  }

  /** Removes an id that is in the list. */
  remove(id: number): void {
    const values = this.#values;
    const ids = this.#ids;
    const chunk = this.#placeOf[id] >> chunkBits;
    const last = chunk * chunkSize + --this.#counts[chunk];
    for (let at = this.find(id); at < last; at++) {
      values[at] = values[at + 1];
      ids[at] = ids[at + 1];
    }
    ids[last] = -1;
    this.size--;
    if (this.#counts[chunk] === 0) this.#closeChunk(chunk, values[last]);
  }

  /** The position of the last chunk whose fence is at most `value`, 0 if there is none. */
  #locate(value: number): number {
    // Avoid branches on values: half of them would be mispredicted.
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
    this.#ids.copyWithin(fresh * chunkSize, from, from + half);
    for (let i = 0; i < half; i++) this.#placeOf[this.#ids[from + i]] = fresh * chunkSize + i;
    this.#ids.fill(-1, from, from + half);
    this.#counts[full] = half;
    this.#counts[fresh] = half;
  }

  /** Inserts an empty chunk at this place of the order, for values from `fence` on. */
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

  /** Frees a chunk whose last value has been removed. */
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

  #reserve(ids: number): void {
    const placeOf = new Int32Array(Math.max(ids, Math.ceil(1.5 * this.#placeOf.length)));
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
    this.#ids = grow(this.#ids, new Int32Array(room * chunkSize).fill(-1));
    this.#counts = grow(this.#counts, new Int32Array(room));
    this.#previous = grow(this.#previous, new Int32Array(room));
    this.#next = grow(this.#next, new Int32Array(room));
    this.#order = grow(this.#order, new Int32Array(room));
    this.#fences = grow(this.#fences, new Float64Array(room));
    for (let chunk = room - 1; chunk >= old; chunk--) this.#freeChunks.push(chunk);
  }
}
