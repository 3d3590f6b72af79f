import type { RoleTable } from './roles.ts';

/**
 * Which players have a seat in a game so far, and whether one more player finds one: the independence test of the roles'
 * matroid, a player at a time. By Hall's theorem players can be seated if and only if, for every role set A, no more of
 * them than A has seats are *confined* to A, that is, accept nothing outside it.
 *
 * A set with as many as it has seats is *full*. Full sets are closed under union, because the counts of confined
 * players are supermodular; so a player is refused exactly when all that it accepts lies in the union of the full sets.
 *
 * Without roles every player finds a seat.
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

  /** Whether each of these players, who accept the roles of a mask each, would find a seat if the others did not come. */
  hasSeat(masks: Uint8Array): boolean {
    for (let i = 0; i < masks.length; i++) if ((masks[i] & ~this.full) === 0) return false;
    return true;
  }

  /** Counts a player in; whether all can still be seated. */
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
