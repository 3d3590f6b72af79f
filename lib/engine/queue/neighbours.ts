import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import type { Constraints } from '../types.ts';
import { type Entry, isBefore } from './entries.ts';
import type { QueuedTicket } from './line.ts';

/** Which tickets may be in the games that are searched. */
export interface Wanted {
  /** Tickets nearer than this are all wanted. */
  readonly reach: number;
  /** Farther ones are wanted until these are as many players, with the entry's own. */
  readonly players: number;
  /** Only the games that are filed under the entry, or all games with its ticket. */
  readonly games: 'own' | 'all';
}

/** The tickets around an entry. */
export interface Neighbours {
  /** Ascending by mean skill. */
  readonly others: readonly QueuedTicket[];
  /** The distance of the nearest one that was omitted; ∞ if there is none. */
  readonly beyond: number;
  /** Whether they are enough for a game. */
  readonly areEnough: boolean;
}

/** How games are filed: the entry of a game is its first ticket in one of these orders. */
export interface Filing {
  /** With β: the one that has waited longest. */
  readonly byWait: boolean;
  /** Otherwise the first in order of skill or, where this is not 0, the first that can take one of these classes of seats. */
  readonly seats: number;
}

/** Whether some player of the ticket can take one of these classes of seats. */
export function accepts({ ticket }: QueuedTicket, seats: number): boolean {
  return ticket.classes!.some((mask) => (mask & seats) !== 0);
}

/** Gathers the tickets around an entry, the nearest in skill first. Constraints have been begun for the entry. */
export class Gatherer {
  /** The tickets looked at since construction, in nodes of a search. */
  work = 0;
  readonly #layout: Layout;
  readonly #filing: Filing;
  readonly #constraints: Constraints | undefined;
  readonly #clock: SearchClock;
  /** The batch that constraints have not filtered yet: ids, those below the entry as their complements, and numbers. */
  #count = 0;
  readonly #ids = new Int32Array(batchMax);
  readonly #numbers = new Int32Array(batchMax);
  readonly #kept = new Int32Array(batchMax);

  constructor(layout: Layout, filing: Filing, constraints: Constraints | undefined, clock: SearchClock) {
    this.#clock = clock;
    this.#layout = layout;
    this.#filing = filing;
    this.#constraints = constraints;
  }

  /**
   * @param isEnough asked once, when there are enough players: whether the search may go without farther tickets. Those
   *   gathered are then the nearest above the entry
   */
  gather(
    entry: Entry,
    { reach, players: enough, games }: Wanted,
    isEnough?: (above: readonly QueuedTicket[]) => boolean,
  ): Neighbours {
    const { queued, line, id } = entry;
    const { tickets, means, sizes, numbers, after, before } = line;
    const isOwn = games === 'own';
    const { byWait, seats } = this.#filing;
    const size = this.#layout.seats - queued.ticket.size;
    const above: QueuedTicket[] = [];
    const below: QueuedTicket[] = [];
    let players = queued.ticket.size;
    let asked = false;
    let beyond = Number.POSITIVE_INFINITY;
    let up = after[id];
    let down = isOwn && !byWait && seats === 0 ? -1 : before[id];
    let looked = 0;
    for (;;) {
      const toUp = up === -1 ? Number.POSITIVE_INFINITY : means[up] - means[id];
      const toDown = down === -1 ? Number.POSITIVE_INFINITY : means[id] - means[down];
      const isUp = toUp <= toDown;
      const distance = isUp ? toUp : toDown;
      if (distance === Number.POSITIVE_INFINITY) break;
      if (distance > reach) {
        if (this.#constraints) players += this.#admit(this.#constraints, tickets, above, below);
        if (players >= enough) {
          beyond = distance;
          break;
        }
      }
      const at = isUp ? up : down;
      if (isUp) up = after[up];
      else down = before[down];
      looked++;
      if (sizes[at] > size) continue;
      if (isOwn && byWait && !isBefore(queued, tickets[at])) continue;
      if (isOwn && seats !== 0 && !isUp && accepts(tickets[at], seats)) continue;
      if (this.#constraints) {
        this.#ids[this.#count] = isUp ? at : ~at;
        this.#numbers[this.#count++] = numbers[at];
        // As long as there are fewer than a game needs, a few at once.
        if (this.#count < (players < enough ? batchMin : batchMax)) continue;
        players += this.#admit(this.#constraints, tickets, above, below);
      } else {
        players += sizes[at];
        (isUp ? above : below).push(tickets[at]);
      }
      if (asked || !isEnough || players < enough) continue;
      asked = true;
      if (!isEnough(above)) continue;
      beyond = distance;
      break;
    }
    if (this.#constraints) players += this.#admit(this.#constraints, tickets, above, below);
    const work = 3 + (looked >> 3);
    this.work += work;
    this.#clock.isOver(work);
    const others = below.length === 0 ? above : [...below.reverse(), ...above];
    return { others, beyond, areEnough: players >= enough };
  }

  /** Moves the tickets of the batch that the constraints admit to the others. Returns their players. */
  #admit(
    constraints: Constraints,
    tickets: readonly QueuedTicket[],
    above: QueuedTicket[],
    below: QueuedTicket[],
  ): number {
    if (this.#count === 0) return 0;
    const kept = constraints.keep(this.#numbers, 0, this.#count, this.#kept);
    let players = 0;
    for (let k = 0; k < kept; k++) {
      const id = this.#ids[this.#kept[k]];
      const queued = tickets[id < 0 ? ~id : id];
      players += queued.ticket.size;
      (id < 0 ? below : above).push(queued);
    }
    this.#count = 0;
    return players;
  }
}

/** The tickets that constraints filter at once. */
const batchMin = 16;
const batchMax = 64;
