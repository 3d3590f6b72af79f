import { KeyHeap } from '../collections/key-heap.ts';
import type { Layout } from './layout.ts';
import { Seating } from './seating.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import type { TicketLine } from './ticket-line.ts';

/** A ticket near a centre, with the mean cost of its players: their distance from the centre to the power of `exponent`. */
export interface Near {
  readonly ticket: ShapeTicket;
  readonly cost: number;
}

/**
 * The centre bound for games of many players. For a centre c let h(c) be the least mean cost, root taken, of n players who
 * can be seated; parties count in part. A game with mean μ has v_q ≥ h(μ), so no game is below the least h. The values at
 * two centres bound those between them, and the interval of least bound is split until it is narrow
 * (docs/engine-proofs.md, "The centre bound"). For q ≥ 2 the exponent is 2, else 1: v_q ≥ v_2, v_q ≥ v_1.
 *
 * Removals only raise h, so what was computed before stays a bound; only intervals that come first are computed anew.
 */
export class CentreCells {
  readonly #line: TicketLine;
  readonly #n: number;
  readonly #exponent: 1 | 2;
  readonly #seating: Seating | undefined;
  readonly #cells: Cell[] = [];
  readonly #heap = new KeyHeap();
  #removals = 0;

  constructor(line: TicketLine, layout: Layout, q: number) {
    this.#line = line;
    this.#n = layout.seatsMin;
    this.#exponent = q >= 2 ? 2 : 1;
    // Where teams may start short, any seats may stay empty.
    this.#seating =
      layout.classes && layout.seatsMin === layout.seats
        ? new Seating(
            layout.classes.map(({ seats }) => seats),
            layout.seats,
          )
        : undefined;
    const { means } = line;
    if (means.length === 0) return;
    const low = means[0];
    const width = (means[means.length - 1] - low) / firstCells;
    let before: Centre | undefined;
    for (let i = 0; i <= (width > 0 ? firstCells : 0); i++) {
      const centre: Centre = { at: low + i * width, h: 0, removals: -1 };
      this.#file({ low: before ?? centre, high: centre }, 0);
      before = centre;
    }
  }

  /** Reports that tickets have left the line. */
  removed(): void {
    this.#removals++;
  }

  /** The centre of about the least h and a bound on all; undefined when there are too few players. */
  least(): { at: number; bound: number } | undefined {
    for (let left = evaluationsMax; ; ) {
      const id = this.#heap.topId;
      if (id === -1) return undefined;
      const key = this.#heap.topKey;
      if (key === Number.POSITIVE_INFINITY) return undefined;
      const cell = this.#cells[id];
      const { low, high } = cell;
      const before = left;
      left -= this.#renew(low) + this.#renew(high);
      if (left < before) {
        this.#heap.replaceTop(this.#boundOf(cell), id);
        continue;
      }
      const best = low.h <= high.h ? low : high;
      const width = high.at - low.at;
      const isNarrow = key >= best.h * (1 - tolerance) || width <= 1e-9 * (Math.abs(low.at) + 1e-290);
      if (isNarrow || left <= 0) return { at: best.at, bound: key };
      const middle: Centre = { at: (low.at + high.at) / 2, h: 0, removals: -1 };
      left -= this.#renew(middle);
      this.#heap.pop();
      this.#cells[id] = { low, high: middle };
      this.#heap.push(this.#boundOf(this.#cells[id]), id);
      this.#file({ low: middle, high }, undefined);
    }
  }

