import type { ShapeTicket } from './shape-ticket.ts';
import type { TicketLine } from './ticket-line.ts';

/** The tickets of one size with the least costs around a centre, cheapest first. */
export class Near {
  readonly tickets: ShapeTicket[] = [];
  readonly costs: Float64Array;
  /** Their places in the line of their size. */
  readonly places: Int32Array;
  /** The sums of the costs before each. */
  readonly sums: Float64Array;
  /** The sum of the players' distances from the centre. */
  readonly offsets: Float64Array;
  count = 0;
  /** How many are looked for. */
  room: number;

  constructor(room: number) {
    this.room = room;
    this.costs = new Float64Array(room);
    this.places = new Int32Array(room);
    this.sums = new Float64Array(room + 1);
    this.offsets = new Float64Array(room);
  }
}

/** The waiting tickets of one size in order of mean skill. */
export class SizeLine {
  readonly #tickets: readonly ShapeTicket[];
  readonly #means: Float64Array;
  readonly #spreads: Float64Array;
  readonly #places: Int32Array;
  readonly #isHere: Uint8Array;
  /** From each place that has left, a place on the way to the next waiting one above and below it. */
  readonly #up: Int32Array;
  readonly #down: Int32Array;
  readonly #size: number;

  constructor(line: TicketLine, size: number) {
    const places: number[] = [];
    line.tickets.forEach((ticket, place) => {
      if (ticket.size === size && line.isHere[place] === 1) places.push(place);
    });
    this.#size = size;
    this.#isHere = line.isHere;
    this.#places = Int32Array.from(places);
    this.#tickets = places.map((place) => line.tickets[place]);
    this.#means = Float64Array.from(this.#tickets, ({ mean }) => mean);
    this.#spreads = Float64Array.from(this.#tickets, ({ spread }) => spread);
    this.#up = Int32Array.from(places, (_, i) => i + 1);
    this.#down = Int32Array.from(places, (_, i) => i - 1);
  }

  /** Fills `near` with the tickets of least cost around a centre. */
  nearest(centre: number, near: Near, costsToo: Costs = ownCosts): void {
    const {
      slack = Number.POSITIVE_INFINITY,
      lever = 0,
      reach = Number.POSITIVE_INFINITY,
      most = Number.POSITIVE_INFINITY,
      company,
    } = costsToo;
    const { tickets, costs, places, sums, offsets, room } = near;
    const size = this.#size;
    const means = this.#means;
    const spreads = this.#spreads;
    const isHere = this.#isHere;
    const placesOf = this.#places;
    let count = 0;
    const low = room === 0 ? 0 : this.#placeOf(centre);
    let up = room === 0 ? means.length : this.#waitingFrom(low);
    let down = room === 0 ? -1 : this.#waitingUpTo(low - 1);
    while (up < means.length || down >= 0) {
      const toUp = up < means.length ? means[up] - centre : Number.POSITIVE_INFINITY;
      const toDown = down >= 0 ? centre - means[down] : Number.POSITIVE_INFINITY;
      const isUp = toUp <= toDown;
      const distance = isUp ? toUp : toDown;
      const place = isUp ? up : down;
      if (isUp) {
        up++;
        if (up < means.length && isHere[placesOf[up]] === 0) up = this.#waitingFrom(up);
      } else {
        down--;
        if (down >= 0 && isHere[placesOf[down]] === 0) down = this.#waitingUpTo(down);
      }
      if (distance > reach) break;
      const over = size * distance - slack;
      const apart = size * distance * distance + (over > 0 ? lever * over * over : 0);
      // Those farther away cost more.
      if (apart >= most || (count === room && apart >= costs[count - 1])) break;
      let cost = apart + spreads[place];
      if (count === room && cost >= costs[count - 1]) continue;
      if (company) {
        cost = size * distance * distance + company(means[place] - centre, place) + spreads[place];
        if (cost === Number.POSITIVE_INFINITY || (count === room && cost >= costs[count - 1])) continue;
      }
      let at = count < room ? count++ : count - 1;
      for (; at > 0 && costs[at - 1] > cost; at--) {
        costs[at] = costs[at - 1];
        places[at] = places[at - 1];
      }
      costs[at] = cost;
      places[at] = place;
    }
    near.count = count;
    for (let i = 0; i < count; i++) {
      sums[i + 1] = sums[i] + costs[i];
      tickets[i] = this.#tickets[places[i]];
      offsets[i] = size * (means[places[i]] - centre);
    }
  }

