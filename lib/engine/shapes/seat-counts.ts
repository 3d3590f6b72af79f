import type { Layout } from './layout.ts';
import { roomOfTeam, Seating } from './seating.ts';

/** Who can still be seated beside the players who have joined. `Seating` implements it for any number of classes. */
export interface SeatKeeper {
  /** The classes, as a bit set, that are full whatever seats the players take: who accepts only these is refused. */
  readonly full: number;
  clear(): void;
  /** Whether each of these players could be seated if the others were not added. */
  admits(masks: Int32Array): boolean;
  /** Seats one player; false if that is impossible. */
  joinOne(mask: number): boolean;
  /** Seats these players; false if not all can be seated, and then none is. */
  join(masks: Int32Array): boolean;
  /** Removes the players who joined last. */
  leave(players: number): void;
}

/** Empty seats: counted where there are few classes. */
function seatKeeper(room: readonly number[]): SeatKeeper {
  if (room.length <= countedClassesMax) return new SeatCounts(room);
  return new Seating(
    room,
    room.reduce((sum, seats) => sum + seats, 0),
  );
}

/** The empty seats of a game; undefined where every player can take every seat. */
export function gameSeats({ classes }: Layout): SeatKeeper | undefined {
  return classes && seatKeeper(classes.map(({ seats }) => seats));
}

/** The empty seats of a team of each kind; undefined where it has no roles. */
export function teamSeats(layout: Layout): (SeatKeeper | undefined)[] {
  return layout.kinds.map(({ roles }, kind) => roles && seatKeeper(roomOfTeam(layout, kind)));
}

/**
 * Seats by Hall's condition: players can be seated together exactly when every set of classes has at least as many seats as
 * there are players who accept no other class. It counts them for every set, so it serves up to `countedClassesMax` classes
 * of seats, and it is several times faster than `Seating`, which says who sits where.
 */
export class SeatCounts implements SeatKeeper {
  full = 0;
  readonly #all: number;
  /** By set of classes: its seats, and the players who accept no class outside it. */
  readonly #room: Uint8Array;
  readonly #confined: Uint8Array;
  /** The players in the order in which they joined, and `full` before each. */
  readonly #masks: Int32Array;
  readonly #fullBefore: Int32Array;
  #players = 0;

  /** @param room the seats of each class */
  constructor(room: readonly number[]) {
    this.#all = 2 ** room.length - 1;
    this.#room = new Uint8Array(this.#all + 1);
    for (let set = 1; set <= this.#all; set++)
      this.#room[set] = this.#room[set & (set - 1)] + room[31 - Math.clz32(set & -set)];
    this.#confined = new Uint8Array(this.#all + 1);
    const seats = this.#room[this.#all];
    this.#masks = new Int32Array(seats);
    this.#fullBefore = new Int32Array(seats);
    this.clear();
  }

  clear(): void {
    this.#confined.fill(0);
    this.#players = 0;
    this.full = 0;
    for (let set = 1; set <= this.#all; set++) if (this.#room[set] === 0) this.full |= set;
  }

  /** Takes over the counts of another one of the same classes. The players who joined it cannot leave. */
  copy(other: SeatCounts): void {
    this.#confined.set(other.#confined);
    this.#players = other.#players;
    this.full = other.full;
  }

  admits(masks: ArrayLike<number>): boolean {
    for (let i = 0; i < masks.length; i++) if ((masks[i] & ~this.full) === 0) return false;
    return true;
  }

  join(masks: ArrayLike<number>): boolean {
    for (let i = 0; i < masks.length; i++) {
      if (this.joinOne(masks[i])) continue;
      this.leave(i);
      return false;
    }
    return true;
  }

  /** Seats one player; false if that is impossible. */
  joinOne(mask: number): boolean {
    if ((mask & ~this.full) === 0) return false;
    this.#masks[this.#players] = mask;
    this.#fullBefore[this.#players++] = this.full;
    // Each set that contains the mask. None of them is full, or the mask would be within `full`.
    const others = this.#all & ~mask;
    for (let more = others; ; more = (more - 1) & others) {
      const set = mask | more;
      if (++this.#confined[set] === this.#room[set]) this.full |= set;
      if (more === 0) return true;
    }
  }

  leave(players: number): void {
    for (let i = 0; i < players; i++) {
      const mask = this.#masks[--this.#players];
      const others = this.#all & ~mask;
      for (let more = others; ; more = (more - 1) & others) {
        this.#confined[mask | more]--;
        if (more === 0) break;
      }
      this.full = this.#fullBefore[this.#players];
    }
  }
}

/** Above this many classes `Seating` is faster. */
export const countedClassesMax = 8;
