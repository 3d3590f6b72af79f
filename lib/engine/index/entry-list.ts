import { SortedIds } from '../collections/sorted-ids.ts';
import type { Entry } from './entry.ts';

/**
 * The entries of a queue in order of mean skill, equal means in order of arrival. Each is linked to its neighbours, so
 * that a search can proceed outward from its anchor. Every entry gets an id, a small number that is unique while it is
 * in the list.
 *
 * Cost: insert as `SortedIds`; remove is constant until the first insert after the last `fill`, then as `SortedIds`.
 */
export class EntryList {
  size = 0;
  /** The number of parties of two or more. */
  parties = 0;
  /** The least and the greatest skill that was ever in the list. */
  low = Number.POSITIVE_INFINITY;
  high = 0;
  /** The entry of least mean skill. */
  first: Entry | undefined;
  #byId: Entry[] = [];
  #freeIds: number[] = [];
  /** Finds the place of a new entry; built at the first insert after `fill`. */
  #sorted: SortedIds | undefined;

  /** Replaces the list by these entries, in ascending order; the ids are their places. */
  fill(entries: readonly Entry[]): void {
    this.size = 0;
    this.parties = 0;
    this.first = entries[0];
    this.#byId = [...entries];
    this.#freeIds = [];
    this.#sorted = undefined;
    entries.forEach((entry, place) => {
      this.#countIn(entry);
      entry.id = place;
      entry.before = entries[place - 1];
      entry.after = entries[place + 1];
    });
  }

  insert(entry: Entry): void {
    this.#sorted ??= this.#sort();
    entry.id = this.#freeIds.pop() ?? this.#byId.length;
    this.#byId[entry.id] = entry;
    this.#countIn(entry);
    this.#sorted.insert(entry.pooled.mean, entry.id);
    const before = this.#sorted.before(this.#sorted.find(entry.id));
    entry.before = before === -1 ? undefined : this.#byId[this.#sorted.idAt(before)];
    entry.after = entry.before ? entry.before.after : this.first;
    if (entry.before) entry.before.after = entry;
    else this.first = entry;
    if (entry.after) entry.after.before = entry;
  }

  /** Removes an entry that is in the list. */
  remove(entry: Entry): void {
    this.#sorted?.remove(entry.id);
    this.size--;
    if (entry.pooled.size > 1) this.parties--;
    if (entry.before) entry.before.after = entry.after;
    else this.first = entry.after;
    if (entry.after) entry.after.before = entry.before;
    entry.before = undefined;
    entry.after = undefined;
    this.#freeIds.push(entry.id);
  }

  /** The entry that has, or last had, this id. */
  at(id: number): Entry {
    return this.#byId[id];
  }

  *[Symbol.iterator](): Generator<Entry, void> {
    for (let entry = this.first; entry; entry = entry.after) yield entry;
  }

  #countIn({ pooled }: Entry): void {
    this.size++;
    if (pooled.size > 1) this.parties++;
    this.low = Math.min(this.low, pooled.low);
    this.high = Math.max(this.high, pooled.high);
  }

  #sort(): SortedIds {
    const values = new Float64Array(this.size);
    const ids = new Int32Array(this.size);
    let place = 0;
    for (const { pooled, id } of this) {
      values[place] = pooled.mean;
      ids[place++] = id;
    }
    const sorted = new SortedIds();
    sorted.fill(values, ids);
    return sorted;
  }
}
