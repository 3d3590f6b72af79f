import { KeyHeap } from '../collections/key-heap.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from './layout.ts';
import { gameSeats, type SeatKeeper } from './seat-counts.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { type Near, TicketLanes } from './ticket-lanes.ts';
import type { TicketLine } from './ticket-line.ts';
import { type Mix, type WholeGame, WholeParties } from './whole-parties.ts';

/**
 * The centre bound for games of many players. For a centre c let h(c) be the least mean cost, root taken, of the tickets of
 * a game, whatever they are to each other: whole parties that fill the seats (`WholeParties`) or, where seats restrict the
 * players or may stay empty, n players who can be seated, with parties in part. A game with mean μ has v_q ≥ h(μ), so no
 * game is below the least h. The values at two centres bound those between them, and the interval of least bound is split
 * until it is narrow (docs/engine-proofs.md, "The centre bound"). For q ≥ 2 the exponent is 2, else 1: v_q ≥ v_2, v_q ≥ v_1.
 *
 * Removals only raise h, so what was computed before stays a bound; only intervals that come first are recomputed.
 */
export class CentreCells {
  readonly #clock: SearchClock;
  readonly #lanes: TicketLanes;
  readonly #oneLane: TicketLanes;
  readonly #n: number;
  readonly #exponent: 1 | 2;
  readonly #seats: SeatKeeper | undefined;
  readonly #parties: WholeParties | undefined;
  readonly #cells: Cell[] = [];
  readonly #heap = new KeyHeap();
  /** The players among which the cheapest parties of the last centre were found. */
  #playersBefore: number;
  /** The tickets that have left. */
  readonly #removed: ShapeTicket[] = [];

  constructor(line: TicketLine, layout: Layout, q: number, clock: SearchClock) {
    this.#clock = clock;
    this.#n = layout.seatsMin;
    this.#playersBefore = layout.seatsMin;
    this.#exponent = q >= 2 ? 2 : 1;
    this.#lanes = new TicketLanes(line, this.#exponent);
    this.#oneLane = new TicketLanes(line, this.#exponent, false);
    // Where teams may start short, any seats may stay empty.
    this.#seats = layout.seatsMin === layout.seats ? gameSeats(layout) : undefined;
    const sizeMax = line.tickets.reduce((most, { size }) => Math.max(most, size), 1);
    if (sizeMax > 1 && !layout.classes && layout.seatsMin === layout.seats)
      this.#parties = new WholeParties(layout.seats, sizeMax);
    const { means } = line;
    if (means.length === 0) return;
    const low = means[0];
    const width = (means[means.length - 1] - low) / firstCells;
    let before: Centre | undefined;
    for (let i = 0; i <= (width > 0 ? firstCells : 0); i++) {
      const centre: Centre = { at: low + i * width, h: 0, reach: Number.POSITIVE_INFINITY, removals: -1 };
      this.#file({ low: before ?? centre, high: centre }, 0);
      before = centre;
    }
  }

  /** Reports that a ticket has left the line. */
  removed(ticket: ShapeTicket): void {
    this.#lanes.remove(ticket);
    this.#removed.push(ticket);
  }

