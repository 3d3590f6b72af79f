import type { RoleTable } from './roles.ts';

/**
 * Tracks which players are seated in a game and tests whether one more can be: the independence test of the roles'
 * matroid, one player at a time. By Hall's theorem players can be seated if and only if, for every role set A, the number
 * of players *confined* to A (who accept no role outside A) is at most the number of its seats.
 *
 * A role set is *full* when as many players are confined to it as it has seats. Full sets are closed under union, because
 * the counts of confined players are supermodular. So a player is refused exactly when all roles it accepts lie in the
 * union of the full sets.
 *
 * Without roles every player can be seated.
 */
export class RoleSeating {
  /** The union of the full role sets. */
  full = 0;
  readonly #all: number;
  /** By role set: the seats in a game, and how many players are confined to it. */
  readonly #seats: Uint8Array;
  readonly #confined: Uint8Array;

  constructor(roles: RoleTable | undefined) {
    this.#all = roles ? roles.all : 0;
    this.#seats = roles ? roles.gameSeatsOf : new Uint8Array(1);
    this.#confined = new Uint8Array(this.#seats.length);
  }

  clear(): void {
    this.#confined.fill(0);
    this.full = 0;
  }

  copy(other: RoleSeating): void {
    this.#confined.set(other.#confined);
    this.full = other.full;
  }

  /** Whether each of these players, given by role masks, could be seated if the others were not added. */
  hasSeat(masks: Uint8Array): boolean {
    for (let i = 0; i < masks.length; i++) if ((masks[i] & ~this.full) === 0) return false;
    return true;
  }

  /** Adds a player. Returns whether all can still be seated. */
  join(mask: number): boolean {
    const confined = this.#confined;
    const seats = this.#seats;
    const free = this.#all & ~mask;
    let fits = true;
    for (let extra = free; ; extra = (extra - 1) & free) {
      const set = mask | extra;
      const count = ++confined[set];
      if (count === seats[set]) this.full |= set;
      else if (count > seats[set]) fits = false;
      if (extra === 0) return fits;
    }
  }

  /** Adds the players of a party. Returns whether all can still be seated. */
  joinAll(masks: Uint8Array): boolean {
    let fits = true;
    for (let i = 0; i < masks.length; i++) fits = this.join(masks[i]) && fits;
    return fits;
  }

  /** Removes the party that was added last; `full` is the value before it was added. */
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
