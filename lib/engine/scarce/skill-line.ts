import type { PooledTicket } from '../model/pooled-ticket.ts';
import { OldestPlayers } from './oldest-players.ts';

/**
 * The players who accept the same roles, while they leave: in order of skill, and of equal skill the one who has waited longest
 * first. Their places are from 1 to `end` − 1. Places 0 and `end` are empty: their skills are −∞ and ∞.
 */
export class SkillLine {
  readonly end: number;
  /** The skills by place, also of players who have left. */
  readonly skills: Float64Array;
  /** What the wait of each player adds to the cost of a game: the less, the longer the wait. ∞ in empty places. */
  readonly waits: Float64Array;
  /** The players by their waits. */
  readonly oldest: OldestPlayers;
  /** The nearest places above and below that are taken, for those that are. */
  readonly next: Int32Array;
  readonly last: Int32Array;

  readonly #tickets: readonly PooledTicket[];
  readonly #placeOf = new Map<PooledTicket, number>();
  /** Links from places to the nearest taken one from there on; followed links are shortened. */
  readonly #up: Int32Array;
  #hidden = 0;
  readonly #near: number[] = [];
  /** Set by `#windowAt`: its first and last player. */
  #windowFirst = 0;
  #windowLast = 0;

  /**
   * @param players solo players in order of skill
   * @param n the players of a game
   * @param waitOf what the wait of a player adds to the cost of a game
   */
  constructor(players: readonly PooledTicket[], n: number, waitOf: (pooled: PooledTicket) => number) {
    const places = players.length + 2;
    const tickets = players.toSorted((a, b) => a.mean - b.mean || waitOf(a) - waitOf(b));
    this.#tickets = tickets;
    this.end = places - 1;
    this.skills = new Float64Array(places);
    this.waits = new Float64Array(places).fill(Number.POSITIVE_INFINITY);
    tickets.forEach((pooled, i) => {
      this.waits[i + 1] = waitOf(pooled);
      this.skills[i + 1] = pooled.mean;
      this.#placeOf.set(pooled, i + 1);
    });
    this.skills[0] = Number.NEGATIVE_INFINITY;
    this.skills[this.end] = Number.POSITIVE_INFINITY;
    this.oldest = new OldestPlayers(n, this.skills, this.waits);
    this.#up = Int32Array.from({ length: places }, (_, place) => place);
    this.next = this.#up.map((place) => Math.min(place + 1, this.end));
    this.last = this.#up.map((place) => Math.max(place - 1, 0));
  }

  ticketAt(place: number): PooledTicket {
    return this.#tickets[place - 1];
  }

  /** The place of a player, undefined for somebody else. */
  placeOf(pooled: PooledTicket): number | undefined {
    return this.#placeOf.get(pooled);
  }

  remove(place: number): void {
    const next = this.next[place];
    const last = this.last[place];
    this.#up[place] = next;
    this.last[next] = last;
    this.next[last] = next;
    this.oldest.remove(place);
  }

  /** Whether the next player below has the same skill, and has waited as long or longer. */
  hasTwinBefore(place: number): boolean {
    return this.skills[this.last[place]] === this.skills[place];
  }

  /** Leaves out one player until `show` is called. */
  hide(place: number): void {
    this.#hidden = place;
    this.last[this.next[place]] = this.last[place];
    this.next[this.last[place]] = this.next[place];
  }

  show(): void {
    const place = this.#hidden;
    this.#hidden = 0;
    this.last[this.next[place]] = place;
    this.next[this.last[place]] = place;
  }

  /** The first place whose skill is not below the value, or `end`. */
  firstFrom(value: number): number {
    const skills = this.skills;
    let low = 1;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (skills[middle] < value) low = middle + 1;
      else high = middle;
    }
    const up = this.#up;
    while (up[low] !== low) {
      up[low] = up[up[low]];
      low = up[low];
    }
    return low === this.#hidden ? this.next[low] : low;
  }

  /** The places of the nearest players, in order of distance; fewer if there are not as many. */
  nearest(centre: number, count: number): number[] {
    const skills = this.skills;
    const places: number[] = [];
    let above = this.firstFrom(centre);
    let below = this.last[above];
    while (places.length < count) {
      const up = skills[above] - centre;
      const down = centre - skills[below];
      if (up === Number.POSITIVE_INFINITY && down === Number.POSITIVE_INFINITY) return places;
      if (up < down) {
        places.push(above);
        above = this.next[above];
      } else {
        places.push(below);
        below = this.last[below];
      }
    }
    return places;
  }

  /** The least squared distances of so many players from each of two points p ≤ q, all different; ∞ if there are fewer. */
  leastCost(p: number, countP: number, q: number, countQ: number): number {
    const cost = this.#windowAt(p, countP);
    const first = this.#windowFirst;
    const last = this.#windowLast;
    const total = cost + this.#windowAt(q, countQ);
    if (this.#windowFirst > last || total === Number.POSITIVE_INFINITY) return total;
    return this.#contested(p, countP, q, countQ, first, this.#windowLast);
  }

  /** The squared distances of the nearest players from a point; sets the first and the last of them. */
  #windowAt(centre: number, count: number): number {
    const { skills, next, last } = this;
    let above = this.firstFrom(centre);
    let below = last[above];
    let cost = 0;
    for (let i = 0; i < count; i++) {
      const up = skills[above] - centre;
      const down = centre - skills[below];
      if (up < down) {
        cost += up * up;
        above = next[above];
      } else {
        cost += down * down;
        below = last[below];
      }
    }
    this.#windowFirst = next[below];
    this.#windowLast = last[above];
    return cost;
  }

  /**
   * The same when the nearest of both points overlap. Those of p then lie below those of q, because exchanging two that do not
   * costs nothing. So some player is the last that p may have, and both take the nearest on their side of it.
   */
  #contested(p: number, countP: number, q: number, countQ: number, first: number, last: number): number {
    const skills = this.skills;
    const near = this.#near;
    near.length = 0;
    let place = first;
    for (let i = 0; i < countQ; i++) place = this.last[place];
    let beyond = last;
    for (let i = 0; i < countP; i++) beyond = this.next[beyond];
    for (; place !== beyond; place = this.next[place]) near.push(skills[place]);
    near.push(skills[beyond]);
    let least = Number.POSITIVE_INFINITY;
    for (let cut = countP; cut <= near.length - countQ; cut++) {
      let cost = 0;
      // The nearest to p below the cut end at it or before: shift the window down while that is nearer.
      let top = cut;
      while (top > countP && near[top - 1] - p > p - near[top - countP - 1]) top--;
      for (let i = top - countP; i < top; i++) cost += (near[i] - p) ** 2;
      let bottom = cut;
      while (bottom + countQ < near.length && q - near[bottom] > near[bottom + countQ] - q) bottom++;
      for (let i = bottom; i < bottom + countQ; i++) cost += (near[i] - q) ** 2;
      if (cost < least) least = cost;
    }
    return least;
  }
}
