import type { PooledTicket } from '../model/pooled-ticket.ts';

/**
 * The waiting parties of each size in order of mean skill, and those nearest to a centre. Each has a place in the line of
 * its size; before the first place and after the last there is an empty one. Parties leave, but none is added.
 */
export class PartyLines {
  /** How many parties of each size are left. */
  readonly counts: Uint32Array;
  /** How many parties have left. */
  removals = 0;
  /** The costs and places that `nearest` found last, by increasing cost. */
  readonly costs = new Float64Array(nearestMax);
  readonly places = new Int32Array(nearestMax);

  /** By size and place: the party, its mean (∓∞ in the empty places) and the spread within it. */
  readonly #tickets: (PooledTicket | undefined)[][];
  readonly #means: Float64Array[];
  readonly #spreads: Float64Array[];
  /** Links from each party to the next one that is left, upwards and downwards. */
  readonly #next: Int32Array[];
  readonly #last: Int32Array[];
  /** Links from each place to the nearest party that is left, upwards; followed links are shortened. */
  readonly #up: Int32Array[];

  /** @param sorted the tickets in the pool's order */
  constructor(sorted: readonly PooledTicket[], teamSize: number) {
    this.counts = new Uint32Array(teamSize + 1);
    this.#tickets = Array.from({ length: teamSize + 1 }, () => [undefined]);
    for (const pooled of sorted) {
      this.counts[pooled.size]++;
      this.#tickets[pooled.size].push(pooled);
    }
    for (const line of this.#tickets) line.push(undefined);
    this.#means = this.#tickets.map((line) =>
      Float64Array.from(line, (pooled, place) => pooled?.mean ?? (place === 0 ? -1 : 1) / 0),
    );
    this.#spreads = this.#tickets.map((line) => Float64Array.from(line, (pooled) => pooled?.spread ?? 0));
    this.#up = this.#tickets.map((line) => Int32Array.from(line.keys()));
    this.#next = this.#up.map((links) => links.map((place) => Math.min(place + 1, links.length - 1)));
    this.#last = this.#up.map((links) => links.map((place) => Math.max(place - 1, 0)));
  }

  ticket(size: number, place: number): PooledTicket {
    return this.#tickets[size][place]!;
  }

  remove(size: number, place: number): void {
    this.counts[size]--;
    this.removals++;
    const next = this.#next[size][place];
    const last = this.#last[size][place];
    this.#up[size][place] = next;
    this.#last[size][next] = last;
    this.#next[size][last] = next;
  }

  /**
   * Finds the parties of a size that cost least around a centre, at most `count` of them: into `costs` and `places`.
   * A party costs the sum of the squared distances of its players from the centre. Returns how many it found.
   *
   * @param except the place of a party that does not count, −1 for none
   * @param limit parties that cost this much or more need not be found
   */
  nearest(size: number, centre: number, count: number, except: number, limit: number): number {
    const { costs, places } = this;
    const means = this.#means[size];
    const spreads = this.#spreads[size];
    const next = this.#next[size];
    const last = this.#last[size];
    let above = follow(this.#up[size], firstFrom(means, centre));
    let below = last[above];
    let toAbove = means[above] - centre;
    let toBelow = centre - means[below];
    let found = 0;
    let most = limit;
    for (;;) {
      let place: number;
      let distance: number;
      if (toAbove < toBelow) {
        place = above;
        distance = toAbove;
        above = next[above];
        toAbove = means[above] - centre;
      } else {
        place = below;
        distance = toBelow;
        if (distance === Number.POSITIVE_INFINITY) return found;
        below = last[below];
        toBelow = centre - means[below];
      }
      const apart = size * distance * distance;
      if (apart >= most) return found;
      const cost = apart + spreads[place];
      if (cost >= most || place === except) continue;
      let at = found < count ? found++ : count - 1;
      for (; at > 0 && costs[at - 1] > cost; at--) {
        costs[at] = costs[at - 1];
        places[at] = places[at - 1];
      }
      costs[at] = cost;
      places[at] = place;
      if (found === count) most = costs[count - 1];
    }
  }

  /**
   * Fills a window with the parties of a size that cost less than `room`, in order of mean skill. Here a party costs `pull` times
   * the squared distance of its mean from the centre, and the spread within it.
   *
   * @param except the place of a party that does not count, −1 for none
   */
  within(
    size: number,
    centre: number,
    pull: number,
    room: number,
    except: number,
    window: PartyWindow,
  ): void {
    const means = this.#means[size];
    const spreads = this.#spreads[size];
    const next = this.#next[size];
    const end = means.length - 1;
    const reach = Math.sqrt(room / pull) * (1 + 1e-9);
    const high = centre + reach;
    window.clear();
    let place = follow(this.#up[size], firstFrom(means, centre - reach));
    for (; place < end && means[place] <= high; place = next[place]) {
      const away = means[place] - centre;
      const spread = spreads[place];
      if (pull * away * away + spread < room && place !== except) window.add(away, spread, place);
    }
  }
}

/** Parties of one size in order of mean skill. */
export class PartyWindow {
  /** Their means, relative to a centre, the spreads within them, and their places in the line. */
  values = new Float64Array(64);
  spreads = new Float64Array(64);
  places = new Int32Array(64);
  count = 0;
  /** The least of the spreads, ∞ for none. */
  leastSpread = Number.POSITIVE_INFINITY;

  clear(): void {
    this.count = 0;
    this.leastSpread = Number.POSITIVE_INFINITY;
  }

  add(value: number, spread: number, place: number): void {
    const at = this.count++;
    if (at === this.values.length) this.#grow();
    this.values[at] = value;
    this.spreads[at] = spread;
    this.places[at] = place;
    if (spread < this.leastSpread) this.leastSpread = spread;
  }

  #grow(): void {
    const { values, spreads, places } = this;
    this.values = new Float64Array(2 * values.length);
    this.values.set(values);
    this.spreads = new Float64Array(2 * values.length);
    this.spreads.set(spreads);
    this.places = new Int32Array(2 * values.length);
    this.places.set(places);
  }
}

/** The most parties that one call of `nearest` may ask for. */
export const nearestMax = 64;

/** The first place whose mean is not below the centre. */
function firstFrom(means: Float64Array, centre: number): number {
  let low = 1;
  let high = means.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (means[middle] < centre) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Follows links to a place that links to itself, and halves the path for later calls. */
function follow(links: Int32Array, place: number): number {
  let at = place;
  while (links[at] !== at) {
    links[at] = links[links[at]];
    at = links[at];
  }
  return at;
}
