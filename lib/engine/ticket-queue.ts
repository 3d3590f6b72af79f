import { imbalancePerRange, lemma1 } from './bounds.ts';
import { Entry, type FoundGame, type TicketGame } from './entry.ts';
import { EntryList } from './entry-list.ts';
import { reachNeeded, windowAround } from './entry-window.ts';
import { ExchangeSearch } from './exchange-search.ts';
import type { Forbids } from './forbids.ts';
import { KeyHeap } from './key-heap.ts';
import { PoolCentre } from './pool-centre.ts';
import { type PooledTicket, sortBySkill } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';
import { shapesOf } from './shapes.ts';
import { TicketSearch } from './ticket-search.ts';
import type { GameRules } from './types.ts';
import { narrowestWindows, WindowCounter } from './windows.ts';

/** What a query found, and what is proved. */
export interface QueueAnswer {
  readonly game: TicketGame;
  /** f + β·(enqueue time of the oldest, in seconds since the queue's epoch): priorities without "now". */
  readonly cost: number;
  /** No game of the queue costs less. Equal to `cost` when the game is proved best. */
  readonly costBound: number;
}

/**
 * The game queue for tickets with parties, roles, refused pairs and waiting times (β).
 *
 * As in the plain queue every game belongs to one entry, and the entry's key is a lower bound on its
 * games that removals leave valid. Without β the entry is that of the **newest** ticket in the game: an
 * insert touches no other entry. With β it is that of the **longest waiting**: then all games of an entry
 * have the same wait, its key is β·t plus a bound on the imbalance alone, and an old outlier does not
 * spoil the bounds of those around it. An insert must then look at the keys of all who wait,
 * which is linear.
 *
 * Tickets inserted before the first query are taken in at once, in O(n log n).
 */
export class TicketQueue {
  /** Where the time axis starts: the enqueue time of the first ticket. */
  epochMs = 0;

  readonly #rules: GameRules;
  readonly #sign: number;
  readonly #perRange: number;
  readonly #nodeBudget: number;
  /** What of it one entry may have at a time. */
  readonly #share: number;
  readonly #search: TicketSearch;
  readonly #exchanges: ExchangeSearch;
  readonly #counter: WindowCounter;
  /** Counts all who wait: while it is not full no game can be formed. */
  readonly #everyone: WindowCounter;
  readonly #roles: RoleTable | undefined;

