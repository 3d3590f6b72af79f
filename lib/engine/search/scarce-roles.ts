import { KeyHeap } from '../collections/key-heap.ts';
import { type DividedGame, divisionBy } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { skillSpread, teamGap } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import type { GameRules } from '../types.ts';

/**
 * The best game of a pool in which most players accept one role only, the **dense** one, and the others only **scarce** roles.
 * It branches by scarcity: it enumerates the scarce players of a game with their teams, and then fills the dense seats.
 *
 * Let n scarce players with mean m have the sum of squared deviations SSD, and let the sums of their teams differ by S. With
 * d = N − n dense players f ≥ √((SSD + S²/d)/N), since the dense ones of the teams are best around m ∓ S/d. `#fillBound` also
 * uses where dense players are: it is the bound with two centres (docs/engine-proofs.md).
 *
 * An entry is a scarce player with the games of which it is the lowest scarce one. Removals leave bounds valid; inserts need a
 * new object.
 */
export class ScarceRoles {
  readonly #rules: GameRules;
  readonly #roles: RoleTable;
  readonly #n: number;
  readonly #scarceSeats: number;
  readonly #denseSeats: number;
  /** Scarce players in order of skill, and dense ones with empty places at both ends. */
  readonly #scarce: readonly PooledTicket[];
  readonly #dense: readonly (PooledTicket | undefined)[];
  readonly #denseSkills: Float64Array;
  readonly #up: Int32Array;
  readonly #next: Int32Array;
  readonly #last: Int32Array;
  readonly #placeOf = new Map<PooledTicket, number>();
  readonly #isHere: Uint8Array;
  readonly #heap = new KeyHeap();
  /** By entry: a lower bound on its games, its best known game, and on whom the bound depends. */
  readonly #keys: Float64Array;
  readonly #games: (DividedGame | undefined)[];
  readonly #basis: (readonly number[] | undefined)[];
  readonly #gone = new Set<PooledTicket>();

  readonly #chosen: number[] = [];
  /** The role sets of the chosen, and of the first 1, 2, … of them. */
  readonly #masks = new Uint8Array(scarceMax);
  readonly #firstMasks = Array.from({ length: scarceMax + 1 }, (_, count) => this.#masks.subarray(0, count));
  readonly #near: number[] = [];
  /** The search for the dense players of some scarce ones. */
  readonly #dive: Dive = { limit: 0, nodesLeft: 0, origin: 0, places: [], best: undefined };
  #limit = 0;
  /** The imbalance that a game has to be below. */
  #needed = 0;
  #least = 0;
  #leastOf: readonly number[] | undefined;
  #game: DividedGame | undefined;

  /** The pool of these tickets, undefined where it does not apply: parties, flexible players, or other p and q. */
  static of(tickets: Iterable<PooledTicket>, rules: GameRules, roles: RoleTable): ScarceRoles | undefined {
    const { alpha, p, q } = rules;
    if (p !== 1 || q !== 2) return undefined;
    const all = [...tickets].filter(({ size, masks }) => size > 1 || masks[0] !== 0);
    if (all.some(({ size }) => size > 1)) return undefined;
    const counts = roles.seats.map((_, role) => all.filter(({ masks }) => (masks[0] >> role) & 1).length);
    let dense = 0;
    counts.forEach((count, role) => {
      if (count * roles.seats[dense] > counts[dense] * roles.seats[role]) dense = role;
    });
    const { seats, teamSizes } = shapeOf(rules);
    const denseSeats = teamSizes.length * roles.seats[dense];
    const scarceSeats = seats - denseSeats;
    if (scarceSeats < 2 || scarceSeats > scarceMax || denseSeats < 2) return undefined;
    // With less weight an unequal game may cost less than the bounds assume.
    if (alpha * alpha * seats < 1 || alpha * alpha * denseSeats * seats < 4) return undefined;
    const isDense = ({ masks }: PooledTicket) => masks[0] === 1 << dense;
    if (all.some((pooled) => !isDense(pooled) && (pooled.masks[0] >> dense) & 1)) return undefined;
    return new ScarceRoles(
      rules,
      roles,
      all.filter((each) => !isDense(each)),
      all.filter(isDense),
      scarceSeats,
    );
  }

