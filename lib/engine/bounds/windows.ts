/** The players of a ticket: how many, and by player the classes of seats that it accepts; empty without classes. */
export interface WindowPlayers {
  readonly size: number;
  readonly masks: ArrayLike<number>;
}

/**
 * Counts the players of a window of tickets by the sets of classes of seats that they could fill. The window is full when a
 * game could be formed of it, ignoring parties: it has as many players as a game has seats and, by Hall's
 * theorem, for every set B of classes as many players who accept a class of B as B has seats in a game.
 */
export class WindowCounter {
  readonly #needed: Uint8Array;
  readonly #counts: Int32Array;
  /** The sets of classes for which a player of each mask counts; set 0 counts all players. */
  readonly #setsOf: Uint8Array[];
  #short: number;

  /** @param seatsOfSets by set of classes, how many seats it has in a game. @default no classes */
  constructor(seats: number, seatsOfSets: Uint8Array = new Uint8Array(1)) {
    const sets = seatsOfSets.length;
    this.#needed = seatsOfSets.slice();
    this.#needed[0] = seats;
    this.#counts = new Int32Array(sets);
    this.#short = sets;
    this.#setsOf = Array.from({ length: sets }, (_, mask) =>
      Uint8Array.from(
        Array.from({ length: sets }, (_, set) => set).filter((set) => set === 0 || (set & mask) !== 0),
      ),
    );
  }

  /** Whether the window has enough players for every set of classes. */
  get isFull(): boolean {
    return this.#short === 0;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#short = this.#counts.length;
  }

  add({ size, masks }: WindowPlayers): void {
    for (let i = 0; i < size; i++) {
      for (const set of this.#setsOf[masks.length > 0 ? masks[i] : 0]) {
        if (++this.#counts[set] === this.#needed[set]) this.#short--;
      }
    }
  }

  remove({ size, masks }: WindowPlayers): void {
    for (let i = 0; i < size; i++) {
      for (const set of this.#setsOf[masks.length > 0 ? masks[i] : 0]) {
        if (this.#counts[set]-- === this.#needed[set]) this.#short++;
      }
    }
  }
}

/**
 * For each ticket of a sorted list, the last place of the shortest full window that starts with it, or the
 * list's length if there is none. These are the shortest intervals with distinct representatives of Lemma 3, all at
 * once. Cost: linear, with two pointers.
 */
export function narrowestWindows(
  sorted: readonly { readonly pooled: WindowPlayers }[],
  counter: WindowCounter,
): Int32Array {
  const ends = new Int32Array(sorted.length);
  counter.clear();
  let end = -1;
  for (let start = 0; start < sorted.length; start++) {
    while (!counter.isFull && end + 1 < sorted.length) counter.add(sorted[++end].pooled);
    ends[start] = counter.isFull ? end : sorted.length;
    counter.remove(sorted[start].pooled);
  }
  return ends;
}

/** For every set of classes, by its bits, how many seats they have together. */
export function seatsOfSets(seats: readonly number[]): Uint8Array {
  const sums = new Uint8Array(2 ** seats.length);
  for (let set = 1; set < sums.length; set++)
    sums[set] = sums[set & (set - 1)] + seats[31 - Math.clz32(set & -set)];
  return sums;
}
