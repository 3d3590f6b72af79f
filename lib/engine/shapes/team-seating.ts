import { seatsOfSets } from '../bounds/windows.ts';

/**
 * Tests for many teams of the same game whether they can be seated. By Hall's theorem a team can be if and only if for every
 * role set the number of players *confined* to it (who accept no role outside) is at most the number of its seats.
 *
 * These numbers are packed, four bits for each role set, and added up for the subsets of both halves of the tickets. So a
 * test costs one addition and one subtraction for every eight role sets.
 */
export class TeamSeating {
  readonly #all: number;
  readonly #shift: number;
  readonly #words: number;
  /** By word: 8 + the seats of each of its role sets, and the eights alone. */
  readonly #needed: Int32Array;
  readonly #eights: Int32Array;
  /** By role mask and word: 1 for every role set that a player with this mask is confined to. */
  readonly #confined: Int32Array;
  /** By word and subset of the lower half of the tickets, and of the upper half: the sums of their players. */
  readonly #lower: Int32Array;
  readonly #upper: Int32Array;
  #half = 0;

  /**
   * @param seats of each role in a team
   * @param shift the place of the first role in the masks; bits of other roles do not count. @default 0
   */
  constructor(seats: readonly number[], shift = 0) {
    const seatsOf = seatsOfSets(seats);
    const limited: number[] = [];
    this.#all = seatsOf.length - 1;
    this.#shift = shift;
    // A set with as many seats as the team has players needs no test, so that all others have at most 7.
    for (let set = 0; set < this.#all; set++) if (seatsOf[set] < seatsOf[this.#all]) limited.push(set);
    this.#words = Math.ceil(limited.length / setsPerWord);
    this.#needed = new Int32Array(this.#words);
    this.#eights = new Int32Array(this.#words);
    this.#confined = new Int32Array(seatsOf.length * this.#words);
    limited.forEach((set, i) => {
      const word = Math.floor(i / setsPerWord);
      const shift = bitsPerSet * (i % setsPerWord);
      this.#needed[word] += (guard + seatsOf[set]) << shift;
      this.#eights[word] |= guard << shift;
      for (let mask = 0; mask <= this.#all; mask++)
        if ((mask & ~set) === 0) this.#confined[mask * this.#words + word] |= 1 << shift;
    });
    this.#lower = new Int32Array(this.#words * subsetsMax);
    this.#upper = new Int32Array(this.#words * subsetsMax);
  }

  /** Prepares for teams of these tickets, given the masks of the players of each. */
  prepare<T>(members: readonly T[], masksOf: (member: T) => ArrayLike<number>): void {
    this.#half = members.length >> 1;
    for (let word = 0; word < this.#words; word++) {
      this.#add(this.#lower, word, members, 0, this.#half, masksOf);
      this.#add(this.#upper, word, members, this.#half, members.length, masksOf);
    }
  }

  /** Whether the tickets whose bits are set can be seated in one team. */
  canSeat(team: number): boolean {
    const lower = team & (2 ** this.#half - 1);
    const upper = team >> this.#half;
    for (let word = 0, from = 0; word < this.#words; word++, from += subsetsMax) {
      const confined = this.#lower[from + lower] + this.#upper[from + upper];
      const eights = this.#eights[word];
      if (((this.#needed[word] - confined) & eights) !== eights) return false;
    }
    return true;
  }

  #add<T>(
    sums: Int32Array,
    word: number,
    members: readonly T[],
    from: number,
    to: number,
    masksOf: (member: T) => ArrayLike<number>,
  ): void {
    const start = word * subsetsMax;
    sums[start] = 0;
    for (let i = from, size = 1; i < to; i++, size *= 2) {
      let added = 0;
      const masks = masksOf(members[i]);
      for (let player = 0; player < masks.length; player++)
        added += this.#confined[((masks[player] >> this.#shift) & this.#all) * this.#words + word];
      for (let set = start; set < start + size; set++) sums[set + size] = sums[set] + added;
    }
  }
}

const bitsPerSet = 4;
const setsPerWord = 32 / bitsPerSet;
/** Added to the seats of a set, so that the bit stays set exactly while no more players are confined to it. */
const guard = 8;
/** The subsets of half of 16 tickets. */
const subsetsMax = 256;
