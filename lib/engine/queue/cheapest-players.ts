import type { Layout } from '../shapes/layout.ts';
import { countedClassesMax, SeatCounts } from '../shapes/seat-counts.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import { mixesOf } from '../shapes/size-mixes.ts';
import type { QueuedTicket } from './line.ts';
import { NearTickets } from './near-tickets.ts';

/** The players of least cost around a centre. */
export interface CheapSet {
  /** The sum of their squared distances; ∞ if there is no game. */
  readonly cost: number;
  /** As long as all of these wait, no set has become cheaper or dearer. */
  readonly members: readonly QueuedTicket[];
}

/**
 * The least sum of squared distances from a centre that a full game can have, by two relaxations: whole parties of a party
 * mix, whoever takes which seat; and players in seats, whatever their parties, which is a matroid, so the greedy set is the
 * cheapest.
 */
export class CheapestPlayers {
  /** By party size; empty where the sizes do not matter. */
  readonly bySize: readonly NearTickets[];
  readonly mixes: readonly Uint8Array[];
  /** By set of classes of seats; empty where every player can take every seat. */
  readonly byMask: readonly NearTickets[];
  /** The players of the greedy set at the last centre, as their tickets. */
  basis: QueuedTicket[] = [];
  /** By party size, or by set of classes of seats for players: a number from 1 for the tickets that are alike. */
  readonly #kinds = new Map<number | string, number>();

  readonly #masks: number[] = [];
  readonly #seats: SeatCounts | undefined;
  readonly #n: number;
  /** The next ticket of each set of classes, while the greedy set is chosen. */
  readonly #next: Int32Array;

  /** @param tickets in order of mean skill */
  constructor(tickets: readonly QueuedTicket[], layout: Layout) {
    const { classes, seats, partyMax } = layout;
    this.#n = seats;
    const hasParties = tickets.some(({ ticket }) => ticket.size > 1);
    this.mixes = hasParties || !classes ? mixesOf(layout, seats) : [];
    this.bySize =
      this.mixes.length === 0
        ? []
        : Array.from({ length: partyMax + 1 }, (_, size) => {
            const most = this.mixes.reduce((count, mix) => Math.max(count, mix[size] ?? 0), 0);
            const ofSize = tickets.filter(({ ticket }) => ticket.size === size);
            const more = layout.kinds.some((kind) => kind.size === size) ? spareTeams : spare;
            return new NearTickets(ofSize, size, most === 0 ? 0 : most + more);
          });
    const byMask = new Map<number, QueuedTicket[]>();
    if (classes && classes.length <= countedClassesMax) {
      this.#seats = new SeatCounts(classes.map((one) => one.seats));
      for (const queued of tickets) {
        for (const mask of queued.ticket.classes!) {
          const list = byMask.get(mask);
          if (list) list.push(queued);
          else byMask.set(mask, [queued]);
        }
      }
    }
    this.#masks = [...byMask.keys()];
    this.byMask = Array.from(byMask.values(), (list) => new NearTickets(list, 1, seats + spare));
    this.#next = new Int32Array(this.byMask.length);
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

  /** The players of least cost around a centre for a full game, without those of a ticket that is to be in it. */
  around(centre: number, ticket: ShapeTicket | undefined): CheapSet {
    let least = this.mixes.length > 0 ? this.#leastOfMixes(centre, ticket?.size ?? 0) : nothing;
    if (!this.#seats || least.cost === Number.POSITIVE_INFINITY) return least;
    const bySeats = this.#leastOfSeats(centre, ticket, this.#seats);
    if (bySeats.cost >= least.cost) least = bySeats;
    return least;
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

  #leastOfMixes(centre: number, without: number): CheapSet {
    for (const near of this.bySize) near.look(centre);
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
      const { tickets, places } = this.bySize[size];
      for (let i = size === without ? 1 : 0; i < parties; i++)
        members.push(tickets[places[size === without ? i - 1 : i]]);
    });
    return { cost, members };
  }

  /** The cheapest player whom a seat can be given, again and again. */
  #leastOfSeats(centre: number, ticket: ShapeTicket | undefined, seats: SeatCounts): CheapSet {
    const { byMask } = this;
    const next = this.#next.fill(0);
    seats.clear();
    this.basis = [];
    const none = { cost: Number.POSITIVE_INFINITY, members: [] };
    if (ticket && !seats.join(ticket.classes!)) return none;
    for (const near of byMask) near.look(centre);
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
      const { tickets, places } = byMask[best];
      this.basis.push(tickets[places[next[best]++]]);
      seats.joinOne(this.#masks[best]);
      cost += least;
    }
    return { cost, members: this.basis };
  }
}

const nothing: CheapSet = { cost: 0, members: [] };

/** How many more tickets are looked for than one game needs, for the games around the centre. */
const spare = 8;
/** The same of parties that are a team of their own: few of them have the sum of skills that the other teams can have. */
const spareTeams = 32;
