import { type BalancedGame, balancedGame, noBalancedGame } from '../model/balanced-game.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Constraints, GameRules } from '../types.ts';
import { type FacetList, facetLists } from './facet-list.ts';
import { RuledEntries } from './ruled-entries.ts';
import type { RuledPool } from './ruled-pool.ts';
import { type Credits, RuledSearch } from './ruled-search.ts';
import type { RuledGame, RuledTeams } from './ruled-teams.ts';

/** The game that a query found, its cost, and the proved bound on the cost of all games. */
export interface RuledResult {
  readonly game: RuledGame;
  readonly cost: number;
  readonly costBound: number;
}

/**
 * The game queue under constraints, of tickets that only leave. Every game belongs to the entry of its first ticket in
 * each facet that it is in: without β the one of least skill, with β the one that has waited longest, so that all games of
 * an entry have the same wait. Removals raise bounds only, so keys stay valid.
 */
export class RuledQueue {
  /** The origin of the time axis: the enqueue time of the first ticket, in milliseconds. */
  readonly epochMs: number;

  readonly #beta: number;
  readonly #teams: RuledTeams;
  readonly #perRange: number;
  readonly #constraints: Constraints;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #pool: RuledPool;
  readonly #lists: readonly FacetList[];
  readonly #entries: RuledEntries;
  readonly #search: RuledSearch;
  /** Above the cost of every game. */
  readonly #highest: number;
  /** At most the imbalance of every game. */
  readonly #lowest: number;
  /** By place: seconds since the epoch at which it was enqueued. */
  readonly #seconds: Float64Array;
  /** The candidates of the last `#gather`, by place and by their numbers in the constraints. */
  #candidates = new Int32Array(256);
  #candidateNumbers = new Int32Array(256);
  #kept = new Int32Array(256);
  /** How far the nearest ticket is that the last `#gather` left out. */
  #beyond = 0;
  /** A bound on the games of the last `#gather`, from the nearest candidates. */
  #least = 0;
  #queries = 0;
  #lastCost = 0;
  /** Work outside the searches, in nodes. */
  #preparation = 0;

  constructor(
    rules: Pick<GameRules, 'beta' | 'q'>,
    teams: RuledTeams,
    constraints: Constraints,
    nodeBudget: number,
    pool: RuledPool,
    clock: SearchClock,
  ) {
    this.#beta = rules.beta;
    this.#teams = teams;
    this.#perRange = teams.perRange;
    this.#constraints = constraints;
    this.#nodeBudget = nodeBudget;
    this.#clock = clock;
    this.#pool = pool;
    const { tickets } = pool;
    const epochMs = tickets.length > 0 ? tickets[0].ticket.enqueuedAtMs : 0;
    this.epochMs = epochMs;
    this.#seconds = Float64Array.from(tickets, ({ ticket }) => (ticket.enqueuedAtMs - epochMs) / 1000);
    const low = tickets.reduce((least, ticket) => Math.min(least, ticket.low), Number.POSITIVE_INFINITY);
    const high = tickets.reduce((most, ticket) => Math.max(most, ticket.high), 0);
    this.#highest = teams.highest(low, high) + constraints.costMax() * (1 + 1e-9);
    this.#lowest = teams.lowest(low, high);
    this.#lists = facetLists(pool, constraints.facets(Array.from(pool.numbers)), teams.seatsMin);
    this.#entries = new RuledEntries(pool, this.#lists, (place) => rules.beta * this.#seconds[place]);
    this.#search = new RuledSearch(rules.q, teams, constraints, pool, clock);
    this.#setFirstKeys();
  }

