import type { ShapeTicket } from './shape-ticket.ts';
import type { Near } from './ticket-lanes.ts';

/** How many parties of each size a game has: `mix[size]`. */
export type Mix = ArrayLike<number>;

/**
 * The cheapest whole parties that fill the seats of a game, where the cost of a party does not depend on the others: of each
 * size those of least cost, in the counts that fill the seats at the least cost.
 */
export class WholeParties {
  readonly #seats: number;
  /** By size: the tickets in order of cost. */
  readonly #tickets: ShapeTicket[][];
  /** By size: the least cost of j parties among the known tickets, and of j parties at all. */
  readonly #known: Float64Array[];
  readonly #any: Float64Array[];
  /** By players: the least cost of so many players, before and after the parties of one size, and how many of these. */
  #least: Float64Array;
  #next: Float64Array;
  readonly #taken: Int32Array[];

  /** @param sizeMax the players of the largest party */
  constructor(seats: number, sizeMax: number) {
    this.#seats = seats;
    const sizes = Array.from({ length: sizeMax + 1 }, (_, size) => size);
    const counts = (size: number) => (size === 0 ? 0 : Math.floor(seats / size)) + 1;
    this.#tickets = sizes.map(() => []);
    this.#known = sizes.map((size) => new Float64Array(counts(size)));
    this.#any = sizes.map((size) => new Float64Array(counts(size)));
    this.#least = new Float64Array(seats + 1);
    this.#next = new Float64Array(seats + 1);
    this.#taken = sizes.map(() => new Int32Array(seats + 1));
  }

  /**
   * @param near tickets in order of cost
   * @param reach the cost per player of every ticket that is not in `near` is at least this
   */
  least(near: readonly Near[], reach: number): WholeGame {
    this.#sort(near, reach);
    const inOrder = this.#inOrder(near, reach);
    if (inOrder) return inOrder;
    const bounding = this.#leastCounts(this.#any);
    if (!bounding)
      return { total: Number.POSITIVE_INFINITY, bound: Number.POSITIVE_INFINITY, mix: undefined };
    const bound = totalOf(bounding, this.#any);
    if (totalOf(bounding, this.#known) === bound) return { total: bound, bound, mix: bounding };
    const mix = this.#leastCounts(this.#known);
    return { total: mix ? totalOf(mix, this.#known) : Number.POSITIVE_INFINITY, bound, mix };
  }

  /** The cheapest tickets of a mix among those of the last call of `least`. */
  ticketsOf(mix: Mix): ShapeTicket[] {
    return this.#tickets.flatMap((tickets, size) => tickets.slice(0, mix[size]));
  }

  #sort(near: readonly Near[], reach: number): void {
    for (const tickets of this.#tickets) tickets.length = 0;
    for (let size = 1; size < this.#known.length; size++) {
      this.#known[size].fill(Number.POSITIVE_INFINITY, 1);
      this.#any[size].fill(Number.POSITIVE_INFINITY, 1);
    }
    for (const { ticket, cost } of near) {
      const { size } = ticket;
      const known = this.#known[size];
      if (known === undefined) continue;
      const count = this.#tickets[size].push(ticket);
      if (count >= known.length) continue;
      known[count] = known[count - 1] + size * cost;
      if (cost <= reach) this.#any[size][count] = known[count];
    }
    if (reach === Number.POSITIVE_INFINITY) return;
    this.#any.forEach((any, size) => {
      for (let count = 1; count < any.length; count++)
        if (any[count] === Number.POSITIVE_INFINITY) any[count] = any[count - 1] + size * reach;
    });
  }

  /** The tickets in their order, as far as they fit; undefined where others may be much cheaper. */
  #inOrder(near: readonly Near[], reach: number): WholeGame | undefined {
    const mix = new Int32Array(this.#known.length);
    let left = this.#seats;
    let total = 0;
    // With the first ticket that does not fit in part, no seat can cost less.
    let bound: number | undefined;
    for (const { ticket, cost } of near) {
      if (left === 0 || cost > reach) break;
      const { size } = ticket;
      if (size > left) {
        bound ??= total + left * cost;
        continue;
      }
      mix[size]++;
      total += size * cost;
      left -= size;
    }
    if (left > 0) return undefined;
    bound ??= total;
    return bound >= total * (1 - inOrderTolerance) ? { total, bound, mix } : undefined;
  }

  /** Dynamic programming over the sizes. */
  #leastCounts(costs: readonly Float64Array[]): Mix | undefined {
    const seats = this.#seats;
    this.#least.fill(Number.POSITIVE_INFINITY);
    this.#least[0] = 0;
    const sizes = [...costs.keys()].filter((size) => size > 0 && costs[size][1] < Number.POSITIVE_INFINITY);
    for (const size of sizes.reverse()) {
      const least = this.#least;
      const next = this.#next;
      const taken = this.#taken[size];
      const of = costs[size];
      next.fill(Number.POSITIVE_INFINITY);
      // Only full games count after the last size.
      for (let players = size === sizes[sizes.length - 1] ? seats : 0; players <= seats; players++) {
        for (let count = 0; count * size <= players; count++) {
          const before = least[players - count * size];
          if (of[count] === Number.POSITIVE_INFINITY || of[count] >= next[players]) break;
          if (before + of[count] >= next[players]) continue;
          next[players] = before + of[count];
          taken[players] = count;
        }
      }
      this.#least = next;
      this.#next = least;
    }
    if (!(this.#least[seats] < Number.POSITIVE_INFINITY)) return undefined;
    const mix = new Int32Array(costs.length);
    let players = seats;
    for (const size of sizes.toReversed()) {
      mix[size] = this.#taken[size][players];
      players -= size * mix[size];
    }
    return mix;
  }
}

/** The cheapest game of whole parties. */
export interface WholeGame {
  /** The total cost of the game; ∞ if the known tickets fill none. */
  readonly total: number;
  /** No game costs less in total, whatever tickets it has; ∞ if there is no game. */
  readonly bound: number;
  readonly mix: Mix | undefined;
}

/** Tickets in their order need not be the cheapest when they are within this part of their bound. */
const inOrderTolerance = 2e-3;

function totalOf(mix: Mix, costs: readonly Float64Array[]): number {
  let total = 0;
  for (let size = costs.length - 1; size > 0; size--) if (mix[size] > 0) total += costs[size][mix[size]];
  return total;
}
