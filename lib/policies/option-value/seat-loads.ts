import type { CandidatesWithin } from '../policy.ts';

/**
 * The load of each waiting ticket's seats: how many of its neighbours compete for a seat that it could take, in units of a balanced
 * queue. Seats of one role in the teams of one kind are a class. Above 1, more neighbours wait for these seats than games have
 * of them, so some of them must wait for others to arrive. Below 1, the ticket is one of the few that complete games.
 *
 * The neighbours are the nearest players, itself included, as many as a game has seats. They are given seats, those who
 * accept the fewest classes first, each of the one with the fewest players per seat. A player's load is the least among
 * the classes it accepts; a party's load is the mean of its players'.
 *
 * In a game, all seats are filled in proportion. So for players of one class each, loads that are the same for all of them
 * add up to as much as without classes. They change the order of games and the moment of their release in three
 * ways: players who accept several classes fill the seats that few others can take, players of a scarce class go where they
 * complete a game of others who wait for them, and a game waits less for better players when others of the same class
 * are left over anyway.
 *
 * Cost: tickets × seats × classes.
 *
 * @param skills the mean skills of the tickets, ascending
 * @param seats of each class in a game
 * @param masksAt the classes that each player of the ticket at a place accepts
 */
export function seatLoads(
  skills: Float64Array,
  seats: readonly number[],
  masksAt: CandidatesWithin['masksAt'],
): Float64Array {
  const count = skills.length;
  const loads = new Float64Array(count);
  const players = new ClassesOfPlayers(seats, count, masksAt);
  let enough = 0;
  for (const each of seats) enough += each;
  for (let at = 0; at < count; at++) {
    let low = at;
    let high = at;
    while (players.count(low, high) < enough && high - low + 1 < count) {
      const toLow = low > 0 ? skills[at] - skills[low - 1] : Number.POSITIVE_INFINITY;
      const toHigh = high + 1 < count ? skills[high + 1] - skills[at] : Number.POSITIVE_INFINITY;
      if (toLow <= toHigh) low--;
      else high++;
    }
    loads[at] = players.load(at, low, high);
  }
  return loads;
}

/** The players of some tickets, to be given seats as evenly as possible. */
class ClassesOfPlayers {
  readonly #seats: readonly number[];
  readonly #seatsInGame: number;
  /** By ticket: its first player. */
  readonly #first: Int32Array;
  /** By player: the classes it accepts, and their number. */
  readonly #masks: Int32Array;
  readonly #accepted: Uint8Array;
  /** By class: the players per seat who were given it. */
  readonly #filled: Float64Array;
  /** The players that `#filled` counts. */
  #from = 0;
  #to = 0;

  constructor(seats: readonly number[], count: number, masksAt: CandidatesWithin['masksAt']) {
    this.#seats = seats;
    this.#seatsInGame = seats.reduce((sum, each) => sum + each, 0);
    this.#filled = new Float64Array(seats.length);
    this.#first = new Int32Array(count + 1);
    for (let at = 0; at < count; at++) this.#first[at + 1] = this.#first[at] + masksAt(at).length;
    this.#masks = new Int32Array(this.#first[count]);
    for (let at = 0, i = 0; at < count; at++) {
      const masks = masksAt(at);
      for (let p = 0; p < masks.length; p++) this.#masks[i++] = masks[p];
    }
    this.#accepted = Uint8Array.from(this.#masks, bitCount);
  }

  /** The players of the tickets from `low` to `high`. */
  count(low: number, high: number): number {
    return this.#first[high + 1] - this.#first[low];
  }

  /** The load of a ticket's seats among the tickets from `low` to `high`. Players who accept no seat have 1. */
  load(at: number, low: number, high: number): number {
    this.#giveSeats(this.#first[low], this.#first[high + 1]);
    const even = this.count(low, high) / this.#seatsInGame;
    let sum = 0;
    for (let i = this.#first[at]; i < this.#first[at + 1]; i++) {
      const best = this.#leastFilled(this.#masks[i]);
      sum += best < 0 ? 1 : this.#filled[best] / even;
    }
    return sum / this.count(at, at);
  }

  #giveSeats(from: number, to: number): void {
    if (from === this.#from && to === this.#to) return;
    this.#from = from;
    this.#to = to;
    const masks = this.#masks;
    const filled = this.#filled.fill(0);
    for (let accepted = 1; accepted <= filled.length; accepted++) {
      for (let i = from; i < to; i++) {
        if (this.#accepted[i] !== accepted) continue;
        const best = this.#leastFilled(masks[i]);
        if (best >= 0) filled[best] += 1 / this.#seats[best];
      }
    }
  }

  /** Of these classes the one with the fewest players per seat; −1 when there are none. */
  #leastFilled(mask: number): number {
    const filled = this.#filled;
    let least = -1;
    for (let one = 0; one < filled.length; one++) {
      if ((mask & (1 << one)) !== 0 && (least < 0 || filled[one] < filled[least])) least = one;
    }
    return least;
  }
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest &= rest - 1) count++;
  return count;
}
