import { skillSpreadBound } from '../bounds/fill-bound.ts';
import { lemma6 } from '../bounds/range-bounds.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Constraints } from '../types.ts';
import type { RuledPool } from './ruled-pool.ts';
import type { RuledChoice, RuledGame, RuledTeams } from './ruled-teams.ts';

/** What waiting is worth in a search: by place, the amount ≥ 0 by which a ticket's wait lowers the cost of its games. */
export interface Credits {
  readonly of: Float64Array;
  readonly most: number;
}

/**
 * The exact search for the best game around one ticket under constraints. It goes depth-first over sets of tickets in
 * ascending order of mean skill. After every ticket that joins, the candidates are filtered again by the constraints,
 * and the fill of the bounds comes from those that are left: that decides about its speed.
 *
 * The caller has begun the constraints and joined the anchor.
 */
export class RuledSearch {
  /** The bound that `run` proved: no game costs less. */
  bound = 0;
  /** The cost of the game that the last `run` found, f less its credit; the limit when it found none. */
  cost = 0;
  /** Whether the node budget ended the last `run`. */
  wasCut = false;
  /** The nodes visited since construction. */
  nodes = 0;

  readonly #q: number;
  readonly #pool: RuledPool;
  readonly #constraints: Constraints;
  readonly #clock: SearchClock;
  readonly #teams: RuledTeams;
  readonly #choice: RuledChoice | undefined;
  readonly #gapPerRange: number;
  /** Whether the bounds come from prefix sums. */
  readonly #isFast: boolean;

  readonly #levels: Candidates[] = [];
  /** The chosen tickets' places and numbers, and the players' values relative to the anchor. */
  readonly #places: Int32Array;
  readonly #numbers: Int32Array;
  readonly #values: Float64Array;
  readonly #fill: Float64Array;

  /** The players of the games that the last `run` searched, Lemma 6 for them, and the imbalance of their empty seats. */
  #n = 0;
  #perRange = 0;
  #empty = 0;
  #credits: Credits | undefined;
  #firstOnly = false;
  #found: RuledGame | undefined;
  #limit = 0;
  #nodesLeft = 0;
  #cutBound = 0;
  /** The least bound at which the search turned back. */
  #pruned = 0;

  constructor(q: number, teams: RuledTeams, constraints: Constraints, pool: RuledPool, clock: SearchClock) {
    this.#clock = clock;
    const { seats } = teams;
    this.#q = q;
    this.#pool = pool;
    this.#constraints = constraints;
    this.#teams = teams;
    this.#choice = teams.choice;
    this.#gapPerRange = pool.hasParties ? 0 : teams.gapPerRange;
    this.#isFast = !pool.hasParties && q === 2;
    this.#places = new Int32Array(seats);
    this.#numbers = new Int32Array(seats);
    this.#values = new Float64Array(seats);
    this.#fill = new Float64Array(seats);
    for (let i = 0; i <= seats; i++) this.#levels.push(new Candidates());
    this.#setPlayers(seats);
  }

