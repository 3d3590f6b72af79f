import { skillSpreadBound } from '../bounds/fill-bound.ts';
import { lemma6 } from '../bounds/range-bounds.ts';
import { skillSpreadOfRelative } from '../model/imbalance.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Forbids, GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import { Seating } from './seating.ts';
import { ShapeDivider } from './shape-divider.ts';
import type { ShapedGame } from './shape-game.ts';
import { areAlike, type ShapeTicket } from './shape-ticket.ts';
import { SizeMixes } from './size-mixes.ts';

/** The scope of a search: games of the anchor with others of these candidates. */
export interface Scope {
  readonly anchor: ShapeTicket;
  /** Ascending by mean skill, without the anchor. */
  readonly candidates: readonly ShapeTicket[];
  /** The amount ≥ 0 by which the wait of the anchor, and of each candidate, lowers the cost of its games. @default 0 */
  readonly credits?: { readonly anchor: number; readonly candidates: ArrayLike<number> };
  /** Whether the anchor takes the one seat of the only team of one player, against one other team. @default false */
  readonly isLone?: boolean;
}

/**
 * The exact search for the best game of n players around one ticket, for teams of any number and sizes, up to 16 players.
 *
 * It goes depth-first over sets of tickets: the anchor, then the others in ascending order of mean skill. Each player
 * counts as the mean of its party. The bounds use the fill, the next players of the list (docs/engine-proofs.md). Whenever
 * a ticket has joined after which some candidates cannot be seated or may not meet it, the list is filtered again, so that
 * the fill consists of players who can still join.
 */
export class AnchoredSearch {
  /** The bound that `run` proved: no game costs less. */
  bound = 0;
  /** Whether the node budget ended the last `run`. */
  wasCut = false;
  /** The nodes visited since construction, with divisions converted to nodes. */
  nodes = 0;

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #forbids: Forbids | undefined;
  readonly #clock: SearchClock;
  readonly #divider: ShapeDivider;
  readonly #seating: Seating | undefined;
  readonly #mixes: SizeMixes;
  readonly #levels: Level[] = [];

  readonly #chosen: ShapeTicket[] = [];
  /** The values of the chosen players, in the order in which they were chosen. */
  readonly #values: Float64Array;
  readonly #fill: Float64Array;
  #leaf = new Float64Array(0);
  #n = 0;
  #perRange = 0;
  #empty = 0;
  #hasParties = false;
  #hasCredits = false;
  /** Whether all teams are pairs and players are chosen in ascending order: the first then plays with the last, and so on. */
  #arePairs = false;
  #lone = 0;
  #loneShift = 0;
  /** f ≥ `#loneFactor`·√(the sum of the squared distances of all players from the lone one); 0 with offsets. */
  #loneFactor = 0;
  #limit = 0;
  #pruned = 0;
  #cutBound = 0;
  #nodesLeft = 0;
  #game: ShapedGame | undefined;
  #onlyFirst = false;

  constructor(rules: GameRules, layout: Layout, forbids: Forbids | undefined, clock: SearchClock) {
    this.#clock = clock;
    this.#rules = rules;
    this.#layout = layout;
    this.#forbids = forbids;
    this.#divider = new ShapeDivider(rules, layout, clock);
    this.#seating =
      layout.classes &&
      new Seating(
        layout.classes.map(({ seats }) => seats),
        layout.seats,
      );
    this.#mixes = new SizeMixes(layout);
    this.#values = new Float64Array(layout.seats);
    this.#fill = new Float64Array(layout.seats);
  }

  /**
   * The game of n players that costs least below `limit`, undefined if none was found. Visits at most `nodeBudget` nodes;
   * `bound` is the proved bound in both cases. It may be above `limit` when no game was found.
   */
  run(scope: Scope, n: number, limit: number, nodeBudget: number): ShapedGame | undefined {
    return this.#run(scope, n, limit, nodeBudget, false);
  }

  /** Any game of n players, undefined if none was found. Proves nothing. */
  any(scope: Scope, n: number, nodeBudget: number): ShapedGame | undefined {
    return this.#run(scope, n, Number.POSITIVE_INFINITY, nodeBudget, true);
  }

