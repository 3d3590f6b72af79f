import type { Item } from './expressions.ts';

/** An item with its position in a partition. */
export interface Entry {
  /** The sort key, then the key of the table: unique, and in the order in which a query reads. */
  readonly position: string;
  readonly item: Item;
  readonly bytes: number;
}

/** A block with more entries is split in two. */
const BLOCK_MAX = 512;

/** The entries of one partition in order, in blocks, so that a change is cheap among millions of entries too. */
export class SortedItems {
  readonly #blocks: Entry[][] = [[]];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Inserts an entry at its position, or replaces the entry there. */
  put(entry: Entry): void {
    const at = this.#blockOf(entry.position);
    const block = this.#blocks[at]!;
    const index = lowerBound(block, entry.position);
    if (block[index]?.position === entry.position) {
      block[index] = entry;
      return;
    }
    block.splice(index, 0, entry);
    this.#size++;
    if (block.length > BLOCK_MAX) this.#blocks.splice(at + 1, 0, block.splice(BLOCK_MAX / 2));
  }

  delete(position: string): void {
    const at = this.#blockOf(position);
    const block = this.#blocks[at]!;
    const index = lowerBound(block, position);
    if (block[index]?.position !== position) return;
    block.splice(index, 1);
    this.#size--;
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(at, 1);
  }

  /** The entries from a position on, in order; optionally without the position itself. */
  *after(position: string | undefined, isExclusive = false): Generator<Entry> {
    const from = position ?? '';
    const first = this.#blockOf(from);
    for (let at = first; at < this.#blocks.length; at++) {
      const block = this.#blocks[at]!;
      for (let i = at === first ? lowerBound(block, from) : 0; i < block.length; i++)
        if (!(isExclusive && block[i]!.position === position)) yield block[i]!;
    }
  }

  /** The entries before a position, the nearest first. */
  *before(position: string | undefined): Generator<Entry> {
    const last = position === undefined ? this.#blocks.length - 1 : this.#blockOf(position);
    for (let at = last; at >= 0; at--) {
      const block = this.#blocks[at]!;
      const end = at === last && position !== undefined ? lowerBound(block, position) : block.length;
      for (let i = end - 1; i >= 0; i--) yield block[i]!;
    }
  }

  /** The block that a position belongs to: the last that begins at or before it. */
  #blockOf(position: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#blocks[middle]![0]!.position <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lowerBound(block: readonly Entry[], position: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (block[middle]!.position < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