  /**
   * The best game of n players with the anchor and these candidates whose cost, f less the greatest credit of its tickets,
   * is below `limit`; undefined if none was found. `bound` is proved in both cases.
   *
   * @param candidates places in ascending order, the anchor not among them; the first `count` are taken
   * @param firstOnly ends with the first game below the limit
   */
  run(
    anchor: number,
    candidates: Int32Array,
    count: number,
    n: number,
    limit: number,
    nodeBudget: number,
    credits?: Credits,
    firstOnly = false,
  ): RuledGame | undefined {
    const { means, numbers, tickets, sizes } = this.#pool;
    this.#setPlayers(n);
    this.#found = undefined;
    this.#credits = credits;
    this.#firstOnly = firstOnly;
    this.#limit = limit;
    this.#nodesLeft = nodeBudget;
    this.#cutBound = this.#pruned = Number.POSITIVE_INFINITY;
    const level = this.#levels[0];
    level.clear(count);
    const origin = means[anchor];
    for (let i = 0; i < count; i++) {
      const place = candidates[i];
      level.add(place, numbers[place], means[place] - origin);
    }
    this.#places[0] = anchor;
    this.#numbers[0] = numbers[anchor];
    const size = sizes[anchor];
    this.#values.fill(0, 0, size);
    const fits = size <= n;
    if (
      fits &&
      (!this.#choice || this.#choice.start(tickets[anchor], this.#ticketsOf(candidates, count), n))
    ) {
      const credit = credits ? credits.of[anchor] : 0;
      this.#extend(0, 1, size, 0, 0, tickets[anchor].spread, credit);
    }
    this.nodes += nodeBudget - this.#nodesLeft;
    this.wasCut = this.#cutBound < Number.POSITIVE_INFINITY;
    this.cost = this.#limit;
    // Without a game, the search may have turned back at bounds above the limit only.
    const proved = this.#found ? this.#limit : Math.max(limit, this.#pruned * rounded);
    this.bound = Math.min(proved, this.#cutBound);
    return this.#found;
  }

  /** The least imbalance of a full game of the anchor with the first of these candidates, none of them below it. */
  root(anchor: number, candidates: Int32Array, count: number): number {
    const { means, sizes, tickets } = this.#pool;
    this.#setPlayers(this.#teams.seats);
    const r = this.#n - sizes[anchor];
    if (r === 0) return 0;
    const cost = this.#constraints.hasCosts ? this.#constraints.cost() * rounded : 0;
    if (this.#isFast) return this.#fastRoot(means[anchor], candidates, r) * rounded + cost;
    const fill = this.#fill;
    let filled = 0;
    for (let i = 0; i < count && filled < r; i++) {
      const value = means[candidates[i]] - means[anchor];
      for (let s = 0; s < sizes[candidates[i]] && filled < r; s++) fill[filled++] = value;
    }
    if (filled < r) return Number.POSITIVE_INFINITY;
    this.#values.fill(0, 0, sizes[anchor]);
    const chosen = {
      values: this.#values,
      m: sizes[anchor],
      sum: 0,
      squares: 0,
      within: tickets[anchor].spread,
    };
    return skillSpreadBound(chosen, fill, r, this.#q, this.#perRange) * rounded + cost;
  }

  /** `dominanceBound` of a solo player with the first r candidates, none of them below it. */
  #fastRoot(mean: number, candidates: Int32Array, r: number): number {
    const { means } = this.#pool;
    const last = means[candidates[r - 1]] - mean;
    let sum = last;
    let squares = last * last;
    let top = 1;
    while (top < r) {
      const value = means[candidates[r - top - 1]] - mean;
      if (value * (1 + top) < sum) break;
      sum += value;
      squares += value * value;
      top++;
    }
    return Math.sqrt(Math.max(0, squares - (sum * sum) / (1 + top)) / this.#n);
  }

  #setPlayers(n: number): void {
    if (n === this.#n) return;
    this.#n = n;
    const { seats, perRange } = this.#teams;
    // Where the range is added to the bounds as teamGap, it must not count twice.
    this.#perRange = n === seats && this.#gapPerRange === 0 ? perRange : lemma6(n / 2, this.#q);
    this.#empty = (this.#teams.seats - n) * this.#teams.emptySeatCost;
  }

  #ticketsOf(candidates: Int32Array, count: number): PooledTicket[] {
    const { tickets } = this.#pool;
    return Array.from({ length: count }, (_, i) => tickets[candidates[i]]);
  }

  /**
   * Tries every next ticket of level `depth`, with t tickets of m players chosen.
   *
   * @param sum of the values of the players chosen, of their squares, and the SSD within their parties
   */
  #extend(
    depth: number,
    t: number,
    m: number,
    sum: number,
    squares: number,
    within: number,
    credit: number,
  ): void {
    const n = this.#n;
    if (m === n) {
      this.#leaf(t, credit);
      return;
    }
    const constraints = this.#constraints;
    const level = this.#levels[depth];
    const { places, values, count } = level;
    const { numbers, sizes, tickets } = this.#pool;
    const r = n - m;
    const cost = constraints.hasCosts ? constraints.cost() * rounded : 0;
    const gapPerRange = this.#gapPerRange;
    const certain = cost + this.#empty;
    const credits = this.#credits;
    const choice = this.#choice;
    const mostCredit = credits ? credits.most : 0;
    level.top = Math.min(r, n >> 1);
    if (this.#clock.isOver(1 + (count >> 6))) this.#nodesLeft = 0;
    for (let j = 0; j < count; j++) {
      let bound = this.#isFast
        ? this.#fastBound(level, j, m, r, sum, squares, certain - mostCredit)
        : this.#bound(level, j, m, r, sum, squares, within) + certain - mostCredit;
      if (gapPerRange > 0 && bound < this.#limit) bound += gapPerRange * this.#rangeWith(level, j, m, r);
      if (bound >= this.#limit) {
        if (bound < this.#pruned) this.#pruned = bound;
        break;
      }
      if (this.#nodesLeft <= 0) {
        if (bound < this.#cutBound) this.#cutBound = bound;
        return;
      }
      const place = places[j];
      const size = sizes[place];
      const number = numbers[place];
      if (constraints.hasCosts) {
        const withIt = bound - cost + constraints.costWith(number) * rounded;
        if (withIt >= this.#limit) {
          if (withIt < this.#pruned) this.#pruned = withIt;
          continue;
        }
      }
      this.#nodesLeft--;
      if (choice && !choice.mayJoin(tickets[place], r)) continue;
      const value = values[j];
      this.#places[t] = place;
      this.#numbers[t] = number;
      for (let s = 0; s < size; s++) this.#values[m + s] = value;
      const isSeated = !choice || choice.join(tickets[place]);
      if (isSeated) {
        constraints.join(number);
        const nextSum = sum + size * value;
        const nextSquares = squares + size * value * value;
        const nextCredit = credits ? Math.max(credit, credits.of[place]) : 0;
        if (m + size === n) this.#leaf(t + 1, nextCredit);
        else if (this.#filter(depth, j + 1, m + size, nextSum, nextSquares)) {
          this.#extend(
            depth + 1,
            t + 1,
            m + size,
            nextSum,
            nextSquares,
            within + tickets[place].spread,
            nextCredit,
          );
        }
        constraints.leave(number);
      }
      choice?.leave();
      if (this.#firstOnly && this.#found) return;
    }
  }

  /** No game of the chosen with any rest from candidate j on, or from a later one, has a smaller range. For solo players. */
  #rangeWith({ values, count }: Candidates, j: number, m: number, r: number): number {
    if (j + r > count) return 0;
    const lowest = m > 1 ? Math.min(0, this.#values[1]) : 0;
    return (Math.max(0, values[j + r - 1]) - lowest) * rounded;
  }

  /** Puts the candidates of a level from `from` on that may still join into the next level. Returns whether they are enough. */
  #filter(depth: number, from: number, m: number, sum: number, squares: number): boolean {
    const { places, numbers, values, count } = this.#levels[depth];
    const next = this.#levels[depth + 1];
    const constraints = this.#constraints;
    const { sizes, tickets } = this.#pool;
    const n = this.#n;
    const r = n - m;
    const room = this.#limit + (this.#credits ? this.#credits.most : 0);
    const { hasCosts } = constraints;
    const isFast = this.#isFast;
    const base = squares - (sum * sum) / m;
    const mean = sum / m;
    const choice = this.#choice;
    // The sum of squares with which the chosen and one more are at the limit.
    const farthest = room > 0 ? room * room * n : 0;
    let to = count;
    if (isFast) {
      // v_q of the chosen with one ticket alone; with those after it, it is greater.
      const aloneWith = (i: number) => {
        const far = values[i] - mean;
        return far > 0 ? base + (far * far * m) / (m + 1) : Number.NEGATIVE_INFINITY;
      };
      while (to > from && aloneWith(to - 1) >= farthest) to--;
      if (to < count) {
        const bound = Math.sqrt(aloneWith(to) / n) * rounded - (room - this.#limit);
        this.#pruned = Math.min(this.#pruned, Math.max(this.#limit, bound));
      }
    }
    next.clear(to - from);
    const { kept } = next;
    const left = constraints.keep(numbers, from, to, kept);
    let players = 0;
    for (let k = 0; k < left; k++) {
      const i = kept[k];
      const place = places[i];
      if (sizes[place] > r) continue;
      if (choice && !choice.hasSeat(tickets[place])) continue;
      if (hasCosts) {
        const far = values[i] - mean;
        // v_q of the chosen with this one alone, and the costs with it.
        const rest = room - constraints.costWith(numbers[i]) * rounded;
        if (rest <= 0 || (isFast && base + (far * far * m) / (m + 1) >= rest * rest * n)) {
          this.#pruned = Math.min(this.#pruned, this.#limit);
          continue;
        }
      }
      next.add(place, numbers[i], values[i]);
      players += sizes[place];
    }
    this.#nodesLeft -= (count - from) >> 6;
    this.#clock.isOver(1 + ((count - from) >> 4));
    return players >= r;
  }

  /** `#bound` for solo players and q = 2 from prefix sums, as `dominanceBound`. Cost: constant on average. */
  #fastBound(
    level: Candidates,
    j: number,
    m: number,
    r: number,
    sum: number,
    squares: number,
    certain: number,
  ): number {
    const { values, sums, squareSums, count } = level;
    if (j + r > count) return Number.POSITIVE_INFINITY;
    const end = sums[j + r];
    const n = this.#n;
    let ssd: number;
    if (values[j + r - 1] * m < sum) ssd = squares - (sum * sum) / m;
    else {
      // The next start of the fill has as many values above the mean, or more.
      let top = level.top;
      while (top > 1 && values[j + r - top] * (m + top - 1) < sum + end - sums[j + r - top + 1]) top--;
      while (top < r && values[j + r - top - 1] * (m + top) >= sum + end - sums[j + r - top]) top++;
      level.top = top;
      const total = sum + end - sums[j + r - top];
      ssd = squares + squareSums[j + r] - squareSums[j + r - top] - (total * total) / (m + top);
    }
    ssd = Math.max(0, ssd - lost * squareSums[j + r]);
    const room = this.#limit - certain;
    if (room > 0 && ssd < room * room * n * rounded) return certain + Math.sqrt(ssd / n) * rounded;
    return Math.max(this.#limit, certain + Math.sqrt(ssd / n) * rounded);
  }

  /** A lower bound on v_q of the chosen with any rest from candidate j on. */
  #bound(
    level: Candidates,
    j: number,
    m: number,
    r: number,
    sum: number,
    squares: number,
    within: number,
  ): number {
    const { places, values, count } = level;
    const { sizes } = this.#pool;
    const fill = this.#fill;
    let filled = 0;
    for (let i = j; i < count && filled < r; i++) {
      for (let s = 0; s < sizes[places[i]] && filled < r; s++) fill[filled++] = values[i];
    }
    if (filled < r) return Number.POSITIVE_INFINITY;
    const chosen = { values: this.#values, m, sum, squares, within };
    return skillSpreadBound(chosen, fill, r, this.#q, this.#perRange) * rounded;
  }

  #leaf(t: number, credit: number): void {
    const { tickets } = this.#pool;
    const constraints = this.#constraints;
    const members: PooledTicket[] = [];
    for (let i = 0; i < t; i++) members.push(tickets[this.#places[i]]);
    const teams = this.#teams;
    const v = teams.skillSpread(members) + this.#empty;
    const cost = constraints.hasCosts ? constraints.cost() : 0;
    const limit = this.#limit + credit;
    if (v + cost >= limit) {
      this.#pruned = Math.min(this.#pruned, Math.max(this.#limit, v + cost - credit));
      return;
    }
    const values = this.#pool.hasParties ? undefined : this.#values;
    const f = teams.divide(members, this.#numbers, v, cost, limit, values);
    this.#nodesLeft -= teams.takeWork();
    if (teams.wasCut) this.#cutBound = Math.min(this.#cutBound, v + cost - credit);
    if (f === Number.POSITIVE_INFINITY) {
      this.#pruned = Math.min(this.#pruned, this.#limit);
      return;
    }
    this.#limit = f - credit;
    this.#found = {
      members,
      division: teams.division,
      imbalance: f,
      places: this.#places.slice(0, t),
    };
  }
}

/** Candidates in ascending order with their values relative to the anchor, and prefix sums of those. */
class Candidates {
  count = 0;
  /** How many of the fill are above the mean at the last start. */
  top = 1;
  places = new Int32Array(64);
  numbers = new Int32Array(64);
  values = new Float64Array(64);
  sums = new Float64Array(65);
  squareSums = new Float64Array(65);
  /** The positions of the candidates in the level before. */
  kept = new Int32Array(64);

  clear(room: number): void {
    this.count = 0;
    if (room <= this.places.length) return;
    this.places = new Int32Array(2 * room);
    this.numbers = new Int32Array(2 * room);
    this.kept = new Int32Array(2 * room);
    this.values = new Float64Array(2 * room);
    this.sums = new Float64Array(2 * room + 1);
    this.squareSums = new Float64Array(2 * room + 1);
  }

  add(place: number, number: number, value: number): void {
    const at = this.count++;
    this.places[at] = place;
    this.numbers[at] = number;
    this.values[at] = value;
    this.sums[at + 1] = this.sums[at] + value;
    this.squareSums[at + 1] = this.squareSums[at] + value * value;
  }
}

/** Bounds from sums are lowered by this factor, so that rounding never raises them above a game. */
const rounded = 1 - 1e-9;

/** What a difference of two prefix sums may have lost of the larger one, for up to ten thousand candidates. */
const lost = 1e-12;