  /** All entries in order of skill; the heap names them by their slots there. */
  readonly #list = new EntryList();
  readonly #byId = new Map<string, Entry>();
  readonly #heap = new KeyHeap();
  /** By slot the entry's key plus β·t, what the heap orders by; NaN when the slot is free. */
  #costs = new Float64Array(64);
  /** By slot the entry's key, NaN when the slot is free, and its ticket's mean skill: what an insert with β looks at. */
  #keys = new Float64Array(64).fill(Number.NaN);
  #means = new Float64Array(64);
  /** What is proved of all games of a queue with roles; made when a search is cut short, void when tickets come. */
  #centre: PoolCentre | undefined;
  #clock = 0;
  #queries = 0;
  /** Inserted since the last query. */
  #pending: Entry[] = [];
  #lastImbalance = 0;
  #parties = 0;
  /** The least and the greatest skill ever seen. */
  #low = Number.POSITIVE_INFINITY;
  #high = 0;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    nodeBudget: number,
  ) {
    this.#rules = rules;
    this.#sign = rules.p === Number.POSITIVE_INFINITY ? -1 : 1;
    this.#perRange = imbalancePerRange(rules);
    this.#nodeBudget = nodeBudget;
    this.#share = Math.ceil(shareOfBudget * nodeBudget);
    this.#search = new TicketSearch(rules, roles, forbids);
    this.#exchanges = new ExchangeSearch(rules, roles, forbids);
    this.#counter = new WindowCounter(rules.teamSize, roles);
    this.#everyone = new WindowCounter(rules.teamSize, roles);
    this.#roles = roles;
  }

  insert(pooled: PooledTicket): void {
    if (this.#byId.size === 0) this.epochMs = pooled.ticket.enqueuedAtMs;
    const entry = new Entry(pooled, (pooled.ticket.enqueuedAtMs - this.epochMs) / 1000);
    this.#byId.set(pooled.ticket.ticketId, entry);
    this.#pending.push(entry);
    this.#everyone.add(pooled);
    if (pooled.size > 1) this.#parties++;
    this.#low = Math.min(this.#low, pooled.low);
    this.#high = Math.max(this.#high, pooled.high);
  }

  /** Whether the ticket was in the queue. */
  remove(ticketId: string): boolean {
    const entry = this.#byId.get(ticketId);
    if (!entry) return false;
    this.#byId.delete(ticketId);
    this.#everyone.remove(entry.pooled);
    if (entry.pooled.size > 1) this.#parties--;
    entry.isHere = false;
    entry.game = undefined;
    if (entry.slot === -1) this.#pending.splice(this.#pending.indexOf(entry), 1);
    else {
      this.#centre?.remove(entry);
      this.#list.remove(entry);
      this.#costs[entry.slot] = Number.NaN;
      this.#keys[entry.slot] = Number.NaN;
    }
    return true;
  }

  /** The game of least cost, or undefined if none can be formed (or none was found within the node budget). */
  best(): QueueAnswer | undefined {
    this.#settle();
    if (!this.#everyone.isFull) return undefined;
    this.#queries++;
    const nodesFrom = this.#search.nodes;
    let found: FoundGame | undefined;
    let foundCost = Number.POSITIVE_INFINITY;
    /** No game has an imbalance below this: the centre bound, looked for when a search was cut short. */
    let floor: number | undefined;
    /** Entries that got their share of the budget without an end; what is proved of them bounds the answer. */
    const aside: Entry[] = [];
    let asideBound = Number.POSITIVE_INFINITY;
    const consider = (entry: Entry): void => {
      const cost = entry.game ? entry.game.imbalance + this.#waitTerm(entry) : foundCost;
      if (cost >= foundCost) return;
      found = entry.game;
      foundCost = cost;
    };
    for (;;) {
      const entry = this.#least();
      if (floor !== undefined && entry && entry.key < floor) {
        this.#heap.pop();
        this.#setKey(entry, floor);
        continue;
      }
      const costBound = entry ? this.#costs[entry.slot] : Number.POSITIVE_INFINITY;
      const wait = entry ? this.#waitTerm(entry) : 0;
      const nodesLeft = this.#nodeBudget - (this.#search.nodes - nodesFrom);
      const isProved = isAtMost(foundCost, costBound, wait);
      if (this.#roles && floor === undefined && entry && !isProved && (nodesLeft <= 0 || entry.cuts > 0)) {
        floor = this.#centreBound(foundCost - wait);
        const game = this.#gameAroundCentre();
        if (game && this.#costOf(game) < foundCost) {
          found = game;
          foundCost = this.#costOf(game);
        }
        continue;
      }
      if (!entry || nodesLeft <= 0 || isProved) {
        for (const other of aside) this.#setKey(other, other.key);
        found ??= this.#anyGame();
        if (!found) return undefined;
        foundCost = this.#costOf(found);
        this.#lastImbalance = found.imbalance;
        const proved = isAtMost(foundCost, costBound, wait) ? foundCost : costBound;
        return { game: found, cost: foundCost, costBound: Math.min(asideBound, proved) };
      }
      if (entry.game && !entry.game.entries.every((member) => member.isHere)) {
        entry.game = undefined;
        entry.restsUntil = 0;
      }
      consider(entry);
      if (isAtMost(foundCost, costBound, wait)) continue;
      if (entry.restsUntil <= this.#queries) {
        this.#refine(entry, foundCost, Math.min(nodesLeft, this.#share));
        consider(entry);
        continue;
      }
      // Cut short: if there is no game, any game of it; then on with the others. (With β a game around the centre says little
      // about what this one's wait is worth.)
      const needsGame = !found || (floor !== undefined && this.#rules.beta > 0);
      if (!entry.game && needsGame) this.#dive(entry);
      if (entry.key === Number.POSITIVE_INFINITY) continue;
      consider(entry);
      this.#heap.pop();
      aside.push(entry);
      asideBound = Math.min(asideBound, costBound);
    }
  }

  /**
   * The game of least cost with this ticket, as far as the node budget allows, or undefined if none was found.
   * `costBound` speaks of the whole queue.
   */
  bestWith(ticketId: string): QueueAnswer | undefined {
    this.#settle();
    const entry = this.#byId.get(ticketId);
    if (!entry) return undefined;
    const range = this.#narrowest(entry, anyone);
    if (range === Number.POSITIVE_INFINITY) return undefined;
    const highest = this.#highestImbalance();
    const nodesFrom = this.#search.nodes;
    const nodesLeft = () => this.#nodeBudget - (this.#search.nodes - nodesFrom);
    let game: FoundGame | undefined;
    for (let tries = 0, below = 0; !game && below < highest && nodesLeft() > 0; tries++) {
      below = Math.min(highest, this.#aLittleAbove(Math.max(below, this.#perRange * range), tries, 0));
      game = this.#searchAt(entry, anyone, 0, below, nodesLeft());
    }
    game ??= this.#diveAt(entry, anyone, this.#perRange * range);
    if (!game) return undefined;
    if (this.#rules.beta > 0 && nodesLeft() > 0) {
      // Now with the waits of others: one that waits longer may be worth a less balanced game.
      let longest = entry.seconds;
      for (const { seconds } of this.#list) longest = Math.min(longest, seconds);
      const credit = this.#rules.beta * (entry.seconds - longest);
      const limit = this.#costOf(game) - this.#waitTerm(entry);
      game = this.#searchAt(entry, anyone, credit, limit, nodesLeft()) ?? game;
    }
    const cost = this.#costOf(game);
    const least = this.#least();
    return { game, cost, costBound: Math.min(cost, least ? this.#costs[least.slot] : cost) };
  }

  /** Learns more about the entry of least cost: raises its key or finds a game of it that costs less than `foundCost`. */
  #refine(entry: Entry, foundCost: number, nodeBudget: number): void {
    const accepts = this.#membersOf(entry);
    const known = Math.max(entry.key, this.#perRange * this.#narrowest(entry, accepts));
    this.#heap.pop();
    if (known > entry.key) {
      // Removals have widened its window: perhaps it is not the least any more.
      this.#setKey(entry, known);
      return;
    }
    if (entry.tries === 3 && !this.#hasShape(entry, accepts)) {
      this.#setKey(entry, Number.POSITIVE_INFINITY);
      return;
    }
    const highest = this.#highestImbalance();
    const needed = Math.min(highest, foundCost - this.#waitTerm(entry), entry.game?.imbalance ?? highest);
    // With a game in hand that was too far to be proved the best, a part of the way to it.
    const part = entry.game ? known + (entry.game.imbalance - known) * 0.5 ** entry.halvings : needed;
    const below = Math.min(
      needed,
      part > known ? part : needed,
      this.#aLittleAbove(known, entry.tries, entry.cuts),
    );
    const game = this.#searchAt(entry, accepts, 0, below, nodeBudget);
    // A game that costs more than the best is kept: it may be the best when that is gone.
    entry.game = game ?? entry.game;
    if (this.#search.wasCut) {
      // With less than its share it has its turn at the next query.
      if (nodeBudget === this.#share) entry.cuts++;
      entry.halvings++;
      entry.restsUntil = this.#queries + (nodeBudget === this.#share ? 2 ** entry.cuts : 1);
    } else {
      entry.tries++;
      entry.halvings = Math.max(0, entry.halvings - 1);
    }
    const proved = Math.max(known, this.#search.bound);
    const impossible = !game && below === highest && proved >= highest;
    this.#setKey(entry, impossible ? Number.POSITIVE_INFINITY : proved);
  }

  #centreBound(enough: number): number {
    this.#centre ??= new PoolCentre(this.#list, this.#roles!, this.#rules);
    return this.#centre.bound(enough);
  }

  /** A game of those who stand around the best centre, which was looked for before. */
  #gameAroundCentre(): FoundGame | undefined {
    const game = this.#centre!.game(this.#exchanges);
    return game && this.#foundGame(game);
  }

  /** Any game, after the node budget was spent without one: entry by entry, the least key first. */
  #anyGame(): FoundGame | undefined {
    const nodesFrom = this.#search.nodes;
    const tried: Entry[] = [];
    let game: FoundGame | undefined;
    while (!game && this.#search.nodes - nodesFrom <= anyGameNodes) {
      const entry = this.#least();
      if (!entry) break;
      this.#heap.pop();
      this.#dive(entry);
      game = entry.game;
      tried.push(entry);
    }
    for (const entry of tried) this.#setKey(entry, entry.key);
    return game;
  }

  /** Looks for any game of an entry whose share of the node budget is spent. */
  #dive(entry: Entry): void {
    entry.game = undefined;
    const accepts = this.#membersOf(entry);
    if (this.#hasShape(entry, accepts)) entry.game = this.#diveAt(entry, accepts, entry.key);
    else this.#setKey(entry, Number.POSITIVE_INFINITY);
  }

  /** Any game of a ticket with others that are accepted, first near `known`, then further and further away. */
  #diveAt(entry: Entry, accepts: (other: Entry) => boolean, known: number): FoundGame | undefined {
    const highest = this.#highestImbalance();
    for (let below = known; below < highest; ) {
      below = Math.min(highest, 3 * Math.max(below, 1e-9 * highest));
      const game = this.#searchAt(entry, accepts, 0, below, diveNodes, true);
      if (game) return game;
    }
    return undefined;
  }

  /** Whether the parties that may be in games of this entry add up to two teams at all. */
  #hasShape(entry: Entry, accepts: (other: Entry) => boolean): boolean {
    if (this.#parties === 0) return true;
    const available = new Uint32Array(this.#rules.teamSize + 1);
    available[entry.pooled.size]++;
    const isEnough = () => shapesOf(available, entry.pooled.size, this.#rules.teamSize).length > 0;
    let counted = 0;
    for (const other of this.#list) {
      if (!accepts(other)) continue;
      available[other.pooled.size]++;
      if (++counted % 64 === 0 && isEnough()) return true;
    }
    return isEnough();
  }

  /** Who else may be in the games of this entry. */
  #membersOf(entry: Entry): (other: Entry) => boolean {
    if (this.#rules.beta === 0) return (other) => other.came < entry.came;
    return (other) =>
      other.seconds > entry.seconds ||
      (other.seconds === entry.seconds && other.pooled.ticket.ticketId > entry.pooled.ticket.ticketId);
  }

  /** The game of least f − credit below `limit` with this ticket and others that are accepted; no credit is above `creditMax`. */
  #searchAt(
    entry: Entry,
    accepts: (other: Entry) => boolean,
    creditMax: number,
    limit: number,
    nodeBudget: number,
    isDive = false,
  ): FoundGame | undefined {
    const search = this.#search;
    const { mean } = entry.pooled;
    const reach = (limit + creditMax) / this.#perRange;
    const gather = (side: 'before' | 'after'): Entry[] => {
      const found: Entry[] = [];
      for (let other = entry[side]; other; other = other[side]) {
        if (Math.abs(other.pooled.mean - mean) > reach) break;
        if (accepts(other)) found.push(other);
      }
      return found;
    };
    let below = gather('before');
    let above = gather('after');
    if (isDive && below.length + above.length > diveCandidatesMax && this.#areFull(entry, below, above)) {
      // Any game will do: the nearest are enough if one can be formed of them.
      below = this.#nearest(below);
      above = this.#nearest(above);
    }
    below.reverse();
    const gathered = [...below, entry, ...above];
    const descends = this.#rules.p === Number.POSITIVE_INFINITY || below.length > above.length;
    if (descends) gathered.reverse();

    const counter = this.#counter;
    counter.clear();
    for (const { pooled } of gathered) counter.add(pooled);
    search.bound = limit;
    search.wasCut = false;
    if (!counter.isFull) return undefined;
    search.candidates.length = 0;
    search.credits.length = 0;
    for (const other of gathered) {
      search.candidates.push(other);
      search.credits.push(
        creditMax === 0 ? 0 : Math.max(0, this.#rules.beta * (entry.seconds - other.seconds)),
      );
    }
    search.nodes += searchCost + (gathered.length >> 3);
    const anchor = descends ? above.length : below.length;
    if (!(isDive ? search.dive(anchor, limit, nodeBudget) : search.run(anchor, limit, nodeBudget)))
      return undefined;
    return this.#foundGame(search);
  }

  /** What a search has found, which keeps it only until its next run. */
  #foundGame({ members, firstTeam, imbalance }: TicketGame): FoundGame {
    const entries = members.map((member) => this.#byId.get(member.ticket.ticketId)!);
    return { members: [...members], entries, firstTeam, imbalance };
  }

  /** The nearest of a side, and of each size as many as any game may need: what is near may be pairs alone. */
  #nearest(side: readonly Entry[]): Entry[] {
    const players = new Uint32Array(this.#rules.teamSize + 1);
    return side.filter(({ pooled: { size } }, i) => {
      const isNeeded = players[size] < 2 * this.#rules.teamSize;
      players[size] += size;
      return isNeeded || i < diveCandidatesMax / 2;
    });
  }

  /** Whether the nearest to both sides make a full window with this ticket. */
  #areFull(entry: Entry, below: readonly Entry[], above: readonly Entry[]): boolean {
    this.#counter.clear();
    this.#counter.add(entry.pooled);
    for (const side of [below, above]) {
      const nearest = Math.min(side.length, diveCandidatesMax / 2);
      for (let i = 0; i < nearest; i++) this.#counter.add(side[i].pooled);
    }
    return this.#counter.isFull;
  }

  /** The least range of a game of this ticket with others that are accepted, as far as windows show; ∞ if there is none. */
  #narrowest(entry: Entry, accepts: (other: Entry) => boolean): number {
    const { range, looked } = windowAround(entry, accepts, this.#counter);
    // A long way counts against the node budget.
    this.#search.nodes += looked >> 3;
    const { low, high } = entry.pooled;
    if (this.#parties === 0 || range === Number.POSITIVE_INFINITY) return Math.max(range, high - low);
    const unit = 1e-9 * this.#highestImbalance();
    return Math.max(range, high - low, reachNeeded(entry, accepts, this.#counter, range, unit));
  }

  /** Takes in what was inserted since the last query. */
  #settle(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    this.#centre = undefined;
    if (4 * pending.length > this.#list.size) this.#rebuild(pending);
    else for (const entry of pending) this.#takeIn(entry);
  }

  #rebuild(pending: readonly Entry[]): void {
    const entries = new Map([...this.#list, ...pending].map((entry) => [entry.pooled, entry]));
    const sorted = sortBySkill([...entries.keys()]).map((pooled) => entries.get(pooled)!);
    const count = sorted.length;
    this.#list.fill(sorted);
    this.#costs = new Float64Array(2 * count);
    this.#keys = new Float64Array(2 * count).fill(Number.NaN);
    this.#means = new Float64Array(2 * count);
    this.#heap.clear();
    const ends = narrowestWindows(sorted, this.#counter);
    // The narrowest window that ends with, or contains, each ticket, from those that start with each.
    let start = -1;
    for (let i = 0; i < count; i++) {
      const entry = sorted[i];
      entry.forget();
      // Without β, as if they had come one by one, the first in the search's order last.
      entry.came = this.#sign > 0 ? count - i : i + 1;
      let range = Number.POSITIVE_INFINITY;
      while (start + 1 < count && ends[start + 1] <= i) start++;
      if (this.#rules.beta > 0) {
        for (let from = i; from >= 0 && entry.pooled.mean - sorted[from].pooled.mean < range; from--) {
          const end = Math.max(i, ends[from]);
          if (end < count) range = Math.min(range, sorted[end].pooled.mean - sorted[from].pooled.mean);
        }
      } else if (this.#sign > 0) {
        if (ends[i] < count) range = sorted[ends[i]].pooled.mean - entry.pooled.mean;
      } else if (start >= 0) range = entry.pooled.mean - sorted[start].pooled.mean;
      this.#setKey(entry, this.#perRange * Math.max(range, entry.pooled.high - entry.pooled.low));
    }
    this.#clock = count;
  }

  /**
   * Takes in one ticket: its own entry, and with β the entries of those who wait longer and whose games it may join. Their keys fall
   * to what its place alone says; what more is true is found when they come to the top, which those who came late seldom do.
   */
  #takeIn(entry: Entry): void {
    this.#list.insert(entry);
    entry.came = ++this.#clock;
    if (this.#rules.beta === 0) {
      this.#setKey(entry, this.#perRange * this.#narrowest(entry, this.#membersOf(entry)));
      return;
    }
    const least = this.#perRange * this.#narrowest(entry, anyone);
    this.#setKey(entry, least);
    const { mean } = entry.pooled;
    const keys = this.#keys;
    const means = this.#means;
    for (let slot = 0; slot < keys.length; slot++) {
      const atLeast = Math.max(least, this.#perRange * Math.abs(means[slot] - mean));
      // True for a free slot.
      if (!(keys[slot] > atLeast)) continue;
      const other = this.#list.at(slot);
      if (!this.#membersOf(other)(entry)) continue;
      other.tryAgain();
      this.#setKey(other, atLeast);
    }
  }

  #setKey(entry: Entry, key: number): void {
    const { slot } = entry;
    if (slot >= this.#costs.length) {
      this.#costs = grown(this.#costs, 2 * slot);
      this.#keys = grown(this.#keys, 2 * slot);
      this.#means = grown(this.#means, 2 * slot);
    }
    entry.key = key;
    this.#keys[slot] = key;
    this.#means[slot] = entry.pooled.mean;
    this.#costs[slot] = key + this.#waitTerm(entry);
    if (key < Number.POSITIVE_INFINITY) this.#heap.push(this.#costs[slot], slot);
    if (this.#heap.size > 64 + 4 * this.#list.size) this.#heap.compact(this.#costs);
  }

  #least(): Entry | undefined {
    const heap = this.#heap;
    while (heap.size > 0 && this.#costs[heap.topId] !== heap.topKey) heap.pop();
    return heap.size > 0 ? this.#list.at(heap.topId) : undefined;
  }

  /** β·t, what waiting adds to the cost of all games of an entry. */
  #waitTerm(entry: Entry): number {
    return this.#rules.beta * entry.seconds;
  }

  #costOf(game: FoundGame): number {
    const seconds = game.entries.reduce(
      (least, entry) => Math.min(least, entry.seconds),
      Number.POSITIVE_INFINITY,
    );
    return game.imbalance + this.#rules.beta * seconds;
  }

  /**
   * How far to search when no game is below `known`: by a quarter more, by less and less when searches
   * are cut short, and further and further when they find nothing.
   */
  #aLittleAbove(known: number, tries: number, cuts: number): number {
    // Without waits, all entries up to the last best game have to be searched anyway.
    const last = this.#rules.beta === 0 && cuts === 0 ? this.#lastImbalance : 0;
    const from = Math.max(known, last, 1e-9 * this.#highestImbalance());
    return from * (tries < 8 ? 1.25 ** (0.5 ** cuts) : 2 ** (tries - 7));
  }

  /**
   * Above the imbalance of every game, whatever its range R: v_q ≤ R, and with the teams paired off
   * d_p ≤ (Σ|x_i − y_i|^p)^(1/p) ≤ k·R.
   */
  #highestImbalance(): number {
    const { alpha, teamSize } = this.#rules;
    return lemma1(Math.max(0, this.#high - this.#low), alpha * teamSize);
  }
}

const anyone = () => true;

/** The same values with more room. */
function grown(values: Float64Array, room: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(room).fill(Number.NaN);
  more.set(values);
  return more;
}

/** Whether a cost is known and not above a bound, but for rounding: costs are sums of an imbalance and a wait. */
function isAtMost(cost: number, bound: number, wait: number): boolean {
  return cost < Number.POSITIVE_INFINITY && cost <= bound + 1e-15 * (Math.abs(cost) + Math.abs(wait));
}

/** What of a query's node budget one entry may have. */
const shareOfBudget = 0.75;

/** How many of the nearest tickets a dive looks at. */
const diveCandidatesMax = 400;

/** The nodes that looking for any game of any entry may cost. */
const anyGameNodes = 2_000_000;

/** What the preparation of a search costs, in nodes. */
const searchCost = 5;

/** The nodes that looking for any game of an entry may cost. */
const diveNodes = 500;
