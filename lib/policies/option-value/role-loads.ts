import type { RoleTable } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';

/**
 * The load of each waiting ticket's roles: how many of its neighbours compete for a seat that it could take, in units of a balanced
 * queue. Above 1, more neighbours wait for these seats than games have of them, so some of them must wait for others to
 * arrive. Below 1, the ticket is one of the few that complete games.
 *
 * The neighbours are the nearest players, itself included, as many as a game has seats. They are given roles, those who
 * accept the fewest first, each the one with the fewest players per seat. A player's load is the least among
 * the roles it accepts; a party's load is the mean of its players'.
 *
 * In a game, all roles are filled in proportion. So for players of one role each, loads that are the same for all of them
 * add up to as much as without roles. They change the order of games and the moment of their release in three
 * ways: players who accept several roles fill the seats that few others can take, players of a scarce role go where they
 * complete a game of others who wait for them, and a game waits less for better players when others of the same role
 * are left over anyway.
 *
 * Cost: tickets × seats × roles.
 *
 * @param sorted ascending by mean skill
 * @param skills their mean skills
 * @param seats of a game
 */
export function roleLoads(
  sorted: readonly Ticket[],
  skills: Float64Array,
  table: RoleTable,
  seats: number,
): Float64Array {
  const loads = new Float64Array(sorted.length);
  const players = new RolesOfPlayers(table, sorted);
  for (let at = 0; at < sorted.length; at++) {
    let low = at;
    let high = at;
    while (players.count(low, high) < seats && high - low + 1 < sorted.length) {
      const toLow = low > 0 ? skills[at] - skills[low - 1] : Number.POSITIVE_INFINITY;
      const toHigh = high + 1 < skills.length ? skills[high + 1] - skills[at] : Number.POSITIVE_INFINITY;
      if (toLow <= toHigh) low--;
      else high++;
    }
    loads[at] = players.load(at, low, high);
  }
  return loads;
}

/** The players of some tickets, to be given roles as evenly as possible. */
class RolesOfPlayers {
  readonly #seats: readonly number[];
  readonly #seatsInTeam: number;
  /** By ticket: its first player. */
  readonly #first: Int32Array;
  /** By player: the roles it accepts, and their number. */
  readonly #masks: Uint16Array;
  readonly #accepted: Uint8Array;
  /** By role: the players per seat who were given it. */
  readonly #filled: Float64Array;
  /** The players whom `#filled` counts. */
  #from = 0;
  #to = 0;

  constructor(table: RoleTable, tickets: readonly Ticket[]) {
    this.#seats = table.seats;
    this.#seatsInTeam = table.seatsOf[table.all];
    this.#filled = new Float64Array(table.seats.length);
    this.#first = new Int32Array(tickets.length + 1);
    tickets.forEach(({ players }, at) => {
      this.#first[at + 1] = this.#first[at] + players.length;
    });
    this.#masks = new Uint16Array(this.#first[tickets.length]);
    let i = 0;
    for (const { players } of tickets) for (const player of players) this.#masks[i++] = table.maskOf(player);
    this.#accepted = Uint8Array.from(this.#masks, bitCount);
  }

  /** The players of the tickets from `low` to `high`. */
  count(low: number, high: number): number {
    return this.#first[high + 1] - this.#first[low];
  }

  /** The load of a ticket's roles among the tickets from `low` to `high`. Players who accept no role of the queue have 1. */
  load(at: number, low: number, high: number): number {
    this.#fill(this.#first[low], this.#first[high + 1]);
    const even = this.count(low, high) / this.#seatsInTeam;
    let sum = 0;
    for (let i = this.#first[at]; i < this.#first[at + 1]; i++) {
      const role = this.#leastFilled(this.#masks[i]);
      sum += role < 0 ? 1 : this.#filled[role] / even;
    }
    return sum / this.count(at, at);
  }

  #fill(from: number, to: number): void {
    if (from === this.#from && to === this.#to) return;
    this.#from = from;
    this.#to = to;
    const masks = this.#masks;
    const filled = this.#filled.fill(0);
    for (let accepted = 1; accepted <= filled.length; accepted++) {
      for (let i = from; i < to; i++) {
        if (this.#accepted[i] !== accepted) continue;
        const role = this.#leastFilled(masks[i]);
        filled[role] += 1 / this.#seats[role];
      }
    }
  }

  /** Of these roles the one with the fewest players per seat; −1 when there are none. */
  #leastFilled(mask: number): number {
    const filled = this.#filled;
    let least = -1;
    for (let role = 0; role < filled.length; role++) {
      if ((mask & (1 << role)) !== 0 && (least < 0 || filled[role] < filled[least])) least = role;
    }
    return least;
  }
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest &= rest - 1) count++;
  return count;
}
