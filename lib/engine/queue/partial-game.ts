import type { ChosenAround } from '../bounds/joint-bound.ts';
import type { Layout } from '../shapes/layout.ts';
import { countedClassesMax, gameSeats, SeatCounts, type SeatKeeper } from '../shapes/seat-counts.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import { type Room, SizeMixes } from '../shapes/size-mixes.ts';
import type { Constraints, Forbids } from '../types.ts';
import type { Candidates } from './candidates.ts';
import type { QueuedTicket } from './line.ts';

/**
 * The tickets that a search has chosen, the sums that bounds need of them, and who may still join: by the sizes of parties,
 * seats, refused pairs and constraints.
 */
export class PartialGame implements ChosenAround {
  /** The chosen tickets, the anchor first, with their numbers in the constraints. */
  readonly chosen: QueuedTicket[] = [];
  readonly tickets: ShapeTicket[] = [];
  readonly numbers: number[] = [];
  readonly values: Float64Array;
  m = 0;
  sum = 0;
  squares = 0;
  within = 0;
  lead = 0;
  /** The greatest credit of the chosen, relative to the anchor's. */
  credit = 0;

  readonly #forbids: Forbids | undefined;
  readonly #constraints: Constraints | undefined;
  readonly #mixes: SizeMixes;
  readonly #seats: SeatKeeper | undefined;
  /** Seats for the fill of a bound, where they can be counted. */
  readonly #fillSeats: SeatCounts | undefined;
  /** The anchor's opponents and itself, in two equal teams. */
  readonly #leads: number;
  /** The sums before each ticket joined. */
  readonly #before: Float64Array;

  /** @param room the seats for tickets other than those who are seated */
  constructor(
    layout: Layout,
    forbids: Forbids | undefined,
    constraints: Constraints | undefined,
    room: Room,
  ) {
    const { classes, seats, kinds } = layout;
    this.#forbids = forbids;
    this.#constraints = constraints;
    this.#mixes = new SizeMixes(room);
    const ofClasses = classes?.map((one) => one.seats);
    const areCounted = ofClasses !== undefined && ofClasses.length <= countedClassesMax;
    this.#seats = gameSeats(layout);
    this.#fillSeats = areCounted ? new SeatCounts(ofClasses) : undefined;
    this.values = new Float64Array(seats);
    this.#before = new Float64Array(sumsKept * (seats + 1));
    this.#leads = kinds[0].size + 1;
  }

