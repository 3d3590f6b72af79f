import { Line, type QueuedTicket } from './line.ts';

/**
 * Tickets of one kind in order of mean skill, and those of least cost around a centre. The cost of a ticket around c is the
 * sum of (s − c)² over its players; where it counts as one player, the mean over them.
 */
export class NearTickets {
  /** Of the cheapest at the last centre, ascending: their costs, ids in `tickets`, and the sums of costs before each. */
  readonly costs: Float64Array;
  readonly ids: Int32Array;
  readonly sums: Float64Array;
  count = 0;

  readonly #line: Line;
  readonly #players: number;
  readonly #most: number;
  readonly #spare: number;
  /** By id. */
  readonly #spreads: number[] = [];

  /**
   * @param tickets in order of mean skill, then ticketId
   * @param players what each ticket counts as: all of its players, or 1
   * @param most how many of them a game can have
   * @param spare how many more there can be to choose from
   */
  constructor(tickets: QueuedTicket[], players: number, most: number, spare: number) {
    this.#line = new Line(tickets);
    this.#players = players;
    this.#most = most;
    this.#spare = most === 0 ? 0 : spare;
    const room = most + this.#spare;
    this.costs = new Float64Array(room);
    this.ids = new Int32Array(room);
    this.sums = new Float64Array(room + 1);
    for (const queued of tickets) this.#spreads.push(this.#spreadOf(queued));
  }

  /** By id, with those that have left. */
  get tickets(): readonly QueuedTicket[] {
    return this.#line.tickets;
  }

  insert(queued: QueuedTicket): void {
    this.#line.insert(queued);
    this.#spreads.push(this.#spreadOf(queued));
  }

  /** Finds the tickets of least cost around a centre: as many as a game can have, or some to spare. */
  look(centre: number, hasSpare: boolean): void {
    const { costs, ids } = this;
    const room = hasSpare ? this.#most + this.#spare : this.#most;
    const line = this.#line;
    const { means } = line;
    let count = 0;
    let up = room === 0 ? -1 : line.firstFrom(centre);
    let down = room === 0 ? -1 : this.#below(up, centre);
    while (up !== -1 || down !== -1) {
      const toUp = up !== -1 ? means[up] - centre : Number.POSITIVE_INFINITY;
      const toDown = down !== -1 ? centre - means[down] : Number.POSITIVE_INFINITY;
      const isUp = toUp <= toDown;
      const id = isUp ? up : down;
      const distance = isUp ? toUp : toDown;
      const least = this.#players * distance * distance;
      if (count === room && least >= costs[count - 1]) break;
      if (isUp) up = line.waitingAfter(up);
      else down = line.waitingBefore(down);
      const cost = least + this.#spreads[id];
      if (count === room && cost >= costs[count - 1]) continue;
      let at = count < room ? count++ : count - 1;
      for (; at > 0 && costs[at - 1] > cost; at--) {
        costs[at] = costs[at - 1];
        ids[at] = ids[at - 1];
      }
      costs[at] = cost;
      ids[at] = id;
    }
    this.count = count;
    for (let i = 0; i < count; i++) this.sums[i + 1] = this.sums[i] + costs[i];
  }

  /** The cheapest at the last centre. */
  *cheapest(): Iterable<QueuedTicket> {
    for (let i = 0; i < this.count; i++) yield this.tickets[this.ids[i]];
  }

  /** Some on each side of a centre: the nearest, and fewer at larger distances. */
  *around(centre: number): Iterable<QueuedTicket> {
    const line = this.#line;
    const first = line.firstFrom(centre);
    for (const isUp of [true, false]) {
      const next = (id: number) => (isUp ? line.waitingAfter(id) : line.waitingBefore(id));
      let at = isUp ? first : this.#below(first, centre);
      for (const stride of strides) {
        for (let i = 1; i < stride && at !== -1; i++) at = next(at);
        if (at === -1) break;
        yield this.tickets[at];
        at = next(at);
      }
    }
  }

  /** The last ticket below a centre, the first one from it on being known. */
  #below(first: number, centre: number): number {
    return first === -1 ? this.#line.lastBelow(centre) : this.#line.waitingBefore(first);
  }

  #spreadOf({ ticket }: QueuedTicket): number {
    return (ticket.spread * this.#players) / ticket.size;
  }
}

const strides = [1, 1, 1, 2, 2, 4, 4, 8, 16, 32, 64, 128];