  /** The centre of about the least h and a bound on all, as far as the time goes; undefined when there are too few players. */
  least(): { at: number; bound: number } | undefined {
    for (let left = evaluationsMax; ; ) {
      const id = this.#heap.topId;
      if (id === -1) return undefined;
      const key = this.#heap.topKey;
      if (key === Number.POSITIVE_INFINITY) return undefined;
      const cell = this.#cells[id];
      const { low, high } = cell;
      if (this.#clock.isOver(stepsPerCentre)) return { at: low.h <= high.h ? low.at : high.at, bound: key };
      left -= this.#renew(low) + this.#renew(high);
      const bound = this.#boundOf(cell);
      if (bound > key) {
        this.#heap.replaceTop(bound, id);
        continue;
      }
      const best = low.h <= high.h ? low : high;
      const width = high.at - low.at;
      const isNarrow = key >= best.h * (1 - tolerance) || width <= 1e-9 * (Math.abs(low.at) + 1e-290);
      if (isNarrow || left <= 0) return { at: best.at, bound: key };
      const at = (low.at + high.at) / 2;
      const middle: Centre = { at, h: 0, reach: Number.POSITIVE_INFINITY, removals: -1 };
      left -= this.#renew(middle);
      this.#heap.pop();
      this.#cells[id] = { low, high: middle };
      this.#heap.push(this.#boundOf(this.#cells[id]), id);
      this.#file({ low: middle, high }, undefined);
    }
  }

  /** The waiting tickets with the least costs around a centre, in their order, until they have so many players. */
  near(centre: number, players: number): Near[] {
    return this.#lanes.around(centre, players).near;
  }

  /** The same with all further tickets that are no farther from the centre than one of these. */
  nearAndDearer(centre: number, players: number): Near[] {
    return this.#oneLane.around(centre, players).near;
  }

  /** The whole parties of least cost around a centre that fill the seats; undefined when there are none. */
  cheapest(centre: number): { tickets: ShapeTicket[]; mix: Mix } | undefined {
    const mix = this.#parties && this.#leastParties(this.#parties, centre).mix;
    return mix && { tickets: this.#parties!.ticketsOf(mix), mix };
  }

  /** h at a centre, ∞ when there are too few players, and the cost up to which tickets decide about h. */
  #evaluate(centre: number): { h: number; reach: number } {
    if (this.#parties) {
      const { bound, reach } = this.#leastParties(this.#parties, centre);
      return { h: this.#root(bound), reach };
    }
    const n = this.#n;
    for (let players = n; ; players = Math.ceil(1.5 * players) + 20) {
      const { near, reach } = this.#lanes.around(centre, players);
      let left = n;
      let sum = 0;
      let last = 0;
      this.#seats?.clear();
      for (const { ticket, cost } of near) {
        if (left === 0) break;
        let taken = Math.min(left, ticket.size);
        if (this.#seats) {
          taken = 0;
          for (let i = 0; i < ticket.size && taken < left; i++)
            if (this.#seats.joinOne(ticket.classes![i])) taken++;
        }
        sum += taken * cost;
        left -= taken;
        last = cost;
      }
      // Tickets beyond the reach were not looked at: what was found has to lie within it.
      if (left === 0 && last <= reach) return { h: this.#root(sum), reach };
      if (reach === Number.POSITIVE_INFINITY) return { h: Number.POSITIVE_INFINITY, reach };
    }
  }

  /** The cheapest whole parties of all tickets, or nearly so. */
  #leastParties(parties: WholeParties, centre: number): WholeGame & { reach: number } {
    let players = Math.max(this.#n, Math.floor(this.#playersBefore / 1.2));
    for (; ; players = Math.ceil(1.4 * players) + 10) {
      this.#playersBefore = players;
      const { near, reach } = this.#lanes.around(centre, players);
      const game = parties.least(near, reach);
      const isTight = game.mix !== undefined && game.bound >= game.total * (1 - partiesTolerance);
      if (isTight || reach === Number.POSITIVE_INFINITY) return { ...game, reach };
    }
  }

  #root(sum: number): number {
    const mean = Math.max(0, sum) / this.#n;
    return (this.#exponent === 2 ? Math.sqrt(mean) : mean) * (1 - 1e-12);
  }

  /** Recomputes a centre if tickets that decide about it have left since. Returns the number of evaluations. */
  #renew(centre: Centre): number {
    const isNew = centre.removals === -1;
    let isStale = isNew;
    const removed = this.#removed;
    for (let i = centre.removals; !isStale && i < removed.length; i++)
      isStale = this.#lanes.costOf(removed[i], centre.at) <= centre.reach;
    centre.removals = removed.length;
    if (!isStale) return 0;
    const { h, reach } = this.#evaluate(centre.at);
    centre.h = Math.max(centre.h, h);
    centre.reach = reach;
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
  /** Tickets that cost more do not change h. */
  reach: number;
  /** How many tickets had left when it was computed; −1 before that. */
  removals: number;
}

/** The centres from one to the next, and all between. */
interface Cell {
  readonly low: Centre;
  readonly high: Centre;
}

/** The intervals with which it begins. */
const firstCells = 64;

/** An interval is not split when its bound is within this part of the better end. */
const tolerance = 5e-3;

/** The most centres that one call computes. */
const evaluationsMax = 300;

/** The work of one, in steps of a `SearchClock`. */
const stepsPerCentre = 32;

/** The parties of a centre are near enough to the cheapest when they are within this part of their bound. */
const partiesTolerance = 2e-3;
