import type { Layout } from './layout.ts';

/** The seats of one team of a kind; undefined where it has no roles. */
export function seatingOfTeam({ classes, kinds }: Layout, kind: number): Seating | undefined {
  return kinds[kind].roles && new Seating(roomOfTeam({ classes }, kind), kinds[kind].size);
}

/** The seats of each class in one team of a kind with roles. */
export function roomOfTeam({ classes }: Pick<Layout, 'classes'>, kind: number): number[] {
  return classes!.map((one) => (one.kind === kind ? one.perTeam : 0));
}

/**
 * Players seated in classes of seats with limited room, and whether one more can be: a bipartite matching with
 * capacities, kept while players join and leave in reverse order. The players that can be seated together form a
 * transversal matroid, so the order in which they join does not matter.
 */
export class Seating {
  /** The classes, as a bit set, of which no seat can be freed. A player is refused exactly when it accepts only these. */
  full = 0;
  #room: ArrayLike<number>;
  readonly #taken: Int32Array;
  /** The masks of the players and the class in which each is seated. */
  readonly #masks: Int32Array;
  readonly #seatOf: Int32Array;
  #players = 0;

  /** @param room the seats of each class, at most 30 classes */
  constructor(room: ArrayLike<number>, playersMax: number) {
    this.#room = room;
    this.#taken = new Int32Array(room.length);
    this.#masks = new Int32Array(playersMax);
    this.#seatOf = new Int32Array(playersMax);
    this.#findFull();
  }

  /** Removes all players. */
  clear(room: ArrayLike<number> = this.#room): void {
    this.#room = room;
    this.#taken.fill(0);
    this.#players = 0;
    this.#findFull();
  }

  /** Whether each of these players could be seated if the others were not added. */
  admits(masks: Int32Array): boolean {
    for (let i = 0; i < masks.length; i++) if ((masks[i] & ~this.full) === 0) return false;
    return true;
  }

  /** Seats these players; false if not all can be seated, and then none is. */
  join(masks: Int32Array): boolean {
    for (let i = 0; i < masks.length; i++) {
      if (this.joinOne(masks[i])) continue;
      this.leave(i);
      return false;
    }
    return true;
  }

  /** Removes the players who joined last. */
  leave(players: number): void {
    for (let i = 0; i < players; i++) this.#taken[this.#seatOf[--this.#players]]--;
    if (players > 0) this.#findFull();
  }

  /** The class in which the player that joined at this place sits. */
  seatOf(player: number): number {
    return this.#seatOf[player];
  }

  /** Seats one player, moving others where that frees a seat; false if that is impossible. */
  joinOne(mask: number): boolean {
    const room = this.#room;
    const taken = this.#taken;
    if ((mask & ~this.full) === 0) return false;
    for (let c = 0; c < room.length; c++) {
      if (((mask >> c) & 1) === 0 || taken[c] >= room[c]) continue;
      this.#sit(mask, c, c);
      return true;
    }
    // Breadth first from the classes that the newcomer accepts to one with a free seat.
    const from = new Int32Array(room.length).fill(-1);
    const mover = new Int32Array(room.length).fill(-1);
    const queue: number[] = [];
    let seen = 0;
    for (let c = 0; c < room.length; c++) {
      if (((mask >> c) & 1) === 0) continue;
      seen |= 1 << c;
      queue.push(c);
    }
    for (let at = 0; at < queue.length; at++) {
      const c = queue[at];
      if (taken[c] < room[c]) {
        let free = c;
        while (from[free] !== -1) {
          this.#seatOf[mover[free]] = free;
          free = from[free];
        }
        this.#sit(mask, free, c);
        return true;
      }
      for (let player = 0; player < this.#players; player++) {
        if (this.#seatOf[player] !== c) continue;
        for (let next = this.#masks[player] & ~seen; next !== 0; next &= next - 1) {
          const to = 31 - Math.clz32(next & -next);
          seen |= 1 << to;
          from[to] = c;
          mover[to] = player;
          queue.push(to);
        }
      }
    }
    return false;
  }

  /** Seats the newcomer; its arrival took a free seat of `grown`. */
  #sit(mask: number, seat: number, grown: number): void {
    this.#masks[this.#players] = mask;
    this.#seatOf[this.#players++] = seat;
    if (++this.#taken[grown] === this.#room[grown]) this.#findFull();
  }

  /** Works backwards from the classes with a free seat to those from which one can be reached. */
  #findFull(): void {
    const room = this.#room;
    let open = 0;
    for (let c = 0; c < room.length; c++) if (this.#taken[c] < room[c]) open |= 1 << c;
    for (let grown = open !== 0; grown; ) {
      grown = false;
      for (let player = 0; player < this.#players; player++) {
        const seat = 1 << this.#seatOf[player];
        if ((open & seat) === 0 && (this.#masks[player] & open) !== 0) {
          open |= seat;
          grown = true;
        }
      }
    }
    this.full = (2 ** room.length - 1) & ~open;
  }
}
