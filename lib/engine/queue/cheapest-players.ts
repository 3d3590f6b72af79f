import type { Layout } from '../shapes/layout.ts';
import { countedClassesMax, SeatCounts } from '../shapes/seat-counts.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import { mixesOf } from '../shapes/size-mixes.ts';
import type { QueuedTicket } from './line.ts';
import { NearTickets } from './near-tickets.ts';

/** The players of least cost around a centre. */
export interface CheapSet {
  readonly centre: number;
  /** The sum of their squared distances; ∞ if there is no game. */
  readonly cost: number;
  readonly members: readonly QueuedTicket[];
  /** How many of the tickets that were inserted cannot make it cheaper. */
  seen: number;
}

/**
 * The least sum of squared distances from a centre that a full game can have, by two relaxations: whole parties of a party
 * mix, whichever player takes which seat; and players in seats, whatever their parties, which is a matroid, so the greedy set is the
 * cheapest. Large games have too many mixes: whole parties then fill the seats, whatever their teams.
 */
export class CheapestPlayers {
  /** By party size; empty where the sizes do not matter. */
  readonly bySize: readonly NearTickets[];
  readonly mixes: readonly Uint8Array[];
  /** By set of classes of seats; empty where every player can take every seat. */
  readonly byMask: NearTickets[] = [];
  /** The players of the greedy set at the last centre, as their tickets. */
  basis: QueuedTicket[] = [];
  /** By party size, or by set of classes of seats for players: a number from 1 for the tickets that are alike. */
  readonly #kinds = new Map<number | string, number>();

  readonly #masks: number[] = [];
  readonly #seats: SeatCounts | undefined;
  /** The seats of each class; empty where they are not counted. */
  readonly #classes: readonly number[] = [];
  readonly #n: number;
  /** The next ticket of each set of classes, while the greedy set is chosen. */
  readonly #next: number[] = [];
  /** The tickets that have been inserted. */
  readonly #inserted: QueuedTicket[] = [];

  /**
   * @param tickets in order of mean skill, then ticketId
   * @param isLarge whether games may be of any size, start short and divide parties; no ticket is inserted then
   */
  constructor(tickets: readonly QueuedTicket[], layout: Layout, isLarge = false) {
    const { classes, seats, seatsMin, partyMax } = layout;
    this.#n = seatsMin;
    const sizeMax = tickets.reduce((most, { ticket }) => Math.max(most, ticket.size), 1);
    this.mixes = !isLarge && (sizeMax > 1 || !classes) ? mixesOf(layout, seats) : [];
    const isWhole = isLarge ? seatsMin === seats : this.mixes.length > 0;
    this.bySize = !isWhole
      ? []
      : Array.from({ length: 1 + (isLarge ? sizeMax : partyMax) }, (_, size) => {
          const ofMixes = this.mixes.reduce((count, mix) => Math.max(count, mix[size] ?? 0), 0);
          const most = isLarge && size > 0 ? Math.floor(seats / size) : ofMixes;
          const ofSize = tickets.filter(({ ticket }) => ticket.size === size);
          const more = layout.kinds.some((kind) => kind.size === size) ? spareTeams : spare;
          return new NearTickets(ofSize, size, most, more);
        });
    const areCounted = classes !== undefined && classes.length <= countedClassesMax && seatsMin === seats;
    // Where seats cannot be counted, or some stay empty, a player of a large game may take any.
    if (!areCounted && (!isLarge || isWhole)) return;
    this.#classes = areCounted ? classes.map((one) => one.seats) : [seatsMin];
    this.#seats = new SeatCounts(this.#classes);
    const byMask = new Map<number, QueuedTicket[]>();
    for (const queued of tickets) {
      for (const mask of areCounted ? queued.ticket.classes! : new Int32Array(queued.ticket.size).fill(1)) {
        const list = byMask.get(mask);
        if (list) list.push(queued);
        else byMask.set(mask, [queued]);
      }
    }
    for (const [mask, list] of byMask) this.#addMask(mask, list);
  }

  /** Whether there are too many classes of seats to count, so that every set costs 0. */
  get isBlind(): boolean {
    return this.bySize.length === 0 && !this.#seats;
  }

