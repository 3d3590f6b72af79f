import type { RoleTable } from './roles.ts';

/**
 * Who has a place in a game so far, and whether one more player finds one: the independence test of the roles'
 * matroid, a player at a time. By Hall's theorem players can be seated if and only if, for every role set A, no more of
 * them than A has places are *confined* to A, that is, accept nothing outside it.
 *
 * A set with as many as it has places is *full*. Full sets are closed under union, because the counts of confined
 * players are supermodular; so a player is refused exactly when all that it accepts lies in the union of the full sets.
 *
 * Without roles every player finds a place.
 */
export class RoleSeating {
  /** The union of the full role sets. */
  full = 0;
  readonly #all: number;
  /** By role set: the places in a game, and how many players are confined to it. */
  readonly #places: Uint8Array;
  readonly #confined: Uint8Array;

  constructor(roles: RoleTable | undefined) {
    this.#all = roles ? roles.all : 0;
    this.#places = roles ? roles.placesOf.map((places) => 2 * places) : new Uint8Array(1);
    this.#confined = new Uint8Array(this.#places.length);
  }

  clear(): void {
    this.#confined.fill(0);
    this.full = 0;
  }

  copy(other: RoleSeating): void {
    this.#confined.set(other.#confined);
    this.full = other.full;
  }

  /** Whether each of these players, who accept the roles of a mask each, would find a place, were the others not to come. */
  hasPlace(masks: Uint8Array): boolean {
    for (let i = 0; i < masks.length; i++) if ((masks[i] & ~this.full) === 0) return false;
    return true;
  }

  /** Counts a player in; whether all can still be seated. */
  join(mask: number): boolean {
    const confined = this.#confined;
    const places = this.#places;
    const free = this.#all & ~mask;
    let fits = true;
    for (let extra = free; ; extra = (extra - 1) & free) {
      const set = mask | extra;
      const count = ++confined[set];
      if (count === places[set]) this.full |= set;
      else if (count > places[set]) fits = false;
      if (extra === 0) return fits;
    }
  }

  /** Counts the players of a party in; whether all can still be seated. */
  joinAll(masks: Uint8Array): boolean {
    let fits = true;
    for (let i = 0; i < masks.length; i++) fits = this.join(masks[i]) && fits;
    return fits;
  }

  /** Counts the party that joined last out again; `full` is what it was before. */
  leave(masks: Uint8Array, full: number): void {
    const confined = this.#confined;
    for (let i = 0; i < masks.length; i++) {
      const free = this.#all & ~masks[i];
      for (let extra = free; ; extra = (extra - 1) & free) {
        confined[masks[i] | extra]--;
        if (extra === 0) break;
      }
    }
    this.full = full;
  }
}
