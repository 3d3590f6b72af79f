import type { Layout } from '../shapes/layout.ts';
import { countedClassesMax, SeatCounts } from '../shapes/seat-counts.ts';
import { mixesOf } from '../shapes/size-mixes.ts';
import type { QueuedTicket } from './line.ts';
import { NearTickets } from './near-tickets.ts';

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

  /** The least sum around a centre; ∞ if there is no game. */
  around(centre: number): number {
    const byMixes = this.mixes.length > 0 ? this.#leastOfMixes(centre) : 0;
    if (!this.#seats || byMixes === Number.POSITIVE_INFINITY) return byMixes;
    return Math.max(byMixes, this.#leastOfSeats(centre, this.#seats));
  }

  /** The cost of the cheapest tickets of a party mix at the last centre. */
  costOf(mix: Uint8Array): number {
    let cost = 0;
    for (let size = 1; size < mix.length; size++) {
      if (mix[size] === 0) continue;
      const { count, sums } = this.bySize[size];
      if (mix[size] > count) return Number.POSITIVE_INFINITY;
      cost += sums[mix[size]];
    }
    return cost;
  }

  #leastOfMixes(centre: number): number {
    for (const near of this.bySize) near.look(centre);
    let least = Number.POSITIVE_INFINITY;
    for (const mix of this.mixes) least = Math.min(least, this.costOf(mix));
    return least;
  }

  /** The cheapest player whom a seat can be given, again and again. */
  #leastOfSeats(centre: number, seats: SeatCounts): number {
    const { byMask } = this;
    const next = this.#next.fill(0);
    seats.clear();
    this.basis = [];
    for (const near of byMask) near.look(centre);
    let cost = 0;
    for (let chosen = 0; chosen < this.#n; chosen++) {
      let best = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let s = 0; s < byMask.length; s++) {
        const { costs, count } = byMask[s];
        if (next[s] >= count || costs[next[s]] >= least || (this.#masks[s] & ~seats.full) === 0) continue;
        least = costs[next[s]];
        best = s;
      }
      if (best === -1) return Number.POSITIVE_INFINITY;
      const { tickets, places } = byMask[best];
      this.basis.push(tickets[places[next[best]++]]);
      seats.joinOne(this.#masks[best]);
      cost += least;
    }
    return cost;
  }
}

/** How many more tickets are looked for than one game needs, for the games around the centre. */
const spare = 8;
/** The same of parties that are a team of their own: few of them have the sum of skills that the other teams can have. */
const spareTeams = 32;