  #addMask(mask: number, tickets: QueuedTicket[]): void {
    this.#masks.push(mask);
    const most = this.#classes.reduce((sum, seats, c) => sum + ((mask >> c) & 1) * seats, 0);
    this.byMask.push(new NearTickets(tickets, 1, most, this.#n + spare - most));
    this.#next.push(0);
  }

  /** Adds a ticket of a size that has been possible from the start. */
  insert(queued: QueuedTicket): void {
    const { size, classes } = queued.ticket;
    this.#inserted.push(queued);
    this.bySize[size]?.insert(queued);
    if (!this.#seats) return;
    for (const mask of classes!) {
      const at = this.#masks.indexOf(mask);
      if (at === -1) this.#addMask(mask, [queued]);
      else this.byMask[at].insert(queued);
    }
  }

  /** Whether a ticket that has come costs less than a set, so that another one may be the cheapest. */
  isUndercut(set: CheapSet): boolean {
    const { centre, cost } = set;
    const inserted = this.#inserted;
    for (; set.seen < inserted.length; set.seen++) {
      const { mean, spread, size } = inserted[set.seen].ticket;
      if (spread + size * (mean - centre) * (mean - centre) < cost) return true;
    }
    return false;
  }

  /** The number of the tickets that are like this one in size and seats. */
  kindOf({ size, classes }: ShapeTicket): number {
    const key = !classes || this.byMask.length === 0 ? size : size === 1 ? ~classes[0] : classes.join();
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = this.#kinds.size + 1;
      this.#kinds.set(key, kind);
    }
    return kind;
  }

  /**
   * The players of least cost around a centre for a full game, without those of a ticket that is to be in it.
   *
   * @param hasSpare whether `bySize` and `byMask` should have more than these afterwards
   */
  around(centre: number, ticket: ShapeTicket | undefined, hasSpare = false): CheapSet {
    for (const near of this.bySize) near.look(centre, hasSpare);
    for (const near of this.byMask) near.look(centre, hasSpare);
    const { length } = this.mixes;
    const least =
      length > 0
        ? this.#leastOfMixes(ticket?.size ?? 0)
        : this.bySize.length > 0
          ? this.#leastOfSizes()
          : nothing;
    const isSeated = this.#seats !== undefined && least.cost < Number.POSITIVE_INFINITY;
    const bySeats = isSeated ? this.#leastOfSeats(ticket, this.#seats) : nothing;
    const { cost, members } = bySeats.cost >= least.cost ? bySeats : least;
    return { centre, cost, members, seen: this.#inserted.length };
  }

  /** The cost of the cheapest tickets of a party mix at the last centre, less one of this size. */
  costOf(mix: Uint8Array, without = 0): number {
    let cost = 0;
    for (let size = 1; size < mix.length; size++) {
      const parties = size === without ? mix[size] - 1 : mix[size];
      if (parties === 0) continue;
      const { count, sums } = this.bySize[size];
      if (parties < 0 || parties > count) return Number.POSITIVE_INFINITY;
      cost += sums[parties];
    }
    return cost;
  }

  #leastOfMixes(without: number): Cheapest {
    let cost = Number.POSITIVE_INFINITY;
    let best: Uint8Array | undefined;
    for (const mix of this.mixes) {
      const each = this.costOf(mix, without);
      if (each >= cost) continue;
      cost = each;
      best = mix;
    }
    const members: QueuedTicket[] = [];
    best?.forEach((parties, size) => {
      const { tickets, ids } = this.bySize[size];
      for (let i = size === without ? 1 : 0; i < parties; i++)
        members.push(tickets[ids[size === without ? i - 1 : i]]);
    });
    return { cost, members };
  }

  /** The whole parties that fill the seats at the least cost, by dynamic programming over their sizes. */
  #leastOfSizes(): Cheapest {
    const n = this.#n;
    let costs = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY, 1);
    const taken: Int32Array[] = [];
    for (let size = 1; size < this.bySize.length; size++) {
      const { count, sums } = this.bySize[size];
      const next = costs.slice();
      taken[size] = new Int32Array(n + 1);
      for (let parties = 1; parties <= count && parties * size <= n; parties++) {
        for (let players = parties * size; players <= n; players++) {
          const cost = costs[players - parties * size] + sums[parties];
          if (cost >= next[players]) continue;
          next[players] = cost;
          taken[size][players] = parties;
        }
      }
      costs = next;
    }
    const members: QueuedTicket[] = [];
    const cost = costs[n];
    if (cost === Number.POSITIVE_INFINITY) return { cost, members };
    for (let size = this.bySize.length - 1, players = n; size > 0; size--) {
      const { tickets, ids } = this.bySize[size];
      const parties = taken[size][players];
      for (let i = 0; i < parties; i++) members.push(tickets[ids[i]]);
      players -= parties * size;
    }
    return { cost, members };
  }

  /** Repeatedly takes the cheapest player that can get a seat. */
  #leastOfSeats(ticket: ShapeTicket | undefined, seats: SeatCounts): Cheapest {
    const { byMask } = this;
    const next = this.#next.fill(0);
    seats.clear();
    this.basis = [];
    const none = { cost: Number.POSITIVE_INFINITY, members: [] };
    if (ticket && !seats.join(ticket.classes!)) return none;
    let cost = 0;
    for (let left = this.#n - (ticket?.size ?? 0); left > 0; left--) {
      let best = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let s = 0; s < byMask.length; s++) {
        const { costs, count } = byMask[s];
        if (next[s] >= count || costs[next[s]] >= least || (this.#masks[s] & ~seats.full) === 0) continue;
        least = costs[next[s]];
        best = s;
      }
      if (best === -1) return none;
      const { tickets, ids } = byMask[best];
      this.basis.push(tickets[ids[next[best]++]]);
      seats.joinOne(this.#masks[best]);
      cost += least;
    }
    return { cost, members: this.basis };
  }
}

type Cheapest = Pick<CheapSet, 'cost' | 'members'>;

const nothing: Cheapest = { cost: 0, members: [] };

/** How many more tickets are looked for than one game needs, for the games around the centre. */
const spare = 8;
/** The same of parties that are a team of their own: few of them have the sum of skills that the other teams can have. */
const spareTeams = 32;