  /** The least square of a waiting ticket's distance from the centre, between `low` and `high`, except in this place; else ∞. */
  leastSquare(centre: number, low: number, high: number, except: number): number {
    const means = this.#means;
    let least = Number.POSITIVE_INFINITY;
    if (high >= 0) {
      let at = this.#waitingFrom(this.#placeOf(centre + Math.max(0, low)));
      if (at === except) at = this.#waitingFrom(at + 1);
      if (at < means.length && means[at] - centre <= high) least = (means[at] - centre) ** 2;
    }
    if (low <= 0) {
      const to = centre + Math.min(0, high);
      let at = this.#placeOf(to);
      while (at < means.length && means[at] === to) at++;
      at = this.#waitingUpTo(at - 1);
      if (at === except) at = this.#waitingUpTo(at - 1);
      if (at >= 0 && means[at] - centre >= low) least = Math.min(least, (means[at] - centre) ** 2);
    }
    return least;
  }

  /** The waiting tickets whose means are at least `low` and at most `high`, in ascending order. */
  between(low: number, high: number): ShapeTicket[] {
    const found: ShapeTicket[] = [];
    for (
      let at = this.#waitingFrom(this.#placeOf(low));
      at < this.#means.length;
      at = this.#waitingFrom(at + 1)
    ) {
      if (this.#means[at] > high) break;
      found.push(this.#tickets[at]);
    }
    return found;
  }

  /** The least mean of a waiting ticket that is at least `low`, and the greatest that is at most `high`; ±∞ if there is none. */
  above(low: number): number {
    const at = this.#waitingFrom(this.#placeOf(low));
    return at < this.#means.length ? this.#means[at] : Number.POSITIVE_INFINITY;
  }

  below(high: number): number {
    let at = this.#placeOf(high);
    if (!(at < this.#means.length && this.#means[at] === high)) at--;
    at = this.#waitingUpTo(at);
    return at >= 0 ? this.#means[at] : Number.NEGATIVE_INFINITY;
  }

  /** The first place whose mean is not below this. */
  #placeOf(mean: number): number {
    let low = 0;
    for (let high = this.#means.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#means[middle] < mean) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #waitingFrom(place: number): number {
    let at = place;
    while (at < this.#places.length && this.#isHere[this.#places[at]] === 0) at = this.#up[at];
    for (let i = place; i < at; ) {
      const next = this.#up[i];
      this.#up[i] = at;
      i = next;
    }
    return at;
  }

  #waitingUpTo(place: number): number {
    let at = place;
    while (at >= 0 && this.#isHere[this.#places[at]] === 0) at = this.#down[at];
    for (let i = place; i > at; ) {
      const next = this.#down[i];
      this.#down[i] = at;
      i = next;
    }
    return at;
  }
}

/** What a ticket costs besides its players' squared distances from the centre. */
export interface Costs {
  /** A distance that, times the size, exceeds this costs at least `lever` times the square of the rest. @default ∞ */
  readonly slack?: number;
  readonly lever?: number;
  /** Tickets farther away are not looked at. @default ∞ */
  readonly reach?: number;
  /** Tickets that cost this or more need not be found. @default ∞ */
  readonly most?: number;
  /**
   * What the ticket in this place at this distance above the centre costs in all besides, at least as much as by `slack` and
   * `lever`.
   */
  readonly company?: (away: number, place: number) => number;
}

const ownCosts: Costs = {};
