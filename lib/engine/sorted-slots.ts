const chunkSize = 256;

/**
 * Slots in ascending order of value, equal values by slot: a list of chunks of at most 256, which
 * answers where a new slot belongs. Insert and remove cost a binary search over the chunks and a move
 * within one, in practice as good as O(log n) at a million.
 */
export class SortedSlots {
  size = 0;
  /** Chunk c holds `#counts[c]` entries from c · 256 on. */
  #values = new Float64Array(chunkSize);
  #slots = new Int32Array(chunkSize);
  #counts = new Int32Array(1);
  /** The chunks in order, and the first value and slot of each. */
  #order = new Int32Array(1);
  #firstValues = new Float64Array(1);
  #firstSlots = new Int32Array(1);
  #chunks = 0;
  #freeChunks: number[] = [0];

  /** Where `#locate` ended: the chunk's place in the order, and the entry's in the chunk. */
  #position = 0;
  #index = 0;

  /** Fills an empty list with slots already in order, `values[i]` being the value of `slots[i]`. */
  fill(values: Float64Array, slots: Int32Array): void {
    const per = (3 * chunkSize) >> 2;
    const chunks = Math.max(1, Math.ceil(slots.length / per));
    this.#values = new Float64Array(chunks * chunkSize);
    this.#slots = new Int32Array(chunks * chunkSize);
    this.#counts = new Int32Array(chunks);
    this.#order = new Int32Array(chunks);
    this.#firstValues = new Float64Array(chunks);
    this.#firstSlots = new Int32Array(chunks);
    this.#freeChunks = [];
    for (let c = 0; c < chunks; c++) {
      const from = c * per;
      const to = Math.min(slots.length, from + per);
      this.#values.set(values.subarray(from, to), c * chunkSize);
      this.#slots.set(slots.subarray(from, to), c * chunkSize);
      this.#counts[c] = to - from;
      this.#order[c] = c;
      this.#firstValues[c] = values[from];
      this.#firstSlots[c] = slots[from];
    }
    this.#chunks = slots.length === 0 ? 0 : chunks;
    if (this.#chunks === 0) this.#freeChunks.push(0);
    this.size = slots.length;
  }

  /** Adds a slot and returns the one before it, −1 if it is the first. */
  insert(value: number, slot: number): number {
    this.size++;
    if (this.#chunks === 0) {
      this.#openChunk(0);
      this.#index = 0;
    } else {
      this.#locate(value, slot);
      if (this.#counts[this.#order[this.#position]] === chunkSize) {
        this.#halve(this.#position);
        this.#locate(value, slot);
      }
    }
    const chunk = this.#order[this.#position];
    const from = chunk * chunkSize + this.#index;
    const to = chunk * chunkSize + this.#counts[chunk];
    this.#values.copyWithin(from + 1, from, to);
    this.#slots.copyWithin(from + 1, from, to);
    this.#values[from] = value;
    this.#slots[from] = slot;
    this.#counts[chunk]++;
    if (this.#index === 0) {
      this.#firstValues[this.#position] = value;
      this.#firstSlots[this.#position] = slot;
    }
    if (this.#index > 0) return this.#slots[from - 1];
    if (this.#position === 0) return -1;
    const before = this.#order[this.#position - 1];
    return this.#slots[before * chunkSize + this.#counts[before] - 1];
  }

  /** Removes a slot that is in the list with this value. */
  remove(value: number, slot: number): void {
    this.#locate(value, slot);
    this.size--;
    const chunk = this.#order[this.#position];
    const at = chunk * chunkSize + this.#index;
    const end = chunk * chunkSize + this.#counts[chunk];
    this.#values.copyWithin(at, at + 1, end);
    this.#slots.copyWithin(at, at + 1, end);
    if (--this.#counts[chunk] === 0) this.#closeChunk(this.#position);
    else if (this.#index === 0) {
      this.#firstValues[this.#position] = this.#values[at];
      this.#firstSlots[this.#position] = this.#slots[at];
    }
  }

  /** Finds the first entry that is not before (value, slot); in its chunk, or at its chunk's end. */
  #locate(value: number, slot: number): void {
    let low = 0;
    let high = this.#chunks - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = this.#firstValues[middle];
      if (first < value || (first === value && this.#firstSlots[middle] <= slot)) low = middle;
      else high = middle - 1;
    }
    this.#position = low;
    const chunk = this.#order[low];
    const base = chunk * chunkSize;
    let from = base;
    let to = base + this.#counts[chunk];
    while (from < to) {
      const middle = (from + to) >> 1;
      const at = this.#values[middle];
      if (at < value || (at === value && this.#slots[middle] < slot)) from = middle + 1;
      else to = middle;
    }
    this.#index = from - base;
  }

  #halve(position: number): void {
    const full = this.#order[position];
    const fresh = this.#openChunk(position + 1);
    const half = chunkSize >> 1;
    const from = full * chunkSize + half;
    this.#values.copyWithin(fresh * chunkSize, from, from + half);
    this.#slots.copyWithin(fresh * chunkSize, from, from + half);
    this.#counts[full] = half;
    this.#counts[fresh] = half;
    this.#firstValues[position + 1] = this.#values[from];
    this.#firstSlots[position + 1] = this.#slots[from];
  }

  /** An empty chunk at this place of the order. */
  #openChunk(position: number): number {
    if (this.#freeChunks.length === 0) this.#grow();
    const chunk = this.#freeChunks.pop()!;
    this.#order.copyWithin(position + 1, position, this.#chunks);
    this.#firstValues.copyWithin(position + 1, position, this.#chunks);
    this.#firstSlots.copyWithin(position + 1, position, this.#chunks);
    this.#order[position] = chunk;
    this.#counts[chunk] = 0;
    this.#chunks++;
    this.#position = position;
    return chunk;
  }

  #closeChunk(position: number): void {
    this.#freeChunks.push(this.#order[position]);
    this.#order.copyWithin(position, position + 1, this.#chunks);
    this.#firstValues.copyWithin(position, position + 1, this.#chunks);
    this.#firstSlots.copyWithin(position, position + 1, this.#chunks);
    this.#chunks--;
  }

  #grow(): void {
    const old = this.#counts.length;
    const room = Math.ceil(1.5 * old) + 1;
    const grow = <T extends Float64Array | Int32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#values = grow(this.#values, new Float64Array(room * chunkSize));
    this.#slots = grow(this.#slots, new Int32Array(room * chunkSize));
    this.#counts = grow(this.#counts, new Int32Array(room));
    this.#order = grow(this.#order, new Int32Array(room));
    this.#firstValues = grow(this.#firstValues, new Float64Array(room));
    this.#firstSlots = grow(this.#firstSlots, new Int32Array(room));
    for (let chunk = room - 1; chunk >= old; chunk--) this.#freeChunks.push(chunk);
  }
}