  /** The waiting tickets with the least costs around a centre, in their order, until they have so many players. */
  near(centre: number, players: number): Near[] {
    const { tickets, means, after, before, isHere } = this.#line;
    let up = lowerBound(means, centre);
    let down = up - 1;
    while (up < tickets.length && isHere[up] === 0) up = after[up];
    while (down >= 0 && isHere[down] === 0) down = before[down];
    const found: Near[] = [];
    let have = 0;
    let pending: Near[] = [];
    for (;;) {
      const toUp = up < tickets.length ? means[up] - centre : Number.POSITIVE_INFINITY;
      const toDown = down >= 0 ? centre - means[down] : Number.POSITIVE_INFINITY;
      const distance = Math.min(toUp, toDown);
      if (distance === Number.POSITIVE_INFINITY) break;
      // Whatever lies beyond costs at least this much.
      const least = this.#exponent === 2 ? distance * distance : distance;
      if (pending.length > 0) {
        const rest: Near[] = [];
        for (const one of pending) {
          if (one.cost <= least) have += one.ticket.size;
          else rest.push(one);
        }
        pending = rest;
      }
      if (have >= players) break;
      const ticket = tickets[toUp <= toDown ? up : down];
      if (toUp <= toDown) up = after[up];
      else down = before[down];
      const one = { ticket, cost: this.#costOf(ticket, centre) };
      found.push(one);
      if (one.cost <= least) have += ticket.size;
      else pending.push(one);
    }
    return found.sort(
      (a, b) => a.cost - b.cost || (a.ticket.ticket.ticketId < b.ticket.ticket.ticketId ? -1 : 1),
    );
  }

  #costOf({ mean, spread, size, skills }: ShapeTicket, centre: number): number {
    if (this.#exponent === 2) return (mean - centre) ** 2 + spread / size;
    let sum = 0;
    for (let i = 0; i < size; i++) sum += Math.abs(skills[i] - centre);
    return sum / size;
  }

  /** h at a centre; ∞ when there are too few players. */
  #evaluate(centre: number): number {
    const n = this.#n;
    for (let players = n; ; players = Math.ceil(1.5 * players) + 20) {
      const near = this.near(centre, players);
      let left = n;
      let sum = 0;
      let last = 0;
      let reached = 0;
      this.#seating?.clear();
      for (const { ticket, cost } of near) {
        if (left === 0) break;
        let taken = Math.min(left, ticket.size);
        if (this.#seating) {
          taken = 0;
          for (let i = 0; i < ticket.size && taken < left; i++)
            if (this.#seating.joinOne(ticket.classes![i])) taken++;
        }
        sum += taken * cost;
        left -= taken;
        last = cost;
        reached += ticket.size;
      }
      // Tickets beyond the radius were not looked at: what was found has to lie within it.
      if (left === 0 && reached <= players) return this.#root(sum);
      if (near.length >= this.#line.size) return left === 0 ? this.#root(sum) : Number.POSITIVE_INFINITY;
      if (left === 0 && last <= this.#radiusOf(near, players)) return this.#root(sum);
    }
  }

  /** The cost up to which the list is complete: that of the ticket with which it has so many players. */
  #radiusOf(near: readonly Near[], players: number): number {
    let have = 0;
    for (const { ticket, cost } of near) {
      have += ticket.size;
      if (have >= players) return cost;
    }
    return Number.NEGATIVE_INFINITY;
  }

  #root(sum: number): number {
    const mean = Math.max(0, sum) / this.#n;
    return (this.#exponent === 2 ? Math.sqrt(mean) : mean) * (1 - 1e-12);
  }

  /** Computes a centre anew if tickets have left since. Returns the number of evaluations. */
  #renew(centre: Centre): number {
    if (centre.removals === this.#removals) return 0;
    centre.removals = this.#removals;
    centre.h = this.#evaluate(centre.at);
    return 1;
  }

  #file(cell: Cell, bound: number | undefined): void {
    this.#cells.push(cell);
    this.#heap.push(bound ?? this.#boundOf(cell), this.#cells.length - 1);
  }

  /** The least that h can be between the two centres of a cell. */
  #boundOf({ low, high }: Cell): number {
    if (low.h === Number.POSITIVE_INFINITY || high.h === Number.POSITIVE_INFINITY)
      return Math.min(low.h, high.h);
    const width = high.at - low.at;
    if (width === 0) return Math.min(low.h, high.h);
    if (this.#exponent === 1) return Math.max(0, (low.h + high.h - width) / 2) * (1 - 1e-12);
    const a = low.h ** 2;
    const b = high.h ** 2;
    const square = width * width;
    const t = Math.min(1, Math.max(0, 0.5 - (b - a) / (2 * square)));
    const bound = a + t * (b - a) - t * (1 - t) * square - 1e-13 * (a + b + square);
    return Math.sqrt(Math.max(0, bound)) * (1 - 1e-12);
  }
}

interface Centre {
  readonly at: number;
  h: number;
  /** The removals when it was computed; −1 before that. */
  removals: number;
}

/** The centres from one to the next, and all between. */
interface Cell {
  readonly low: Centre;
  readonly high: Centre;
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The intervals with which it begins. */
const firstCells = 64;

/** An interval is not split when its bound is within this part of the better end. */
const tolerance = 5e-3;

/** The most centres that one call computes. */
const evaluationsMax = 300;