  #run(scope: Scope, n: number, limit: number, nodeBudget: number, onlyFirst: boolean) {
    const { anchor, candidates, credits } = scope;
    const { alpha, p } = this.#rules;
    this.#n = n;
    this.#perRange = lemma6(n / 2, this.#rules.q);
    this.#empty = (this.#layout.seats - n) * this.#layout.emptySeatCost;
    this.#hasCredits = credits !== undefined;
    this.#hasParties = anchor.size > 1;
    this.#onlyFirst = onlyFirst;
    this.#limit = limit;
    this.#pruned = Number.POSITIVE_INFINITY;
    this.#cutBound = Number.POSITIVE_INFINITY;
    this.#nodesLeft = nodeBudget;
    this.#game = undefined;
    if (this.#leaf.length !== n) this.#leaf = new Float64Array(n);
    this.#lone = 0;
    this.#loneFactor = 0;
    if (scope.isLone && p === 1 && n > 1) this.#measureLone(n, alpha);
    this.#arePairs = this.#formPairs(scope);
    this.#chosen.length = 0;
    this.#mixes.start(anchor, candidates, n);
    const seating = this.#seating;
    seating?.clear();
    const isSeated = !seating || this.#seatAnchor(scope);
    if (isSeated && anchor.size <= n && this.#mixes.fits(anchor)) {
      this.#load(scope);
      this.#chosen.push(anchor);
      this.#mixes.join(anchor);
      this.#values.fill(0, 0, anchor.size);
      const credit = credits ? credits.anchor : 0;
      this.#extend(anchor.size, 0, 0, 0, 0, anchor.spread, credit);
    }
    this.nodes += nodeBudget - this.#nodesLeft + (this.#divider.steps >> 4);
    this.#divider.steps = 0;
    const proved = this.#game ? this.#limit : Math.max(this.#limit, this.#pruned * (1 - 1e-12));
    this.bound = Math.min(proved, this.#cutBound);
    this.wasCut = this.#cutBound < Number.POSITIVE_INFINITY;
    return this.#game;
  }

  #formPairs({ anchor, candidates }: Scope): boolean {
    const { kinds, classes, seats } = this.#layout;
    if (kinds.length > 1 || kinds[0].size !== 2 || classes !== undefined) return false;
    if (this.#rules.p !== 1 || this.#n < seats || candidates.length === 0) return false;
    return (
      candidates[0].mean >= anchor.mean && anchor.size === 1 && candidates.every(({ size }) => size === 1)
    );
  }

  /** The weight of |rest + shift| in f, where `rest` is the sum of all players but the lone one, relative to it. */
  #measureLone(n: number, alpha: number): void {
    const { kinds, kindOf } = this.#layout;
    const meanSize = n / 2;
    const first = kinds[kindOf[0]];
    const second = kinds[kindOf[1]];
    const [alone, others] = first.size === 1 ? [first, second] : [second, first];
    this.#lone = (alpha * meanSize) / (n - 1);
    this.#loneShift = ((others.offset - alone.offset) * (n - 1)) / meanSize;
    // For a given sum of squares f is concave in |rest|, so it is least where rest is 0 or all others are equal.
    const allEqual = this.#lone * Math.sqrt(n - 1) + 1 / n;
    this.#loneFactor = this.#loneShift === 0 ? Math.min(1 / Math.sqrt(n), allEqual) * (1 - 1e-12) : 0;
  }

