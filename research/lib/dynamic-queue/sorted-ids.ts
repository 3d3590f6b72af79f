const chunkBits = 6;
const chunkSize = 1 << chunkBits;
const chunkFill = (3 * chunkSize) >> 2;
/** So many cells are in the cache, and are quickly counted again when a chunk is added. */
const guideMax = 4096;

/**
 * Ids in ascending order of value, equal values in order of arrival: a list of chunks of at most 64. Each id has
 * a *place*, a number that is valid until the next change; from a place one can step both ways. In practice an insert costs
 * like O(log n) up to a million, a removal is O(1).
 *
 * In a large list a change waits mostly for memory. So it reads little: an insert appends to a chunk, a removal marks a
 * place as empty. A chunk is put in order when it is read or full.
 */
export class SortedIds {
  size = 0;
  /**
   * Chunk c has `#counts[c]` places in use, from c · 64 on; a place without an id has −1. The first `#sorted[c]` of them are in
   * order, the others are arrivals. A chunk that is not `#unordered` has only ids in order.
   */
  #values = new Float64Array(chunkSize);
  #ids = new Int32Array(chunkSize);
  #counts = new Int32Array(1);
  #sorted = new Int32Array(1);
  #unordered = new Uint8Array(1);
  /** How many ids each chunk has. */
  #sizes = new Int32Array(1);
  /** The chunks before and after each, −1 at the ends. */
  #previous = new Int32Array(1);
  #next = new Int32Array(1);
  /**
   * The chunks in order. Values from the fence at i on belong to chunk `#order[i]` or later, lower ones to earlier chunks.
   * At least as many fences of ∞ follow.
   */
  #order = new Int32Array(1);
  #fences = new Float64Array(2).fill(Number.POSITIVE_INFINITY);
  #chunks = 0;
  /**
   * How many fences, without the first, are in lower cells than each of `#guide.length` − 1 cells of equal width, and in all.
   * Fences outside the range they had when the guide was made are in its first or last cell.
   */
  #guide = new Int32Array(2);
  /** A power of two: no cell has as many fences. */
  #cellRoom = 1;
  #guideLow = 0;
  #cellsPerValue = 0;
  #freeChunks: number[] = [0];
  #placeOf = new Int32Array(0);
  readonly #onDrop: (value: number) => void;

  /** @param onDrop called with the value of a removed id when its chunk is next put in order or emptied. @default nothing */
  constructor(onDrop: (value: number) => void = () => {}) {
    this.#onDrop = onDrop;
  }

