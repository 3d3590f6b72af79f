/** A binary min-heap of (key, id) pairs; equal keys are ordered by id. The caller skips outdated pairs. */
export class KeyHeap {
  #keys = new Float64Array(64);
  #ids = new Int32Array(64);
  size = 0;

  get topKey(): number {
    return this.size === 0 ? Number.POSITIVE_INFINITY : this.#keys[0];
  }

  get topId(): number {
    return this.size === 0 ? -1 : this.#ids[0];
  }

  clear(): void {
    this.size = 0;
  }

  /** Drops the pairs whose key is no longer `current[id]`. Cost: linear. */
  compact(current: Float64Array): void {
    const keys = this.#keys;
    const ids = this.#ids;
    const size = this.size;
    this.size = 0;
    for (let i = 0; i < size; i++) if (keys[i] === current[ids[i]]) this.push(keys[i], ids[i]);
  }

  push(key: number, id: number): void {
    if (this.size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const ids = this.#ids;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] < key || (keys[parent] === key && ids[parent] <= id)) break;
      keys[at] = keys[parent];
      ids[at] = ids[parent];
      at = parent;
    }
    keys[at] = key;
    ids[at] = id;
  }

  pop(): void {
    const size = --this.size;
    if (size > 0) this.replaceTop(this.#keys[size], this.#ids[size]);
  }

  /** Pops the top and pushes a pair in one operation. */
  replaceTop(key: number, id: number): void {
    const keys = this.#keys;
    const ids = this.#ids;
    const size = this.size;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      const right = child + 1;
      if (
        right < size &&
        (keys[right] < keys[child] || (keys[right] === keys[child] && ids[right] < ids[child]))
      )
        child = right;
      if (key < keys[child] || (key === keys[child] && id <= ids[child])) break;
      keys[at] = keys[child];
      ids[at] = ids[child];
      at = child;
    }
    keys[at] = key;
    ids[at] = id;
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length);
    keys.set(this.#keys);
    this.#keys = keys;
    const ids = new Int32Array(2 * this.#ids.length);
    ids.set(this.#ids);
    this.#ids = ids;
  }
}