  private constructor(
    rules: GameRules,
    roles: RoleTable,
    scarce: readonly PooledTicket[],
    dense: readonly PooledTicket[],
    scarceSeats: number,
  ) {
    this.#rules = rules;
    this.#roles = roles;
    this.#n = shapeOf(rules).seats;
    this.#scarceSeats = scarceSeats;
    this.#denseSeats = this.#n - scarceSeats;
    this.#scarce = scarce;
    this.#dense = [undefined, ...dense, undefined];
    this.#denseSkills = Float64Array.from(
      this.#dense,
      (pooled, place) => pooled?.mean ?? (place === 0 ? -1 : 1) / 0,
    );
    const places = this.#dense.length;
    this.#up = Int32Array.from({ length: places }, (_, place) => place);
    this.#next = this.#up.map((place) => Math.min(place + 1, places - 1));
    this.#last = this.#up.map((place) => Math.max(place - 1, 0));
    for (const [place, pooled] of scarce.entries()) this.#placeOf.set(pooled, place);
    for (const [place, pooled] of dense.entries()) this.#placeOf.set(pooled, place + 1);
    this.#isHere = new Uint8Array(scarce.length).fill(1);
    this.#keys = new Float64Array(scarce.length);
    this.#games = scarce.map(() => undefined);
    this.#basis = scarce.map(() => undefined);
    for (let entry = 0; entry < scarce.length; entry++) this.#heap.push(0, entry);
  }

  remove(pooled: PooledTicket): void {
    const place = this.#placeOf.get(pooled);
    if (place === undefined) return;
    this.#gone.add(pooled);
    if (this.#scarce[place] === pooled) {
      this.#isHere[place] = 0;
      this.#keys[place] = Number.NaN;
      return;
    }
    const next = this.#next[place];
    const last = this.#last[place];
    this.#up[place] = next;
    this.#last[next] = last;
    this.#next[last] = next;
  }

  /** A lower bound on the imbalance of all games, and the best game found; the bound is not searched beyond `enough`. */
  best(enough: number): { bound: number; game: DividedGame | undefined } {
    const heap = this.#heap;
    const aside: number[] = [];
    let game: DividedGame | undefined;
    let limit = enough;
    let bound = Number.POSITIVE_INFINITY;
    for (let searched = 0; ; ) {
      while (heap.size > 0 && this.#keys[heap.topId] !== heap.topKey) heap.pop();
      const entry = heap.topId;
      if (entry === -1 || heap.topKey >= limit || searched === searchesMax) {
        bound = Math.min(bound, heap.topKey);
        break;
      }
      heap.pop();
      if (!this.#isFresh(entry)) {
        searched++;
        this.#search(entry, limit);
        // Above its limit an entry is not searched yet.
        if (this.#keys[entry] >= limit || !this.#basis[entry]) {
          heap.push(this.#keys[entry], entry);
          continue;
        }
      }
      aside.push(entry);
      bound = Math.min(bound, this.#keys[entry]);
      const found = this.#games[entry];
      if (found && found.imbalance < limit) {
        game = found;
        limit = found.imbalance;
      }
    }
    for (const entry of aside) heap.push(this.#keys[entry], entry);
    return { bound, game };
  }

  /** Whether nothing has changed on which the key and the game of an entry depend. */
  #isFresh(entry: number): boolean {
    const basis = this.#basis[entry];
    if (!basis || basis.some((place) => this.#isHere[place] === 0)) return false;
    return !this.#games[entry]?.members.some((member) => this.#gone.has(member));
  }

  /** Enumerates the scarce players with this one as the lowest, whose bounds are below the limit with some to spare. */
  #search(entry: number, limit: number): void {
    const known = this.#games[entry];
    this.#game = known?.members.some((member) => this.#gone.has(member)) ? undefined : known;
    this.#needed = limit;
    this.#limit =
      limit < Number.POSITIVE_INFINITY ? slack * limit : Math.max(this.#guess(entry), 2 * this.#keys[entry]);
    this.#least = this.#limit * (1 - rounding);
    this.#leastOf = undefined;
    this.#chosen.length = 1;
    this.#chosen[0] = entry;
    this.#masks[0] = this.#scarce[entry].masks[0];
    this.#extend(0, 0);
    this.#keys[entry] = Math.max(this.#keys[entry], this.#least);
    this.#games[entry] = this.#game;
    this.#basis[entry] = this.#leastOf;
  }

  /** A limit when no game is known: that of the nearest scarce players who can be seated, or ∞. */
  #guess(entry: number): number {
    const masks: number[] = [];
    for (let place = entry; place < this.#scarce.length; place++) {
      if (this.#isHere[place] === 0) continue;
      masks.push(this.#scarce[place].masks[0]);
      if (masks.length > this.#scarceSeats && !this.#roles.canSeatGame(masks)) masks.pop();
      if (masks.length < this.#scarceSeats || !this.#roles.canSeatGame(masks)) {
        if (!this.#roles.canSeatGame(masks)) masks.pop();
        continue;
      }
      return 2 * (this.#scarce[place].mean - this.#scarce[entry].mean) + 1e-9 * this.#scarce[place].mean;
    }
    return Number.POSITIVE_INFINITY;
  }

  #extend(sum: number, squares: number): void {
    const chosen = this.#chosen;
    const scarce = this.#scarce;
    if (chosen.length === this.#scarceSeats) {
      this.#complete(sum, squares);
      return;
    }
    const origin = scarce[chosen[0]].mean;
    const count = chosen.length + 1;
    for (let place = chosen[chosen.length - 1] + 1; place < scarce.length; place++) {
      if (this.#isHere[place] === 0) continue;
      const value = scarce[place].mean - origin;
      const sumWith = sum + value;
      const squaresWith = squares + value * value;
      // Later players are farther from the mean of the chosen.
      if (squaresWith - (sumWith * sumWith) / count >= this.#n * this.#least * this.#least) return;
      chosen.push(place);
      this.#masks[count - 1] = scarce[place].masks[0];
      if (this.#roles.canSeatGame(this.#firstMasks[count])) this.#extend(sumWith, squaresWith);
      chosen.pop();
    }
  }

  /** Tries every division of the chosen scarce players into teams. */
  #complete(sum: number, squares: number): void {
    const n = this.#scarceSeats;
    const origin = this.#scarce[this.#chosen[0]].mean;
    const ssd = Math.max(0, squares - (sum * sum) / n);
    const masks = this.#firstMasks[n];
    for (const division of halvesOf(n)) {
      let gap = 0;
      for (let i = 0; i < n; i++)
        gap += ((division >> i) & 1 ? 1 : -1) * (this.#scarce[this.#chosen[i]].mean - origin);
      const base = ssd + (gap * gap) / this.#denseSeats;
      const limit = Math.min(this.#least, this.#limit);
      if (base >= this.#n * limit * limit) continue;
      const isTeam = (side: number) =>
        this.#roles.canSeatTeam(masks.filter((_, i) => ((division >> i) & 1) === side));
      if (!isTeam(0) || !isTeam(1)) continue;
      const middle = origin + sum / n;
      const shift = gap / this.#denseSeats;
      const { cost, at } = this.#fillBound(base, middle, shift, this.#n * limit * limit);
      let bound = Math.sqrt(cost / this.#n) * (1 - rounding);
      let isFinal = false;
      if (bound < this.#gameValue()) {
        this.#fill(division, at, shift);
        if (bound < this.#needed) bound = this.#climb(bound, ssd, gap, middle);
        if (bound < this.#needed) {
          const exact = this.#fillExactly(division);
          // A bound from a limit can be raised with a higher one.
          isFinal = exact === 0 || exact >= this.#gameValue() * (1 - 1e-9);
          bound = Math.max(bound, exact);
        }
      }
      if (bound < this.#least) {
        this.#least = bound;
        this.#leastOf = isFinal || bound >= this.#gameValue() ? [...this.#chosen] : undefined;
      }
    }
  }

  #gameValue(): number {
    return this.#game?.imbalance ?? Number.POSITIVE_INFINITY;
  }

  /** Raises the bound by other distances δ of the two centres from their mean; it is concave in δ. */
  #climb(known: number, ssd: number, gap: number, middle: number): number {
    const n = this.#n;
    const d = this.#denseSeats;
    const most = Math.min(this.#needed * slack, this.#limit);
    const limit = n * most * most;
    const reach = Math.sqrt(Math.max(0, limit - ssd - (gap * gap) / d) / this.#scarceSeats);
    const boundAt = (delta: number): number => {
      const { cost } = this.#fillBound(
        ssd + 2 * delta * gap - d * delta * delta,
        middle,
        delta,
        limit,
        reach,
      );
      if (cost <= 0) return 0;
      return (
        Math.min(Math.sqrt(cost / n), (this.#rules.alpha * cost) / (2 * Math.abs(delta))) * (1 - rounding)
      );
    };
    let best = known;
    let delta = gap / d;
    let step = 0.25 * Math.max(Math.abs(delta), 0.4 * most);
    for (let tries = 0; tries < climbsMax && best < this.#needed; tries++) {
      const up = boundAt(delta + step);
      const next = up > best ? up : boundAt(delta - step);
      if (next > best) {
        delta += up > best ? step : -step;
        best = next;
      } else step /= 3;
    }
    return best;
  }

  /**
   * Searches all dense players for these scarce ones and their teams, for a game that is better than the entry's best one and
   * about as good as needed. Returns a lower bound on their games: 0 if it takes too long.
   */
  #fillExactly(division: number): number {
    const dive = this.#dive;
    dive.limit = Math.min(this.#gameValue(), 1.1 * this.#needed);
    if (dive.limit === Number.POSITIVE_INFINITY) return 0;
    dive.nodesLeft = fillNodes;
    dive.best = undefined;
    dive.origin = this.#scarce[this.#chosen[0]].mean;
    let sum = 0;
    let squares = 0;
    let gap = 0;
    for (let i = 0; i < this.#chosen.length; i++) {
      const value = this.#scarce[this.#chosen[i]].mean - dive.origin;
      sum += value;
      squares += value * value;
      gap += (division >> i) & 1 ? value : -value;
    }
    this.#choose(0, sum, squares, gap);
    if (dive.best) {
      this.#keep(
        this.#chosen.map((place) => this.#scarce[place]),
        division,
        dive.best,
      );
    }
    return dive.nodesLeft > 0 ? Math.min(dive.limit, this.#gameValue()) : 0;
  }

  /**
   * Chooses the next dense player, of the two teams in turn. With m chosen, r missing, of which the first team has b more, and the
   * chosen ones' sums relative to their mean differing by S, the sum of squared deviations is at least theirs plus
   * S²/(r + b²/m): the least over all values of the missing ones that make the teams equal.
   */
  #choose(count: number, sum: number, squares: number, gap: number): void {
    const dive = this.#dive;
    const { alpha } = this.#rules;
    const n = this.#n;
    const m = this.#scarceSeats + count + 1;
    const side = count % 2 === 0 ? 1 : -1;
    const skills = this.#denseSkills;
    const missing = this.#denseSeats - count - 1;
    // The first team chooses first, so it is ahead by one after each of its choices.
    const ahead = side === 1 ? 1 : 0;
    const weight = missing === 0 ? 0 : 1 / (missing + (ahead * ahead) / m);
    // The bound is convex in the value, so it is below the limit between two places only. A team chooses upwards.
    const least = count < 2 ? 0 : dive.places[count - 2];
    const start = this.#firstFrom(dive.origin + this.#bestValue(m, side, missing, ahead, sum, gap));
    let place = this.#last[start];
    let isBelow = true;
    for (;;) {
      if (isBelow && place <= least) {
        isBelow = false;
        place = start;
      }
      if (!isBelow) {
        while (place <= least) place = this.#next[place];
        if (place >= skills.length - 1) return;
      }
      const value = skills[place] - dive.origin;
      const sumWith = sum + value;
      const gapWith = gap + side * value;
      const squaresWith = squares + value * value;
      const ssd = Math.max(0, squaresWith - (sumWith * sumWith) / m);
      let bound: number;
      if (missing === 0) bound = alpha * Math.abs(gapWith) + Math.sqrt(ssd / n);
      else {
        const apart = gapWith - (ahead * sumWith) / m;
        bound = Math.sqrt((ssd + apart * apart * weight) / n);
      }
      if (bound >= dive.limit) {
        if (!isBelow) return;
        isBelow = false;
        place = start;
        continue;
      }
      if (--dive.nodesLeft <= 0) return;
      let isTaken = false;
      for (let i = 0; i < count; i++) if (dive.places[i] === place) isTaken = true;
      if (!isTaken) {
        dive.places[count] = place;
        if (missing > 0) this.#choose(count + 1, sumWith, squaresWith, gapWith);
        else {
          dive.limit = bound;
          dive.best = teamAfterTeam(dive.places, this.#denseSeats);
        }
        if (dive.nodesLeft <= 0) return;
      }
      place = isBelow ? this.#last[place] : this.#next[place];
    }
  }

  /** The value at which the bound of the next choice is least; for the last one, about the least. */
  #bestValue(m: number, side: number, missing: number, ahead: number, sum: number, gap: number): number {
    if (missing === 0) return -side * gap;
    const others = m - 1;
    const weight = 1 / (missing + (ahead * ahead) / m);
    // The derivative of ssd + weight·(gap + side·x − ahead·(sum + x)/m)², where ssd grows by others/m·(x − sum/others)².
    const slope = side - ahead / m;
    const pull = others / m;
    return (
      (pull * (sum / others) - weight * slope * (gap - (ahead * sum) / m)) / (pull + weight * slope * slope)
    );
  }

  /**
   * The least of base + n·(c − middle)² + the squared distances of the nearest dense players of each team from c ∓ shift, over all
   * means c: by chords, as in the centre bound. Not searched beyond `limit`.
   */
  #fillBound(
    base: number,
    middle: number,
    shift: number,
    limit: number,
    within = Math.sqrt(Math.max(0, limit - base) / this.#scarceSeats),
  ): { cost: number; at: number } {
    const n = this.#scarceSeats;
    const each = this.#denseSeats / 2;
    const costAt = (c: number) =>
      base + n * (c - middle) ** 2 + this.#nearestCost(c - Math.abs(shift), c + Math.abs(shift), each);
    const points = [middle - within, middle, middle + within];
    const costs = points.map(costAt);
    let best = costs[0] < costs[1] ? 0 : 1;
    if (costs[2] < costs[best]) best = 2;
    let at = points[best];
    let least = costs[best];
    const intervals: { low: number; high: number; a: number; b: number; bound: number }[] = [];
    const file = (low: number, high: number, a: number, b: number) => {
      const square = this.#n * (high - low) ** 2;
      const t = square === 0 ? 0 : Math.min(1, Math.max(0, 0.5 - (b - a) / (2 * square)));
      const bound = a + t * (b - a) - t * (1 - t) * square - rounding * (Math.abs(a) + Math.abs(b) + square);
      intervals.push({ low, high, a, b, bound: a === Number.POSITIVE_INFINITY ? a : bound });
    };
    file(points[0], points[1], costs[0], costs[1]);
    file(points[1], points[2], costs[1], costs[2]);
    for (let splits = 0; ; splits++) {
      let first = 0;
      for (let i = 1; i < intervals.length; i++) if (intervals[i].bound < intervals[first].bound) first = i;
      const { low, high, a, b, bound } = intervals[first];
      if (bound >= limit || bound >= least * tightness || splits === splitsMax)
        return { cost: Math.max(base, Math.min(bound, limit)), at };
      const split = (low + high) / 2;
      const cost = costAt(split);
      if (cost < least) {
        least = cost;
        at = split;
      }
      intervals.splice(first, 1);
      file(low, split, a, cost);
      file(split, high, cost, b);
    }
  }

  /** The least squared distances of as many dense players from each of two points p ≤ q, all different; ∞ if there are fewer. */
  #nearestCost(p: number, q: number, count: number): number {
    const cost = this.#windowAt(p, count);
    const first = windowFirst;
    const last = windowLast;
    const total = cost + this.#windowAt(q, count);
    if (windowFirst > last || total === Number.POSITIVE_INFINITY) return total;
    return this.#contested(p, q, count, first, windowLast);
  }

  /** The squared distances of the nearest dense players from a point; sets the first and the last of them. */
  #windowAt(centre: number, count: number): number {
    const skills = this.#denseSkills;
    let above = this.#firstFrom(centre);
    let below = this.#last[above];
    let cost = 0;
    for (let i = 0; i < count; i++) {
      const up = skills[above] - centre;
      const down = centre - skills[below];
      if (up < down) {
        cost += up * up;
        above = this.#next[above];
      } else {
        cost += down * down;
        below = this.#last[below];
      }
    }
    windowFirst = this.#next[below];
    windowLast = this.#last[above];
    return cost;
  }

  /**
   * The same when the nearest of both points overlap. Those of p then lie below those of q, because exchanging two that do not
   * costs nothing. So some player is the last that p may have, and both take the nearest on their side of it.
   */
  #contested(p: number, q: number, count: number, first: number, last: number): number {
    const skills = this.#denseSkills;
    const near = this.#near;
    near.length = 0;
    let place = first;
    for (let i = 0; i < count; i++) place = this.#last[place];
    let beyond = last;
    for (let i = 0; i < count; i++) beyond = this.#next[beyond];
    for (; place !== beyond; place = this.#next[place]) near.push(skills[place]);
    near.push(skills[beyond]);
    let least = Number.POSITIVE_INFINITY;
    for (let cut = count; cut <= near.length - count; cut++) {
      let cost = 0;
      // The nearest to p below the cut end at it or before: shift the window down while that is nearer.
      let top = cut;
      while (top > count && near[top - 1] - p > p - near[top - count - 1]) top--;
      for (let i = top - count; i < top; i++) cost += (near[i] - p) ** 2;
      let bottom = cut;
      while (bottom + count < near.length && q - near[bottom] > near[bottom + count] - q) bottom++;
      for (let i = bottom; i < bottom + count; i++) cost += (near[i] - q) ** 2;
      if (cost < least) least = cost;
    }
    return least;
  }

  /** The places of the nearest dense players, in order of distance. */
  #nearest(centre: number, count: number): number[] {
    const skills = this.#denseSkills;
    const places: number[] = [];
    let above = this.#firstFrom(centre);
    let below = this.#last[above];
    while (places.length < count) {
      const up = skills[above] - centre;
      const down = centre - skills[below];
      if (up === Number.POSITIVE_INFINITY && down === Number.POSITIVE_INFINITY) return places;
      if (up < down) {
        places.push(above);
        above = this.#next[above];
      } else {
        places.push(below);
        below = this.#last[below];
      }
    }
    return places;
  }

  #firstFrom(centre: number): number {
    const skills = this.#denseSkills;
    let low = 1;
    let high = skills.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (skills[middle] < centre) low = middle + 1;
      else high = middle;
    }
    const up = this.#up;
    while (up[low] !== low) {
      up[low] = up[up[low]];
      low = up[low];
    }
    return low;
  }

  /** Fills the dense seats around the two centres, improves the game by exchanges of one or two, and keeps it if it is the best. */
  #fill(division: number, at: number, shift: number): void {
    const each = this.#denseSeats / 2;
    // The first half plays with the scarce players whose bits are set.
    const first = this.#nearest(at - shift, 2 * each + spares);
    const second = this.#nearest(at + shift, 2 * each + spares);
    if (second.length < 2 * each) return;
    const seats = first.slice(0, each);
    for (const place of second) if (seats.length < 2 * each && !seats.includes(place)) seats.push(place);
    if (seats.length < 2 * each) return;
    const pool = [...new Set([...seats, ...first, ...second])];
    const values = pool.map((place) => this.#denseSkills[place] - at);
    const members = this.#chosen.map((place) => this.#scarce[place]);
    let gap = 0;
    let sum = 0;
    let squares = 0;
    members.forEach(({ mean }, i) => {
      const value = mean - at;
      sum += value;
      squares += value * value;
      gap += (division >> i) & 1 ? value : -value;
    });
    const { alpha } = this.#rules;
    const n = this.#n;
    const side = (seat: number) => (seat < each ? 1 : -1);
    for (let seat = 0; seat < 2 * each; seat++) {
      sum += values[seat];
      squares += values[seat] ** 2;
      gap += side(seat) * values[seat];
    }
    let least = alpha * Math.abs(gap) + Math.sqrt(Math.max(0, squares - (sum * sum) / n) / n);
    for (let round = 0; round < roundsMax; round++) {
      let best: number[] | undefined;
      let bestValue = least * (1 - 1e-12);
      for (let i = 0; i < 2 * each; i++) {
        for (let a = 2 * each; a < pool.length; a++) {
          const changeA = values[a] - values[i];
          const gapA = gap + side(i) * changeA;
          const sumA = sum + changeA;
          const squaresA = squares + values[a] ** 2 - values[i] ** 2;
          const f = alpha * Math.abs(gapA) + Math.sqrt(Math.max(0, squaresA - (sumA * sumA) / n) / n);
          if (f < bestValue) {
            bestValue = f;
            best = [i, a];
          }
          for (let j = i + 1; j < 2 * each; j++) {
            for (let b = 2 * each; b < pool.length; b++) {
              if (b === a) continue;
              const changeB = values[b] - values[j];
              const unfair = alpha * Math.abs(gapA + side(j) * changeB);
              if (unfair >= bestValue) continue;
              const sumB = sumA + changeB;
              const v = (squaresA + values[b] ** 2 - values[j] ** 2 - (sumB * sumB) / n) / n;
              if (v >= (bestValue - unfair) ** 2) continue;
              bestValue = unfair + Math.sqrt(Math.max(0, v));
              best = [i, a, j, b];
            }
          }
        }
      }
      if (!best) break;
      least = bestValue;
      for (let e = 0; e < best.length; e += 2) {
        const [i, a] = [best[e], best[e + 1]];
        const change = values[a] - values[i];
        sum += change;
        gap += side(i) * change;
        squares += values[a] ** 2 - values[i] ** 2;
        [values[i], values[a]] = [values[a], values[i]];
        [pool[i], pool[a]] = [pool[a], pool[i]];
      }
    }
    if (least >= this.#gameValue() * (1 + 1e-9)) return;
    this.#keep(members, division, pool.slice(0, 2 * each));
  }

  #keep(scarce: readonly PooledTicket[], division: number, dense: readonly number[]): void {
    const members = [...scarce, ...dense.map((place) => this.#dense[place]!)];
    const sideOf = (i: number) =>
      i < scarce.length ? (division >> i) & 1 : i - scarce.length < dense.length / 2 ? 1 : 0;
    const team = (side: number) => members.filter((_, i) => sideOf(i) === side).map(({ mean }) => mean);
    const x = team(1);
    const y = team(0);
    const imbalance = this.#rules.alpha * teamGap(x, y, 1) + skillSpread([...x, ...y], 2);
    if (imbalance >= this.#gameValue()) return;
    this.#game = { members, division: divisionBy(members.length, (i) => 1 - sideOf(i)), imbalance };
  }
}

interface Dive {
  /** The imbalance that a game has to be below. */
  limit: number;
  nodesLeft: number;
  /** Values are relative to it. */
  origin: number;
  /** The dense players chosen, of the two teams in turn. */
  readonly places: number[];
  /** The best ones found, team after team. */
  best: number[] | undefined;
}

function teamAfterTeam(places: readonly number[], count: number): number[] {
  const first = places.slice(0, count).filter((_, i) => i % 2 === 0);
  return [...first, ...places.slice(0, count).filter((_, i) => i % 2 === 1)];
}

/** Set by each search for a window: its first and last player. */
let windowFirst = 0;
let windowLast = 0;

/** The ways to choose half of n players, each once, with the first one among them. */
function halvesOf(n: number): readonly number[] {
  halves[n] ??= Array.from({ length: 2 ** n }, (_, set) => set).filter((set) => {
    let count = 0;
    for (let i = 0; i < n; i++) count += (set >> i) & 1;
    return (set & 1) === 1 && 2 * count === n;
  });
  return halves[n];
}

const halves: number[][] = [];

/** The most scarce players of a game that it enumerates. */
const scarceMax = 6;

/** The most entries that one query searches. */
const searchesMax = 400;

/** An entry is searched up to this multiple of what is needed, so that the next queries need not search it again. */
const slack = 1.3;

/** The dense players around each centre, besides twice those of a team, who may replace others. */
const spares = 4;
const roundsMax = 4;

/** How many distances of the centres a climb tries, some twice. */
const climbsMax = 8;

/** The dense players that an exact search for some scarce ones may try. */
const fillNodes = 3000;

const tightness = 0.999;
const splitsMax = 40;

/** More than the relative rounding error of the sums. */
const rounding = 1e-12;