  /** Seats the anchor: a lone one in its own class of seats. */
  #seatAnchor({ anchor, isLone }: Scope): boolean {
    const seating = this.#seating!;
    if (!isLone) return seating.join(anchor.classes!);
    const lone = this.#layout.classes!.findIndex(({ seats }) => seats === 1);
    return (anchor.classes![0] & (1 << lone)) !== 0 && seating.joinOne(1 << lone);
  }

  /** Puts the candidates that may join the anchor into the first level. */
  #load({ anchor, candidates, credits }: Scope): void {
    const level = this.#level(0, candidates.length, candidates);
    let count = 0;
    let players = 0;
    for (let i = 0; i < candidates.length; i++) {
      const ticket = candidates[i];
      if (this.#seating && !this.#seating.admits(ticket.classes!)) continue;
      if (this.#forbids && this.#forbids(anchor.ticket, ticket.ticket) !== undefined) continue;
      if (ticket.size > 1) this.#hasParties = true;
      level.tickets[count] = ticket;
      level.first[count] = players;
      const value = ticket.mean - anchor.mean;
      for (let s = 0; s < ticket.size; s++) level.add(players++, value);
      if (credits) level.credit[count] = credits.candidates[i];
      count++;
    }
    level.close(count, players, this.#hasCredits);
  }

  /**
   * Tries every next ticket from place `from` of a level on. m players are chosen, with this sum, these squares and this
   * spread within their parties.
   */
  #extend(
    m: number,
    depth: number,
    from: number,
    sum: number,
    squares: number,
    within: number,
    credit: number,
  ): void {
    const n = this.#n;
    const r = n - m;
    if (r === 0) {
      this.#offer(credit);
      return;
    }
    const level = this.#levels[depth];
    if (r === 1 && this.#lone > 0 && !this.#hasParties && !this.#hasCredits && this.#rules.q === 2) {
      this.#lastSeat(level, from, sum, squares);
      return;
    }
    const { tickets, first, count, players, values, sums, squaresOf } = level;
    const isSquare = this.#rules.q === 2;
    const isFree = this.#layout.isFreeForAll;
    const { alpha } = this.#rules;
    let top = Math.min(r, n >> 1);
    // The sums of the pairs that are complete, and the player with whom the next one plays.
    let lowSum = Number.POSITIVE_INFINITY;
    let highSum = Number.NEGATIVE_INFINITY;
    const isPairing = this.#arePairs && m > r;
    for (let i = n >> 1; isPairing && i < m; i++) {
      const pair = this.#values[i] + this.#values[n - 1 - i];
      lowSum = Math.min(lowSum, pair);
      highSum = Math.max(highSum, pair);
    }
    if (this.#clock.isOver(1 + ((count - from) >> 6))) this.#nodesLeft = 0;
    for (let j = from; j < count; j++) {
      const at = first[j];
      const last = at + r;
      if (last > players) break;
      const ticket = tickets[j];
      if (this.#hasParties && (ticket.size > r || !this.#mixes.fits(ticket))) continue;
      if (j > from && !this.#forbids && level.isTwin(j, this.#hasCredits)) continue;
      let v: number;
      if (isSquare) {
        // The dominance bound: the chosen with the top of the fill that is above their common mean.
        const end = sums[last];
        while (top < r && values[last - top - 1] * (m + top) >= sum + end - sums[last - top]) top++;
        while (top > 1 && values[last - top] * (m + top) < sum + end - sums[last - top]) top--;
        let deviation: number;
        if (values[last - 1] * m < sum) deviation = squares - (sum * sum) / m;
        else {
          const s = sum + end - sums[last - top];
          deviation = squares + squaresOf[last] - squaresOf[last - top] - (s * s) / (m + top);
        }
        v = Math.sqrt(Math.max(0, deviation + within) / n);
      } else v = this.#spreadBound(level, at, m, sum, squares, within);
      let bound = v + this.#empty;
      if (isFree) bound += alpha * (Math.max(0, values[last - 1]) - Math.min(0, this.#lowest(m)));
      else if (this.#lone > 0 && isSquare) {
        bound = Math.max(
          bound,
          this.#loneBound(m, r, sum, squares, sums[last] - sums[at], sums[players] - sums[players - r]),
        );
        if (this.#loneFactor > 0)
          bound = Math.max(bound, this.#loneFactor * Math.sqrt(squares + level.nearest(at, r)) + this.#empty);
      }
      if (this.#hasCredits) bound -= Math.max(credit, level.creditFrom[j]);
      if (bound >= this.#limit) {
        if (bound < this.#pruned) this.#pruned = bound;
        break;
      }
      if (isPairing) {
        const pair = values[at] + this.#values[n - 1 - m];
        const apart = bound + alpha * (Math.max(highSum, pair) - Math.min(lowSum, pair)) * (1 - 1e-12);
        if (apart >= this.#limit) {
          if (apart < this.#pruned) this.#pruned = apart;
          if (pair > highSum) break;
          continue;
        }
      }
      if (this.#nodesLeft <= 0) {
        if (bound < this.#cutBound) this.#cutBound = bound;
        return;
      }
      this.#nodesLeft--;
      this.#choose(j, level, m, depth, sum, squares, within, credit);
      if (this.#onlyFirst && this.#game) return;
    }
  }

  /** Chooses candidate j of a level and goes on, if it can be seated with the others. */
  #choose(
    j: number,
    level: Level,
    m: number,
    depth: number,
    sum: number,
    squares: number,
    within: number,
    credit: number,
  ): void {
    const ticket = level.tickets[j];
    const { size, spread } = ticket;
    const value = level.values[level.first[j]];
    const seating = this.#seating;
    const full = seating ? seating.full : 0;
    if (seating && !seating.join(ticket.classes!)) return;
    this.#chosen.push(ticket);
    if (this.#hasParties) this.#mixes.join(ticket);
    for (let s = 0; s < size; s++) this.#values[m + s] = value;
    const nextSum = sum + size * value;
    const nextSquares = squares + size * value * value;
    const nextCredit = this.#hasCredits ? Math.max(credit, level.credit[j]) : 0;
    const isTighter = (seating !== undefined && seating.full !== full) || this.#forbids !== undefined;
    if (isTighter && m + size < this.#n) {
      this.#filter(level, depth + 1, j + 1, ticket);
      this.#extend(m + size, depth + 1, 0, nextSum, nextSquares, within + spread, nextCredit);
    } else this.#extend(m + size, depth, j + 1, nextSum, nextSquares, within + spread, nextCredit);
    if (this.#hasParties) this.#mixes.leave(ticket);
    this.#chosen.pop();
    seating?.leave(size);
  }

  /** Keeps the candidates from place `from` on that may join after this ticket has. */
  #filter(level: Level, depth: number, from: number, joined: ShapeTicket): void {
    const next = this.#level(depth, level.count - from);
    let count = 0;
    let players = 0;
    for (let j = from; j < level.count; j++) {
      const ticket = level.tickets[j];
      if (this.#seating && !this.#seating.admits(ticket.classes!)) continue;
      if (this.#forbids && this.#forbids(joined.ticket, ticket.ticket) !== undefined) continue;
      next.tickets[count] = ticket;
      next.first[count] = players;
      const value = level.values[level.first[j]];
      for (let s = 0; s < ticket.size; s++) next.add(players++, value);
      if (this.#hasCredits) next.credit[count] = level.credit[j];
      count++;
    }
    next.close(count, players, this.#hasCredits);
  }

  /** The last seat beside a lone anchor: f is convex in its skill, so it is tried outward from the least. */
  #lastSeat({ tickets, values, count }: Level, from: number, sum: number, squares: number): void {
    const n = this.#n;
    const m = n - 1;
    let low = from;
    for (let high = count; low < high; ) {
      const middle = (low + high) >> 1;
      if (values[middle] < -sum - this.#loneShift) low = middle + 1;
      else high = middle;
    }
    // Beyond both the kink of teamGap and the mean, f only grows; between them teamGap outweighs.
    const isSteep = this.#lone * n >= Math.sqrt(m);
    const base = squares - (sum * sum) / m;
    for (const step of [1, -1]) {
      for (let j = step > 0 ? low : low - 1; j >= from && j < count; j += step) {
        const distance = values[j] - sum / m;
        const v = Math.sqrt(Math.max(0, base + (distance * distance * m) / n) / n);
        const f = this.#lone * Math.abs(sum + values[j] + this.#loneShift) + v + this.#empty;
        if (f >= this.#limit) {
          if (f < this.#pruned) this.#pruned = f;
          if (isSteep) break;
          continue;
        }
        if (this.#nodesLeft <= 0) {
          if (f < this.#cutBound) this.#cutBound = f;
          return;
        }
        this.#nodesLeft--;
        const ticket = tickets[j];
        if (this.#seating && !this.#seating.admits(ticket.classes!)) continue;
        this.#chosen.push(ticket);
        this.#offer(0);
        this.#chosen.pop();
      }
    }
  }

  /**
   * The least of lone·|rest| + v over all rests whose sum is at least that of the fill and at most that of the last
   * players of the list: at the kink, or at the end that is nearer to it.
   */
  #loneBound(m: number, r: number, sum: number, squares: number, fill: number, top: number): number {
    const slope = Math.sqrt(m / (r * (m + r) * this.#n));
    if (this.#lone < slope) return 0;
    const rest = Math.max(Math.min(-sum - this.#loneShift, top), fill);
    const apart = rest - (r * sum) / m;
    const deviation = squares - (sum * sum) / m + (m / (r * (m + r))) * apart * apart;
    const v = Math.sqrt(Math.max(0, deviation) / this.#n);
    return (this.#lone * Math.abs(sum + rest + this.#loneShift) + v) * (1 - 1e-12) + this.#empty;
  }

  #spreadBound(level: Level, at: number, m: number, sum: number, squares: number, within: number): number {
    const r = this.#n - m;
    for (let i = 0; i < r; i++) this.#fill[i] = level.values[at + i];
    const chosen = { values: this.#values, m, sum, squares, within };
    return skillSpreadBound(chosen, this.#fill, r, this.#rules.q, this.#perRange);
  }

  #lowest(m: number): number {
    return m > this.#chosen[0].size ? this.#values[this.#chosen[0].size] : 0;
  }

  /** Keeps the fairest division of the chosen tickets if it costs less than the limit. */
  #offer(credit: number): void {
    const leaf = this.#leaf;
    const origin = this.#chosen[0].mean;
    let players = 0;
    for (const { skills } of this.#chosen)
      for (let i = 0; i < skills.length; i++) leaf[players++] = skills[i] - origin;
    const v = skillSpreadOfRelative(leaf, this.#rules.q) + this.#empty - credit;
    if (v >= this.#limit) {
      if (v < this.#pruned) this.#pruned = v;
      return;
    }
    const divider = this.#divider;
    const d = divider.divide(this.#chosen, (this.#limit - v) / this.#rules.alpha);
    if (divider.wasCut && v < this.#cutBound) this.#cutBound = v;
    if (d === Number.POSITIVE_INFINITY) {
      if (this.#limit < this.#pruned) this.#pruned = this.#limit;
      return;
    }
    this.#limit = v + this.#rules.alpha * d;
    this.#game = {
      members: [...this.#chosen],
      teams: divider.teams.slice(0, players),
      imbalance: this.#limit + credit,
    };
  }

  #level(depth: number, tickets: number, candidates?: readonly ShapeTicket[]): Level {
    this.#levels[depth] ??= new Level();
    const level = this.#levels[depth];
    let players = tickets;
    if (candidates) for (const { size } of candidates) players += size - 1;
    else players = this.#levels[depth - 1].players;
    level.makeRoom(tickets, players);
    return level;
  }
}

/** Candidates in ascending order of skill, with running sums over their players from which every fill is read. */
class Level {
  count = 0;
  players = 0;
  tickets: ShapeTicket[] = [];
  /** The place of each candidate's first player. */
  first = new Int32Array(0);
  credit = new Float64Array(0);
  /** The greatest credit from each candidate on. */
  creditFrom = new Float64Array(0);
  /** The values of the players, and the sums of values and squares before each. */
  values = new Float64Array(0);
  sums = new Float64Array(1);
  squaresOf = new Float64Array(1);
  /** The place of the first player whose value is not below 0. */
  zero = 0;

  makeRoom(tickets: number, players: number): void {
    if (this.first.length < tickets) {
      const room = 2 * tickets;
      this.first = new Int32Array(room);
      this.credit = new Float64Array(room);
      this.creditFrom = new Float64Array(room + 1);
    }
    if (this.values.length < players) {
      const room = 2 * players;
      this.values = new Float64Array(room);
      this.sums = new Float64Array(room + 1);
      this.squaresOf = new Float64Array(room + 1);
    }
  }

  /** Adds a player with this value. */
  add(at: number, value: number): void {
    this.values[at] = value;
    this.sums[at + 1] = this.sums[at] + value;
    this.squaresOf[at + 1] = this.squaresOf[at] + value * value;
  }

  close(count: number, players: number, hasCredits: boolean): void {
    this.count = count;
    this.players = players;
    this.zero = firstFrom(this.values, players, 0);
    if (!hasCredits) return;
    this.creditFrom[count] = 0;
    for (let j = count - 1; j >= 0; j--)
      this.creditFrom[j] = Math.max(this.creditFrom[j + 1], this.credit[j]);
  }

  /** The sum of the r least squares of the players from place `from` on. */
  nearest(from: number, r: number): number {
    const { values, players, squaresOf } = this;
    if (values[from] >= 0) return squaresOf[from + r] - squaresOf[from];
    let up = Math.min(this.zero, players);
    let down = up - 1;
    let sum = 0;
    for (let left = r; left > 0; left--) {
      const below = down >= from ? -values[down] : Number.POSITIVE_INFINITY;
      const above = up < players ? values[up] : Number.POSITIVE_INFINITY;
      const value = below <= above ? values[down--] : values[up++];
      sum += value * value;
    }
    return sum;
  }

  /** Whether candidate j forms the same games as its predecessor. */
  isTwin(j: number, hasCredits: boolean): boolean {
    return (
      this.values[this.first[j]] === this.values[this.first[j - 1]] &&
      areAlike(this.tickets[j], this.tickets[j - 1]) &&
      (!hasCredits || this.credit[j] === this.credit[j - 1])
    );
  }
}

/** The first place among `length` ascending values from which on none is below `least`. */
function firstFrom(values: Float64Array, length: number, least: number): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >> 1;
    if (values[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
