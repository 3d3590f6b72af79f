import { mayMeet } from '../model/forbids.ts';
import type { Layout } from '../shapes/layout.ts';
import { SeatCounts } from '../shapes/seat-counts.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import { SizeMixes } from '../shapes/size-mixes.ts';
import type { Forbids } from '../types.ts';
import type { SeatClasses } from './seat-classes.ts';

/**
 * The tickets that a search has chosen for a game. It reports which tickets may join them, by party sizes, seats and
 * refused pairs. The anchor is chosen first.
 */
export class ChosenTickets {
  /** In the order in which they were chosen. */
  readonly tickets: ShapeTicket[] = [];
  /** The seats taken by their players; undefined where all seem to accept all seats. */
  readonly seats: SeatCounts | undefined;
  readonly #n: number;
  readonly #classes: SeatClasses | undefined;
  readonly #mixes: SizeMixes;
  readonly #forbids: Forbids | undefined;

  constructor(layout: Layout, classes: SeatClasses | undefined, forbids: Forbids | undefined) {
    this.seats = classes && new SeatCounts(classes.seats);
    this.#n = layout.seats;
    this.#classes = classes;
    this.#mixes = new SizeMixes(layout);
    this.#forbids = forbids;
  }

  /** Chooses the anchor alone, for games with these candidates. Returns whether it can be seated. */
  start(anchor: ShapeTicket, candidates: readonly ShapeTicket[]): boolean {
    this.tickets.length = 0;
    this.seats?.clear();
    this.#mixes.start(anchor, candidates, this.#n);
    return this.#mixes.fits(anchor) && this.join(anchor);
  }

  /** Whether each player of the ticket could be seated if the others were not added. */
  hasSeat(ticket: ShapeTicket): boolean {
    return this.seats === undefined || this.seats.admits(this.#classes!.masksOf(ticket));
  }

  /** Whether the chosen tickets plus this one can still be completed to full teams, by their sizes. */
  fits(ticket: ShapeTicket): boolean {
    return this.#mixes.fits(ticket);
  }

  /** Whether one of the chosen tickets is refused with this ticket. */
  refuses(ticket: ShapeTicket): boolean {
    return !mayMeet(ticket, this.tickets, this.#forbids);
  }

  /** Chooses the ticket. False if its players cannot be seated beside the others; it is not chosen then. */
  join(ticket: ShapeTicket): boolean {
    if (this.seats && !this.seats.join(this.#classes!.masksOf(ticket))) return false;
    this.tickets.push(ticket);
    this.#mixes.join(ticket);
    return true;
  }

  /** Removes the ticket that was chosen last. */
  leave(): void {
    const ticket = this.tickets.pop()!;
    this.#mixes.leave(ticket);
    this.seats?.leave(ticket.size);
  }
}
