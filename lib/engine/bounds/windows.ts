import type { GameShape } from '../model/game-shape.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';

/**
 * Counts the players of a window of tickets by the role sets that they could fill. The window is full when a
 * game could be formed of it, ignoring parties: it has as many players as a game has seats and, by Hall's
 * theorem, for every role set B as many players who accept a role of B as B has seats in a game.
 */
export class WindowCounter {
  readonly #needed: Uint8Array;
  readonly #counts: Int32Array;
  /** The role sets for which a player of each mask counts; set 0 counts all players. */
  readonly #setsOf: Uint8Array[];
  #short: number;

  constructor(shape: GameShape, roles: RoleTable | undefined) {
    const sets = roles ? roles.all + 1 : 1;
    this.#needed = Uint8Array.from({ length: sets }, (_, set) =>
      set === 0 ? shape.seats : roles!.gameSeatsOf[set],
    );
    this.#counts = new Int32Array(sets);
    this.#short = sets;
    this.#setsOf = Array.from({ length: sets }, (_, mask) =>
      Uint8Array.from(
        Array.from({ length: sets }, (_, set) => set).filter((set) => set === 0 || (set & mask) !== 0),
      ),
    );
  }

  /** Whether the window has enough players for every role set. */
  get isFull(): boolean {
    return this.#short === 0;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#short = this.#counts.length;
  }

  add(pooled: PooledTicket): void {
    for (let i = 0; i < pooled.size; i++) {
      for (const set of this.#setsOf[pooled.masks.length > 0 ? pooled.masks[i] : 0]) {
        if (++this.#counts[set] === this.#needed[set]) this.#short--;
      }
    }
  }

  remove(pooled: PooledTicket): void {
    for (let i = 0; i < pooled.size; i++) {
      for (const set of this.#setsOf[pooled.masks.length > 0 ? pooled.masks[i] : 0]) {
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
  sorted: readonly { readonly pooled: PooledTicket }[],
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
