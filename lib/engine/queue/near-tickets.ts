import type { QueuedTicket } from './line.ts';

/**
 * Tickets of one kind in order of mean skill, and those of least cost around a centre. The cost of a ticket around c is the
 * sum of (s − c)² over its players; where it counts as one player, the mean over them.
 */
export class NearTickets {
  readonly tickets: readonly QueuedTicket[];
  /** Of the cheapest at the last centre, ascending: their costs, places in `tickets`, and the sums of costs before each. */
  readonly costs: Float64Array;
  readonly places: Int32Array;
  readonly sums: Float64Array;
  count = 0;

  readonly #players: number;
  readonly #room: number;
  readonly #means: Float64Array;
  readonly #spreads: Float64Array;
  /** From each place that has left, a place on the way to the next waiting one above and below it. */
  readonly #up: Int32Array;
  readonly #down: Int32Array;

  /**
   * @param tickets in order of mean skill
   * @param players what each ticket counts as: all of its players, or 1
   * @param room how many of the cheapest are looked for
   */
  constructor(tickets: readonly QueuedTicket[], players: number, room: number) {
    this.tickets = tickets;
    this.#players = players;
    this.#room = room;
    this.costs = new Float64Array(room);
    this.places = new Int32Array(room);
    this.sums = new Float64Array(room + 1);
    this.#means = Float64Array.from(tickets, ({ ticket }) => ticket.mean);
    this.#spreads = Float64Array.from(tickets, ({ ticket }) => (ticket.spread * players) / ticket.size);
    this.#up = Int32Array.from(tickets, (_, place) => place);
    this.#down = this.#up.slice();
  }

  /** Finds the tickets of least cost around a centre. */
  look(centre: number): void {
    const { costs, places } = this;
    const room = this.#room;
    const means = this.#means;
    let count = 0;
    const start = room === 0 ? means.length : this.#firstFrom(centre);
    let up = this.#follow(this.#up, start, 1);
    let down = room === 0 ? -1 : this.#follow(this.#down, start - 1, -1);
    while (up < means.length || down >= 0) {
      const toUp = up < means.length ? means[up] - centre : Number.POSITIVE_INFINITY;
      const toDown = down >= 0 ? centre - means[down] : Number.POSITIVE_INFINITY;
      const isUp = toUp <= toDown;
      const place = isUp ? up : down;
      const distance = isUp ? toUp : toDown;
      const apart = this.#players * distance * distance;
      if (count === room && apart >= costs[count - 1]) break;
      if (isUp) up = this.#follow(this.#up, up + 1, 1);
      else down = this.#follow(this.#down, down - 1, -1);
      const cost = apart + this.#spreads[place];
      if (count === room && cost >= costs[count - 1]) continue;
      let at = count < room ? count++ : count - 1;
      for (; at > 0 && costs[at - 1] > cost; at--) {
        costs[at] = costs[at - 1];
        places[at] = places[at - 1];
      }
      costs[at] = cost;
      places[at] = place;
    }
    this.count = count;
    for (let i = 0; i < count; i++) this.sums[i + 1] = this.sums[i] + costs[i];
  }

  /** The cheapest at the last centre. */
  *cheapest(): Iterable<QueuedTicket> {
    for (let i = 0; i < this.count; i++) yield this.tickets[this.places[i]];
  }

  /** Some on each side of a centre: the nearest, and fewer at larger distances. */
  *around(centre: number): Iterable<QueuedTicket> {
    const start = this.#firstFrom(centre);
    const { length } = this.tickets;
    for (const step of [1, -1] as const) {
      const links = step > 0 ? this.#up : this.#down;
      let at = this.#follow(links, step > 0 ? start : start - 1, step);
      for (const stride of strides) {
        for (let i = 1; i < stride && at >= 0 && at < length; i++) at = this.#follow(links, at + step, step);
        if (at < 0 || at >= length) break;
        yield this.tickets[at];
        at = this.#follow(links, at + step, step);
      }
    }
  }

  #firstFrom(centre: number): number {
    let low = 0;
    for (let high = this.#means.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#means[middle] < centre) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The next place whose ticket waits. Links are shortened on the way. */
  #follow(links: Int32Array, from: number, step: 1 | -1): number {
    const { length } = this.tickets;
    const hasLeft = (place: number) => place >= 0 && place < length && !this.tickets[place].isHere;
    let to = from;
    while (hasLeft(to)) to = links[to] === to ? to + step : links[to];
    for (let at = from; at !== to && hasLeft(at); ) {
      const next = links[at] === at ? at + step : links[at];
      links[at] = to;
      at = next;
    }
    return to;
  }
}

const strides = [1, 1, 1, 2, 2, 4, 4, 8, 16, 32, 64, 128];