  /** Chooses the anchor alone, for games of n players. Returns whether it may play; the constraints know it already. */
  start(anchor: QueuedTicket, others: readonly QueuedTicket[], n: number): boolean {
    const { ticket } = anchor;
    this.chosen.length = this.tickets.length = this.numbers.length = 0;
    this.m = this.sum = this.squares = this.within = this.lead = this.credit = 0;
    this.#seats?.clear();
    const isSeated = ticket.teams !== undefined;
    const areSolos = (isSeated || ticket.size === 1) && others.every((other) => other.ticket.size === 1);
    const tickets = areSolos ? [] : others.map((other) => other.ticket);
    this.#mixes.start(isSeated ? undefined : ticket, tickets, isSeated ? n - ticket.size : n);
    if (ticket.size > n || (!isSeated && !this.#mixes.fits(ticket))) return false;
    if (this.#seats && !this.#seats.join(ticket.classes!)) return false;
    this.#push(anchor, 0);
    this.lead = 0;
    return true;
  }

  get hasSeats(): boolean {
    return this.#seats !== undefined;
  }

  /** The classes of seats that are full, as a bit set. */
  get full(): number {
    return this.#seats ? this.#seats.full : 0;
  }

  /** Whether a game of the chosen and this ticket can be completed, by the sizes of parties. */
  fits(ticket: ShapeTicket): boolean {
    return this.#mixes.fits(ticket);
  }

  /** Whether each player of the ticket could be seated, and no pair with the ticket that joined last is refused. */
  mayFollow({ ticket }: QueuedTicket): boolean {
    if (this.#seats && !this.#seats.admits(ticket.classes!)) return false;
    const last = this.tickets[this.tickets.length - 1];
    return !this.#forbids || this.#forbids(last.ticket, ticket.ticket) === undefined;
  }

  /** Whether the ticket may join: by everything except that `join` may still fail to seat a party. */
  mayJoin(queued: QueuedTicket): boolean {
    const { ticket } = queued;
    if (!this.#mixes.fits(ticket) || (this.#seats && !this.#seats.admits(ticket.classes!))) return false;
    if (this.#constraints && !this.#constraints.admits(queued.number)) return false;
    const forbids = this.#forbids;
    return !forbids || this.tickets.every((other) => forbids(other.ticket, ticket.ticket) === undefined);
  }

  /** Chooses a ticket. False if its players cannot be seated beside the others; it is not chosen then. */
  join(queued: QueuedTicket, value: number): boolean {
    if (this.#seats && !this.#seats.join(queued.ticket.classes!)) return false;
    this.#push(queued, value);
    this.#constraints?.join(queued.number);
    return true;
  }

  /** Takes back the ticket that joined last. */
  leave(): void {
    const queued = this.chosen.pop()!;
    const ticket = this.tickets.pop()!;
    this.numbers.pop();
    this.#mixes.leave(ticket);
    this.#seats?.leave(ticket.size);
    this.#constraints?.leave(queued.number);
    const before = this.#before;
    const at = sumsKept * this.chosen.length;
    this.m -= ticket.size;
    this.sum = before[at];
    this.squares = before[at + 1];
    this.within = before[at + 2];
    this.lead = before[at + 3];
    this.credit = before[at + 4];
  }

  /**
   * Puts the next r players from candidate `from` on that can be seated together beside the chosen into `fill`. Returns
   * whether there are r of them. Where seats cannot be counted it takes the next r.
   */
  fillSeats(
    { first, values, masks, sizes, players }: Candidates,
    from: number,
    r: number,
    fill: Float64Array,
  ): boolean {
    const seats = this.#fillSeats;
    if (!seats) {
      for (let i = 0, at = first[from]; i < r; i++) fill[i] = values[at + i];
      return true;
    }
    seats.copy(this.#seats as SeatCounts);
    let filled = 0;
    let free = ~seats.full;
    for (let player = first[from]; player < players; player++) {
      const mask = masks[player];
      if ((mask & free) === 0 || sizes[player] > r) continue;
      seats.joinOne(mask);
      fill[filled++] = values[player];
      if (filled === r) return true;
      free = ~seats.full;
    }
    return false;
  }

  /** Whether r players of these could take the free seats if parties could be split. */
  couldFill(others: readonly QueuedTicket[], r: number): boolean {
    const seats = this.#fillSeats;
    if (!seats || r === 0) return true;
    seats.copy(this.#seats as SeatCounts);
    let left = r;
    for (const { ticket } of others)
      for (const mask of ticket.classes!) if (seats.joinOne(mask) && --left === 0) return true;
    return false;
  }

  #push(queued: QueuedTicket, value: number): void {
    const { ticket } = queued;
    const { size } = ticket;
    const before = this.#before;
    const at = sumsKept * this.chosen.length;
    before[at] = this.sum;
    before[at + 1] = this.squares;
    before[at + 2] = this.within;
    before[at + 3] = this.lead;
    before[at + 4] = this.credit;
    const anchor = this.chosen.length === 0 ? queued : this.chosen[0];
    this.chosen.push(queued);
    this.tickets.push(ticket);
    this.numbers.push(queued.number);
    if (!ticket.teams) this.#mixes.join(ticket);
    // The lowest of the chosen: the anchor does not count before those below it.
    const place = value < 0 ? this.m - anchor.ticket.size : this.m;
    const leads = Math.min(size, this.#leads - place);
    if (leads > 0) this.lead += leads * value;
    for (let i = 0; i < size; i++) this.values[this.m++] = value;
    this.sum += size * value;
    this.squares += size * value * value;
    this.within += ticket.spread;
    this.credit = Math.max(this.credit, queued.credit - anchor.credit);
  }
}

/** The numbers kept for each ticket: sum, squares, within, lead and credit. */
const sumsKept = 5;
