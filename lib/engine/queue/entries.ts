import { KeyHeap } from '../collections/key-heap.ts';
import type { CheapSet } from './cheapest-players.ts';
import type { FoundGame } from './game-search.ts';
import type { Line, QueuedTicket } from './line.ts';

/** A ticket in a line, with everything known about the games filed under it. */
export interface Entry {
  readonly queued: QueuedTicket;
  readonly line: Line;
  /** Its id in the line, and its number among all entries. */
  readonly id: number;
  readonly at: number;
  /** No game of it ever has an imbalance below this. */
  readonly floor: number;
  /** No game of it has an imbalance below this; ∞ if it has none. */
  key: number;
  /** The best of its games that is known. */
  game: FoundGame | undefined;
  /** Searches since its limit was small. */
  tries: number;
  /** Searches that were cut short, less those that were not. */
  cuts: number;
  /** The query up to which it is not searched again. */
  restsUntil: number;
  /** The query in which `near` was asked for, twice, and one more with a game. */
  askedAt: number;
  /** What decides the centre bound of its games, and whether a game of these was searched for; undefined before. */
  near: { readonly set: CheapSet; isSearched: boolean } | undefined;
}

/** The entries of a queue by their costs: key less credit. */
export class Entries {
  readonly #entries: Entry[] = [];
  /** By entry: its cost. Pairs on the heap with another cost are outdated. */
  readonly #costs: number[] = [];
  readonly #heap = new KeyHeap();

  get size(): number {
    return this.#entries.length;
  }

  add(queued: QueuedTicket, line: Line, id: number, floor: number): Entry {
    const at = this.#entries.length;
    const entry = {
      queued,
      line,
      id,
      at,
      floor,
      key: 0,
      game: undefined,
      tries: 0,
      cuts: 0,
      restsUntil: 0,
      askedAt: 0,
      near: undefined,
    };
    this.#entries.push(entry);
    this.#costs.push(Number.POSITIVE_INFINITY);
    return entry;
  }

  /** Sets the key of an entry, and tells its line `reachOf` it. With ∞ it is not searched again. */
  file(entry: Entry, key: number): void {
    this.#set(entry, key);
    if (key < Number.POSITIVE_INFINITY) this.#heap.push(this.#costs[entry.at], entry.at);
  }

  /** The same for the entry that `least` returned last, before anything else is filed or taken. */
  refile(entry: Entry, key: number): void {
    this.#set(entry, key);
    if (key < Number.POSITIVE_INFINITY) this.#heap.replaceTop(this.#costs[entry.at], entry.at);
    else this.#heap.pop();
  }

  /** The waiting entry of least cost, undefined if there is none. */
  least(): Entry | undefined {
    const heap = this.#heap;
    while (heap.size > 0) {
      const entry = this.#entries[heap.topId];
      if (entry.queued.isHere && this.#costs[heap.topId] === heap.topKey) return entry;
      heap.pop();
    }
    return undefined;
  }

  /** The cost of the entry that `least` returns, ∞ if there is none. */
  leastCost(): number {
    const entry = this.least();
    return entry ? this.#costs[entry.at] : Number.POSITIVE_INFINITY;
  }

  /** Takes the entry that `least` returned last off, until `putBack` or `file`. Returns its cost. */
  take(): number {
    const cost = this.#heap.topKey;
    this.#heap.pop();
    return cost;
  }

  putBack(entries: readonly Entry[]): void {
    for (const { at } of entries) this.#heap.push(this.#costs[at], at);
  }

  /** By its number: in a queue of one line that is its id. */
  get(at: number): Entry {
    return this.#entries[at];
  }

  #set(entry: Entry, key: number): void {
    entry.key = key;
    this.#costs[entry.at] = key - entry.queued.credit;
    entry.line.raise(entry.id, reachOf(entry));
  }
}

/** A new ticket whose games with an entry cost at least this changes nothing for it. Otherwise it may give it its first game. */
export function reachOf({ key, floor, cuts, game }: Entry): number {
  if (cuts > 0 && game === undefined) return Number.POSITIVE_INFINITY;
  return key > floor ? key : 0;
}

/**
 * Whether a game of the two belongs to the first with β: it has waited longer, or as long and comes first by ticketId.
 */
export function isBefore(a: QueuedTicket, b: QueuedTicket): boolean {
  return (
    b.credit < a.credit || (b.credit === a.credit && b.ticket.ticket.ticketId > a.ticket.ticket.ticketId)
  );
}