  /** Removes a ticket. */
  remove(pooled: PooledTicket): void {
    const place = this.#pool.placeOf(pooled);
    if (place === undefined || this.#pool.alive[place] === 0) return;
    this.#pool.alive[place] = 0;
    const entries = this.#entries;
    for (const entry of entries.of(place))
      this.#lists[entries.listOf[entry]].remove(entries.positionOf[entry]);
  }

  /** The game of least cost, or undefined if there is none, or none was found within the node budget. */
  best(): RuledResult | undefined {
    this.#queries++;
    const entries = this.#entries;
    const aside: number[] = [];
    let asideBound = Number.POSITIVE_INFINITY;
    let found: RuledGame | undefined;
    let cost = Number.POSITIVE_INFINITY;
    const nodesFrom = this.#nodes;
    const consider = (entry: number) => {
      const game = entries.gameOf(entry);
      if (!game || game.imbalance + entries.wait[entry] >= cost) return;
      found = game;
      cost = game.imbalance + entries.wait[entry];
    };
    for (;;) {
      const entry = entries.least();
      if (entry === -1 || entries.leastCost >= cost) break;
      consider(entry);
      const entryCost = entries.leastCost;
      if (entryCost >= cost) break;
      const nodesLeft = this.#nodesLeft(nodesFrom);
      const rests = entries.restsUntil[entry] > this.#queries;
      if (nodesLeft <= 0 && found) break;
      if (nodesLeft <= 0 || rests) {
        if (aside.length >= asideMax && nodesLeft <= 0) break;
        entries.takeLeast();
        aside.push(entry);
        asideBound = Math.min(asideBound, entryCost);
        continue;
      }
      entries.takeLeast();
      this.#refine(entry, cost - entries.wait[entry], Math.min(nodesLeft, shareOfBudget * this.#nodeBudget));
      consider(entry);
    }
    const costBound = Math.min(asideBound, this.leastCost());
    for (const entry of aside) entries.set(entry, entries.key[entry]);
    if (!found) {
      const any = this.#anyGame();
      if (any === -1) return undefined;
      consider(any);
    }
    if (cost <= costBound) this.#lastCost = cost;
    return { game: found!, cost, costBound: Math.min(cost, costBound) };
  }

  /** The game of least cost with this ticket; `costBound` holds for the whole queue. */
  bestWith(pooled: PooledTicket): RuledResult | undefined {
    const place = this.#pool.placeOf(pooled);
    if (place === undefined || this.#pool.alive[place] === 0) return undefined;
    const wait = this.#beta * this.#seconds[place];
    const { game, nodesLeft } = this.#mostBalanced(place);
    if (!game) return undefined;
    let best = game;
    let cost = game.imbalance + this.#waitOf(game);
    if (this.#beta > 0 && nodesLeft > 0) {
      // The waits of others may outweigh a less balanced game.
      const credits = this.#creditsFor(place);
      const share = nodesLeft / this.#entries.of(place).length;
      for (const entry of this.#entries.of(place)) {
        const more = this.#searchAround(entry, cost - wait, share, anyone, credits);
        if (!more) continue;
        best = more;
        cost = more.imbalance + this.#waitOf(more);
      }
    }
    return { game: best, cost, costBound: Math.min(cost, this.leastCost()) };
  }

  /** The game of least imbalance with this ticket, whatever its wait, as far as the node budget allows. */
  mostBalancedWith(pooled: PooledTicket): BalancedGame {
    const place = this.#pool.placeOf(pooled);
    if (place === undefined || this.#pool.alive[place] === 0) return noBalancedGame;
    const { game, bound } = this.#mostBalanced(place);
    return balancedGame(game, bound);
  }

  /** No game costs less; ∞ when there is none. */
  leastCost(): number {
    return this.#entries.least() === -1 ? Number.POSITIVE_INFINITY : this.#entries.leastCost;
  }

  get #nodes(): number {
    return this.#search.nodes + this.#preparation;
  }

  /** What is left of the node budget of a query that began at this number of nodes; nothing when its time is over. */
  #nodesLeft(nodesFrom: number): number {
    return this.#clock.isOver() ? 0 : this.#nodeBudget - (this.#nodes - nodesFrom);
  }

  /** The game of least imbalance with the ticket at a place, over its facets, and the bound proved for all. */
  #mostBalanced(place: number): { game: RuledGame | undefined; bound: number; nodesLeft: number } {
    const own = this.#entries.of(place);
    const nodesFrom = this.#nodes;
    const nodesLeft = () => this.#nodesLeft(nodesFrom);
    const bounds = new Float64Array(own.length).fill(this.#lowest);
    let game: RuledGame | undefined;
    const first = Math.min(this.#highest, this.#lowest + firstStep * this.#highest);
    for (let limit = first; ; limit = Math.min(this.#highest, limit * bigStep)) {
      for (let i = 0; i < own.length; i++) {
        const below = game ? Math.min(game.imbalance, limit) : limit;
        if (bounds[i] >= below) continue;
        const found = this.#searchAround(own[i], below, Math.max(100, nodesLeft()), anyone);
        bounds[i] = Math.max(bounds[i], this.#search.bound);
        if (found) game = found;
      }
      if (game || limit >= this.#highest || nodesLeft() <= 0) break;
    }
    if (!game) {
      for (let i = 0; i < own.length && !game; i++)
        game = this.#searchAround(own[i], this.#highest, anyNodes, anyone, undefined, true);
      if (!game) {
        const isComplete = !this.#clock.wasOver && bounds.every((bound) => bound >= this.#highest);
        if (isComplete) bounds.fill(Number.POSITIVE_INFINITY);
        else this.#clock.giveUp();
      }
    }
    const proved = bounds.reduce((least, bound) => Math.min(least, bound), Number.POSITIVE_INFINITY);
    return { game, bound: game ? Math.min(game.imbalance, proved) : proved, nodesLeft: nodesLeft() };
  }

  /** β·t of the longest-waiting ticket of a game. */
  #waitOf({ places }: RuledGame): number {
    const longest = places.reduce(
      (least, place) => Math.min(least, this.#seconds[place]),
      Number.POSITIVE_INFINITY,
    );
    return this.#beta * longest;
  }

  #creditsFor(anchor: number): Credits {
    const beta = this.#beta;
    const { alive } = this.#pool;
    const of = this.#seconds.map((seconds) => Math.max(0, beta * (this.#seconds[anchor] - seconds)));
    return {
      of,
      most: of.reduce((most, credit, place) => (alive[place] ? Math.max(most, credit) : most), 0),
    };
  }

  /** Searches the entry of least cost: raises its key, or finds a game of it that costs less than `needed`. */
  #refine(entry: number, needed: number, nodeBudget: number): void {
    const entries = this.#entries;
    const search = this.#search;
    const highest = this.#highest;
    const key = entries.key[entry];
    const known = entries.gameOf(entry)?.imbalance ?? highest;
    const cuts = entries.cuts[entry];
    const last = this.#beta === 0 && cuts === 0 ? this.#lastCost : 0;
    const tries = entries.tries[entry];
    const part = cuts === 0 ? 1 : 0.5 ** cuts;
    const growth = tries >= smallSteps ? 2 ** (tries - smallSteps + 1) : cuts === 0 ? step : step ** part;
    const partWay = known < highest ? key + (known - key) * part : highest;
    const limit = Math.min(
      highest,
      needed,
      partWay > key ? partWay : highest,
      Math.max(key, last, 1e-9 * highest) * growth,
    );
    const game = this.#searchAround(entry, limit, nodeBudget, this.#othersOf(entries.placeOf[entry]));
    if (game) entries.game[entry] = game;
    if (search.wasCut) {
      entries.cuts[entry]++;
      entries.restsUntil[entry] = this.#queries + (cuts < 2 ? 1 : 2 ** Math.min(16, cuts - 1));
    } else {
      entries.tries[entry]++;
      if (cuts > 0) entries.cuts[entry]--;
    }
    const proved = Math.max(key, search.bound);
    const isDone = !game && !search.wasCut && proved >= highest && entries.gameOf(entry) === undefined;
    entries.set(entry, isDone ? Number.POSITIVE_INFINITY : proved);
  }

  /** Any game, after a query that found none: entry by entry. Returns the entry that has it, −1 if none was found. */
  #anyGame(): number {
    const entries = this.#entries;
    const nodesFrom = this.#nodes;
    const tried: number[] = [];
    let found = -1;
    const nodesMax = Math.max(anyNodes, anyGameFactor * this.#nodeBudget);
    while (found === -1 && this.#nodes - nodesFrom <= nodesMax && !this.#clock.isOver()) {
      const entry = entries.least();
      if (entry === -1) break;
      entries.takeLeast();
      const accepts = this.#othersOf(entries.placeOf[entry]);
      const game = this.#searchAround(entry, this.#highest, anyNodes, accepts, undefined, true);
      if (game) {
        entries.game[entry] = game;
        found = entry;
      } else if (!this.#search.wasCut) entries.key[entry] = Number.POSITIVE_INFINITY;
      tried.push(entry);
    }
    for (const entry of tried) entries.set(entry, entries.key[entry]);
    return found;
  }

  /** Searches for a game of an entry's ticket in its facet with accepted others. `#search.bound` is proved for all of these. */
  #searchAround(
    entry: number,
    limit: number,
    nodeBudget: number,
    accepts: (place: number) => boolean,
    credits?: Credits,
    firstOnly = false,
  ): RuledGame | undefined {
    const place = this.#entries.placeOf[entry];
    const number = this.#pool.numbers[place];
    const list = this.#lists[this.#entries.listOf[entry]];
    const search = this.#search;
    const constraints = this.#constraints;
    constraints.start(list.facet);
    search.wasCut = false;
    search.bound = this.#highest;
    if (!constraints.admits(number)) return undefined;
    constraints.join(number);
    const mostCredit = credits ? credits.most : 0;
    const rootCost = constraints.hasCosts ? constraints.cost() : 0;
    const isOneSided = accepts !== anyone && this.#beta === 0;
    const from = isOneSided
      ? list.next[this.#entries.positionOf[entry]]
      : list.from(this.#pool.means[place] - (limit + mostCredit) / this.#perRange);
    const reach = (limit + mostCredit - rootCost) / this.#perRange;
    const count = this.#gather(list, from, place, reach, limit, accepts, isOneSided);
    this.#preparation += searchCost + (count >> 3);
    const least = this.#least;
    let game: RuledGame | undefined;
    if (this.#clock.wasOver) {
      // Not all candidates were gathered.
      search.wasCut = true;
      search.bound = this.#lowest;
    } else if (least >= limit) search.bound = least === Number.POSITIVE_INFINITY ? this.#highest : least;
    else {
      game = this.#searchSizes(place, count, limit, nodeBudget, credits, firstOnly);
      const outside = Math.max(limit, this.#perRange * this.#beyond * (1 - 1e-9) + rootCost - mostCredit);
      if (!game) search.bound = Math.min(search.bound, outside);
    }
    constraints.leave(number);
    return game;
  }

  /** Searches games of every number of players that the teams allow, full ones first. */
  #searchSizes(
    place: number,
    count: number,
    limit: number,
    nodeBudget: number,
    credits: Credits | undefined,
    firstOnly: boolean,
  ): RuledGame | undefined {
    const { seats, seatsMin } = this.#teams;
    const search = this.#search;
    const nodesFrom = search.nodes;
    let game = search.run(place, this.#candidates, count, seats, limit, nodeBudget, credits, firstOnly);
    let { bound, wasCut, cost } = search;
    for (let n = seats - 1; n >= seatsMin && !(firstOnly && game); n--) {
      const nodesLeft = Math.max(0, nodeBudget - (search.nodes - nodesFrom));
      const found = search.run(place, this.#candidates, count, n, cost, nodesLeft, credits, firstOnly);
      game = found ?? game;
      cost = search.cost;
      bound = Math.min(bound, search.bound);
      wasCut ||= search.wasCut;
    }
    search.bound = bound;
    search.wasCut = wasCut;
    return game;
  }

  /**
   * Puts the places that the anchor's search may use into `#candidates` and returns their number. On one side it ends when
   * the nearest of them show that no game costs less than `limit`; then `#least` is that bound.
   */
  #gather(
    list: FacetList,
    from: number,
    anchor: number,
    reach: number,
    limit: number,
    accepts: (place: number) => boolean,
    isOneSided: boolean,
  ): number {
    const { sizes } = this.#pool;
    const constraints = this.#constraints;
    const { places, means, numbers, next } = list;
    const mean = this.#pool.means[anchor];
    const { seats, seatsMin } = this.#teams;
    const needed = seats - sizes[anchor];
    let count = 0;
    let players = 0;
    this.#beyond = Number.POSITIVE_INFINITY;
    // A game of fewer players may cost less.
    const isEarly = isOneSided && needed > 0 && seats === seatsMin;
    this.#least = isEarly ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    let at = from;
    for (;;) {
      // Beyond the reach only as far as the narrowest window: that raises the key at once.
      const isShort = isOneSided && players < needed;
      const farthest = isShort ? Number.POSITIVE_INFINITY : reach;
      const to = count + (isShort ? Math.max(leastBatch, needed - players) : batch);
      this.#makeRoom(to);
      const candidates = this.#candidates;
      const candidateNumbers = this.#candidateNumbers;
      let end = count;
      while (end < to && at < places.length && means[at] - mean <= farthest) {
        const place = places[at];
        if (place !== anchor && sizes[place] <= needed && (isOneSided || accepts(place))) {
          candidates[end] = place;
          candidateNumbers[end++] = numbers[at];
        }
        at = next[at];
      }
      if (this.#clock.isOver(1 + ((end - count) >> 2))) return count;
      const kept = this.#kept;
      const left = constraints.keep(candidateNumbers, count, end, kept);
      for (let i = 0; i < left; i++, count++) {
        candidates[count] = candidates[kept[i]];
        candidateNumbers[count] = candidateNumbers[kept[i]];
        players += sizes[candidates[count]];
      }
      if (players >= needed && this.#least === Number.POSITIVE_INFINITY) {
        this.#least = this.#search.root(anchor, candidates, count);
        if (this.#least >= limit) return count;
      }
      if (end < to) break;
    }
    if (!isOneSided) this.#beyond = reach;
    else if (at < places.length) this.#beyond = means[at] - mean;
    return count;
  }

  #makeRoom(room: number): void {
    if (room <= this.#candidates.length) return;
    const larger = (array: Int32Array) => {
      const more = new Int32Array(2 * room);
      more.set(array);
      return more;
    };
    this.#candidates = larger(this.#candidates);
    this.#candidateNumbers = larger(this.#candidateNumbers);
    this.#kept = larger(this.#kept);
  }

  /** Which others the games of an entry may have: those after its ticket in the order by skill, or with β by wait. */
  #othersOf(place: number): (other: number) => boolean {
    if (this.#beta === 0) return (other) => other > place;
    const seconds = this.#seconds;
    return (other) => seconds[other] > seconds[place] || (seconds[other] === seconds[place] && other > place);
  }

  /**
   * Keys from the narrowest windows of the facets, the parties' own spread, and the costs of each ticket alone; where all
   * games have equally many players, also from the nearest tickets that may join each.
   */
  #setFirstKeys(): void {
    const { means, sizes, tickets, numbers } = this.#pool;
    const entries = this.#entries;
    const constraints = this.#constraints;
    const n = this.#teams.seatsMin;
    const hasFixedSize = this.#beta === 0 && n === this.#teams.seats;
    let entry = 0;
    for (const list of this.#lists) {
      const { places, facet } = list;
      const count = places.length;
      // The last position of the narrowest window that starts at each position.
      const ends = new Int32Array(count);
      for (let start = 0, end = 0, players = 0; start < count; start++) {
        while (players < n && end < count) players += sizes[places[end++]];
        ends[start] = players >= n ? end - 1 : count;
        players -= sizes[places[start]];
      }
      const rangeOf = (start: number, place: number) =>
        Math.max(means[places[ends[start]]], means[place]) - means[places[start]];
      constraints.start(facet);
      for (let position = 0; position < count; position++, entry++) {
        const place = places[position];
        if (this.#clock.isOver()) {
          entries.set(entry, this.#lowest);
          continue;
        }
        let range = Number.POSITIVE_INFINITY;
        if (this.#beta === 0) {
          if (ends[position] < count) range = rangeOf(position, place);
        } else {
          for (let start = position; start >= 0 && position - start < n; start--)
            if (ends[start] < count) range = Math.min(range, rangeOf(start, place));
          // Other windows end before the ticket, and reach it from further away.
          if (position >= n) range = Math.min(range, means[place] - means[places[position - n + 1]]);
        }
        const { low, high } = tickets[place];
        const isPossible = range < Number.POSITIVE_INFINITY && constraints.admits(numbers[place]);
        if (!isPossible) {
          entries.set(entry, Number.POSITIVE_INFINITY);
          continue;
        }
        const root = constraints.hasCosts ? constraints.costWith(numbers[place]) : 0;
        const rangeKey = (this.#perRange * Math.max(range, high - low) + root) * (1 - 1e-9);
        const key = Math.max(rangeKey, this.#lowest);
        const nearest = hasFixedSize ? this.#nearest(list, position) : key;
        entries.set(entry, this.#clock.wasOver ? key : Math.max(key, nearest));
      }
    }
  }

  /** A bound on the games of the ticket at a position of a list with later ones, from those nearest to it that may join it. */
  #nearest(list: FacetList, position: number): number {
    const constraints = this.#constraints;
    const number = list.numbers[position];
    constraints.join(number);
    this.#gather(list, list.next[position], list.places[position], 0, 0, anyone, true);
    constraints.leave(number);
    return this.#least;
  }
}

const anyone = () => true;

/** The factor by which a search exceeds the known bound, and how often before it doubles. */
const step = 1.3;
const smallSteps = 3;

/** The first limit of a search with no known bound, relative to the highest, and the factor by which it grows. */
const firstStep = 1e-3;
const bigStep = 3;

/** The share of a query's node budget that one entry may use. */
const shareOfBudget = 0.75;

/** How many tickets the constraints judge at once: as long as fewer are known than a game needs, and after that. */
const leastBatch = 8;
const batch = 64;

/** The cost of preparing a search, in nodes. */
const searchCost = 5;

/** The most entries that a query takes aside after its budget is spent. */
const asideMax = 200;

/** The nodes for finding any game of an entry; and of all entries together, at least as many, as a multiple of the node budget. */
const anyNodes = 5000;
const anyGameFactor = 40;