  /** Fills an empty list with ids already in order, `values[i]` being the value of `ids[i]`. */
  fill(values: Float64Array, ids: Int32Array): void {
    this.#grow(Math.ceil((1.125 * ids.length) / chunkFill) + 1);
    for (let from = 0; from < ids.length; from += chunkFill) {
      const to = Math.min(ids.length, from + chunkFill);
      const chunk = this.#openChunk(this.#chunks, values[from]);
      this.#values.set(values.subarray(from, to), chunk * chunkSize);
      this.#ids.set(ids.subarray(from, to), chunk * chunkSize);
      this.#hold(chunk, to - from);
      for (let i = from; i < to; i++) {
        if (ids[i] >= this.#placeOf.length) this.#reserve(ids[i] + 1);
        this.#placeOf[ids[i]] = chunk * chunkSize + i - from;
      }
    }
    this.size = ids.length;
    this.#guideAnew();
  }

  /** The place of the first id, −1 if there is none. */
  get first(): number {
    if (this.#chunks === 0) return -1;
    this.#read(this.#order[0]);
    return this.#order[0] * chunkSize;
  }

  /** Calls `visit` with all values, and with those of removals for which `onDrop` has not been called yet. */
  visitValues(visit: (value: number) => void): void {
    for (let i = 0; i < this.#chunks; i++) {
      const from = this.#order[i] * chunkSize;
      const to = from + this.#counts[this.#order[i]];
      for (let place = from; place < to; place++) visit(this.#values[place]);
    }
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
    if (next === -1) return -1;
    this.#read(next);
    return next * chunkSize;
  }

  /** The place before this one, −1 if it is the first. */
  before(place: number): number {
    if ((place & (chunkSize - 1)) > 0) return place - 1;
    const previous = this.#previous[place >> chunkBits];
    if (previous === -1) return -1;
    this.#read(previous);
    return previous * chunkSize + this.#counts[previous] - 1;
  }

  /** The place of an id that is in the list. */
  find(id: number): number {
    this.#read(this.#placeOf[id] >> chunkBits);
    return this.#placeOf[id];
  }

  /** Adds an id that is not in the list. */
  insert(value: number, id: number): void {
    if (this.#chunks === 0) this.#openChunk(0, value);
    const position = this.#locate(value);
    let chunk = this.#order[position];
    if (this.#counts[chunk] === chunkSize) chunk = this.#makeRoom(position, value);
    if (id >= this.#placeOf.length) this.#reserve(id + 1);
    const place = chunk * chunkSize + this.#counts[chunk]++;
    this.#values[place] = value;
    this.#ids[place] = id;
    this.#placeOf[id] = place;
    this.#unordered[chunk] = 1;
    this.#sizes[chunk]++;
    this.size++;
  }

  /** Removes an id that is in the list. */
  remove(id: number): void {
    const place = this.#placeOf[id];
    const chunk = place >> chunkBits;
    this.#ids[place] = -1;
    this.#unordered[chunk] = 1;
    this.size--;
    if (--this.#sizes[chunk] === 0) this.#closeChunk(chunk);
  }

  /** The position of the last chunk whose fence is at most `value`, 0 if there is none. */
  #locate(value: number): number {
    const fences = this.#fences;
    let position = this.#guide[this.#cellOf(value)];
    // Neither a branch nor the number of steps depends on the value: half of such branches would be mispredicted.
    for (let half = this.#cellRoom >> 1; half > 0; half >>= 1)
      position += half & -(fences[position + half] <= value);
    return position;
  }

  #cellOf(value: number): number {
    const cell = (value - this.#guideLow) * this.#cellsPerValue;
    const last = this.#guide.length - 2;
    return cell > 0 ? (cell < last ? cell | 0 : last) : 0;
  }

  /** Makes the guide for the fences there are. */
  #guideAnew(): void {
    const count = this.#chunks;
    const cells = Math.max(1, Math.min(guideMax, count));
    const low = count > 0 ? this.#fences[0] : 0;
    const width = count > 0 ? this.#fences[count - 1] - low : 0;
    this.#guide = new Int32Array(cells + 1);
    this.#guideLow = low;
    this.#cellsPerValue = width > 0 && cells / width < Number.POSITIVE_INFINITY ? cells / width : 0;
    for (let i = 1; i < count; i++) this.#guide[this.#cellOf(this.#fences[i]) + 1]++;
    this.#cellRoom = 1;
    for (let cell = 1; cell <= cells; cell++) {
      while (this.#guide[cell] >= this.#cellRoom) this.#cellRoom *= 2;
      this.#guide[cell] += this.#guide[cell - 1];
    }
  }

  /** Counts a fence more (1) or less (−1) in the guide. */
  #countFence(fence: number, difference: number): void {
    const guide = this.#guide;
    const own = this.#cellOf(fence);
    for (let cell = own + 1; cell < guide.length; cell++) guide[cell] += difference;
    while (guide[own + 1] - guide[own] >= this.#cellRoom) this.#cellRoom *= 2;
  }

  /** Puts a chunk in order before its places are read. */
  #read(chunk: number): void {
    if (this.#unordered[chunk] === 1) this.#sort(chunk);
  }

  /** Drops the empty places of a chunk and inserts its arrivals among the ids in order. */
  #sort(chunk: number): void {
    const values = this.#values;
    const ids = this.#ids;
    const placeOf = this.#placeOf;
    const from = chunk * chunkSize;
    const arrivals = from + this.#sorted[chunk];
    const end = from + this.#counts[chunk];
    let to = from;
    while (to < arrivals && ids[to] !== -1) to++;
    for (let at = to; at < arrivals; at++) {
      if (ids[at] === -1) {
        this.#onDrop(values[at]);
        continue;
      }
      values[to] = values[at];
      ids[to] = ids[at];
      placeOf[ids[to]] = to;
      to++;
    }
    for (let at = arrivals; at < end; at++) {
      const id = ids[at];
      const value = values[at];
      if (id === -1) {
        this.#onDrop(value);
        continue;
      }
      let place = to++;
      while (place > from && values[place - 1] > value) {
        values[place] = values[place - 1];
        ids[place] = ids[place - 1];
        placeOf[ids[place]] = place;
        place--;
      }
      values[place] = value;
      ids[place] = id;
      placeOf[id] = place;
    }
    this.#hold(chunk, to - from);
  }

  /** A chunk has this many ids, in order. */
  #hold(chunk: number, count: number): void {
    this.#counts[chunk] = count;
    this.#sorted[chunk] = count;
    this.#sizes[chunk] = count;
    this.#unordered[chunk] = 0;
  }

  /** Makes room for `value` in or beside the full chunk at this position of the order, and returns the chunk that has it. */
  #makeRoom(position: number, value: number): number {
    const chunk = this.#order[position];
    this.#read(chunk);
    if (this.#counts[chunk] <= chunkFill) return chunk;
    this.#halve(position);
    return this.#order[this.#fences[position + 1] <= value ? position + 1 : position];
  }

  /** Moves the upper half of a chunk in order to a new one. */
  #halve(position: number): void {
    const chunk = this.#order[position];
    const half = this.#counts[chunk] >> 1;
    const from = chunk * chunkSize + half;
    const to = chunk * chunkSize + this.#counts[chunk];
    const fresh = this.#openChunk(position + 1, this.#values[from]);
    this.#values.copyWithin(fresh * chunkSize, from, to);
    this.#ids.copyWithin(fresh * chunkSize, from, to);
    for (let i = 0; i < to - from; i++) this.#placeOf[this.#ids[from + i]] = fresh * chunkSize + i;
    this.#hold(chunk, half);
    this.#hold(fresh, to - from);
  }

  /** Inserts an empty chunk at this place of the order, for values from `fence` on. */
  #openChunk(position: number, fence: number): number {
    if (this.#freeChunks.length === 0) this.#grow(Math.ceil(1.5 * this.#counts.length) + 1);
    const chunk = this.#freeChunks.pop()!;
    const previous = position > 0 ? this.#order[position - 1] : -1;
    const next = position < this.#chunks ? this.#order[position] : -1;
    this.#link(previous, chunk);
    this.#link(chunk, next);
    this.#order.copyWithin(position + 1, position, this.#chunks);
    this.#fences.copyWithin(position + 1, position, this.#chunks);
    this.#order[position] = chunk;
    this.#fences[position] = fence;
    if (position > 0) this.#countFence(fence, 1);
    this.#hold(chunk, 0);
    this.#chunks++;
    return chunk;
  }

  /** Frees a chunk whose last value has been removed. */
  #closeChunk(chunk: number): void {
    // All of its values have the same position.
    let position = this.#locate(this.#values[chunk * chunkSize]);
    this.#sort(chunk);
    while (this.#order[position] !== chunk) position--;
    this.#link(this.#previous[chunk], this.#next[chunk]);
    if (this.#chunks > 1) this.#countFence(this.#fences[Math.max(1, position)], -1);
    this.#order.copyWithin(position, position + 1, this.#chunks);
    this.#fences.copyWithin(position, position + 1, this.#chunks);
    this.#fences[this.#chunks - 1] = Number.POSITIVE_INFINITY;
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

  /** Makes room for this many chunks. */
  #grow(room: number): void {
    const old = this.#counts.length;
    const grow = <T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#values = grow(this.#values, new Float64Array(room * chunkSize));
    this.#ids = grow(this.#ids, new Int32Array(room * chunkSize));
    this.#counts = grow(this.#counts, new Int32Array(room));
    this.#sorted = grow(this.#sorted, new Int32Array(room));
    this.#unordered = grow(this.#unordered, new Uint8Array(room));
    this.#sizes = grow(this.#sizes, new Int32Array(room));
    this.#previous = grow(this.#previous, new Int32Array(room));
    this.#next = grow(this.#next, new Int32Array(room));
    this.#order = grow(this.#order, new Int32Array(room));
    this.#fences = grow(this.#fences, new Float64Array(2 * room).fill(Number.POSITIVE_INFINITY));
    for (let chunk = room - 1; chunk >= old; chunk--) this.#freeChunks.push(chunk);
    this.#guideAnew();
  }
}
