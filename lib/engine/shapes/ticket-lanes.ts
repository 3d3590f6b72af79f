import { firstPlace } from '../collections/first-place.ts';
import { KeyHeap } from '../collections/key-heap.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { TicketLine } from './ticket-line.ts';

/** A ticket near a centre, with the mean cost of its players: their distance from the centre to the power of `exponent`. */
export interface Near {
  readonly ticket: ShapeTicket;
  readonly cost: number;
}

/**
 * The waiting tickets in lanes of about the same cost of their own: with exponent 2 the mean squared deviation of a party's
 * players from their mean, which a party adds to its cost around every centre. So the cheapest tickets around a centre are
 * found without a look at all those near it.
 */
export class TicketLanes {
  readonly #exponent: 1 | 2;
  readonly #lanes: readonly Lane[];
  /** Whether the lanes have lines of their own, from which tickets have to be removed. */
  readonly #isSplit: boolean;
  readonly #pending = new KeyHeap();

  /** @param isSplit whether tickets of different cost have lanes of their own. @default true */
  constructor(line: TicketLine, exponent: 1 | 2, isSplit = true) {
    this.#exponent = exponent;
    const greatest = line.tickets.reduce((most, ticket) => Math.max(most, ownCostOf(ticket)), 0);
    this.#isSplit = isSplit && exponent === 2 && greatest > 0;
    if (!this.#isSplit) {
      this.#lanes = [laneOf(line, 0)];
      return;
    }
    const leasts = Array.from({ length: lanesMax }, (_, i) => (i === 0 ? 0 : greatest * 2 ** (i - lanesMax)));
    const tickets = leasts.map((): ShapeTicket[] => []);
    for (const ticket of line.waiting()) {
      const own = ownCostOf(ticket);
      let lane = leasts.length - 1;
      while (leasts[lane] > own) lane--;
      tickets[lane].push(ticket);
    }
    this.#lanes = leasts
      .map((least, i) => laneOf(new TicketLine(tickets[i]), least))
      .filter(({ line: { size } }) => size > 0);
  }

  /** Reports that a ticket has left the line. */
  remove(ticket: ShapeTicket): void {
    if (this.#isSplit) for (const { line } of this.#lanes) if (line.remove(ticket)) return;
  }

  /** What the players of a ticket cost around a centre, each: the mean of their distances to the power of the exponent. */
  costOf(ticket: ShapeTicket, centre: number): number {
    if (this.#exponent === 2) return (ticket.mean - centre) ** 2 + ownCostOf(ticket);
    const { skills, size } = ticket;
    let sum = 0;
    for (let i = 0; i < size; i++) sum += Math.abs(skills[i] - centre);
    return sum / size;
  }

  /**
   * The tickets of least cost around a centre, in their order, until they have so many players, and further ones. Every
   * ticket that is not among them costs `reach` or more; ∞ when all are.
   */
  around(centre: number, players: number): { near: Near[]; reach: number } {
    const lanes = this.#lanes;
    for (const lane of lanes) {
      const { means } = lane.line;
      const place = firstPlace(means, (mean) => mean >= centre);
      lane.up = lane.line.firstFrom(place);
      lane.down = lane.line.lastTo(place - 1);
      this.#look(lane, centre);
    }
    const near: Near[] = [];
    let have = 0;
    // Tickets that cost more than others which were not looked at yet.
    const pending = this.#pending;
    pending.clear();
    let reach: number;
    for (;;) {
      let next = lanes[0];
      for (let i = 1; i < lanes.length; i++) if (lanes[i].reach < next.reach) next = lanes[i];
      reach = next.reach;
      if (reach === Number.POSITIVE_INFINITY) break;
      while (pending.topKey <= reach) {
        have += near[pending.topId].ticket.size;
        pending.pop();
      }
      if (have >= players) break;
      const { line } = next;
      const ticket = line.tickets[next.isUp ? next.up : next.down];
      if (next.isUp) next.up = line.after[next.up];
      else next.down = line.before[next.down];
      this.#look(next, centre);
      const one = { ticket, cost: this.costOf(ticket, centre) };
      near.push(one);
      pending.push(one.cost, near.length - 1);
    }
    near.sort((a, b) => a.cost - b.cost || (a.ticket.ticket.ticketId < b.ticket.ticket.ticketId ? -1 : 1));
    return { near, reach };
  }

  /** Finds the side of a lane on which its next ticket stands, and the least that it can cost. */
  #look(lane: Lane, centre: number): void {
    const { line, up, down } = lane;
    const { means } = line;
    const toUp = up < means.length ? means[up] - centre : Number.POSITIVE_INFINITY;
    const toDown = down >= 0 ? centre - means[down] : Number.POSITIVE_INFINITY;
    lane.isUp = toUp <= toDown;
    const distance = Math.min(toUp, toDown);
    lane.reach = this.#exponent === 2 ? distance * distance + lane.least : distance;
  }
}

/** Tickets whose own cost is at least `least`, and how far a search around a centre has come on both sides. */
interface Lane {
  readonly line: TicketLine;
  readonly least: number;
  up: number;
  down: number;
  /** Whether the next ticket is the one above the centre. */
  isUp: boolean;
  reach: number;
}

function laneOf(line: TicketLine, least: number): Lane {
  return { line, least, up: 0, down: -1, isUp: true, reach: 0 };
}

function ownCostOf({ spread, size }: ShapeTicket): number {
  return spread / size;
}

/** The lanes; each but the first begins at twice the cost of the one before. */
const lanesMax = 14;
