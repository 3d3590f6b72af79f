import { MixBound } from '../bounds/mix-bound.ts';
import { PartyLines } from '../bounds/party-lines.ts';
import { KeyHeap } from '../collections/key-heap.ts';
import type { DividedGame } from '../model/division.ts';
import { type GameShape, shapeOf } from '../model/game-shape.ts';
import { packingNumber } from '../model/packing-number.ts';
import { gameMixes } from '../model/party-mixes.ts';
import { type PooledTicket, sortBySkill } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { FewParties } from '../search/few-parties.ts';
import { MixGame } from '../search/mix-game.ts';
import type { GameRules } from '../types.ts';

/** The game that a query found, and the proved bound. */
export interface PackedGame {
  readonly game: DividedGame;
  /** f + β·(the enqueue time of its longest-waiting ticket, in seconds since the queue's epoch). */
  readonly cost: number;
  /** No game costs less than `cost − gap`, where each game also costs the price of the games that are lost with it. */
  readonly gap: number;
}

/**
 * The queue that packs as it goes: each game also has a price for every game fewer that the sizes of the remaining parties can
 * form. It is for parties without roles and refused pairs, where a party mix decides what remains.
 *
 * An **item** is a ticket with a party mix, and its key a lower bound on the cost of its games of that mix, without the price,
 * which is the same for all games of a mix. So each mix has its own heaps, and prices change without touching the keys. An
 * item is **open** while a search may raise its key or find a game: before the first search, and after a party on which the
 * last one depended has left. Removals leave keys valid. After an insert the next query starts anew.
 */
export class PackingQueue {
  /** The origin of the time axis: the enqueue time of the first ticket. */
  readonly epochMs: number;

  readonly #shape: GameShape;
  readonly #lostGameCost: number;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #mixes: readonly Uint8Array[];
  /** By mix and size: whether the games of the mix are filed under its tickets of this size. */
  readonly #isFiled: readonly boolean[][];

  /** The tickets by entry, their places among those of their size, and β·t. */
  readonly #tickets: readonly PooledTicket[];
  readonly #entryOf = new Map<PooledTicket, number>();
  readonly #places: Int32Array;
  readonly #waits: Float64Array;
  readonly #lines: PartyLines;
  readonly #bound: MixBound;
  readonly #search: MixGame;
  readonly #few: FewParties;

  /** By size: the entries that have no items yet. By entry: a lower bound on all of its games, NaN once it has items. */
  readonly #untried: KeyHeap[];
  readonly #firstKeys: Float64Array;
  /** By mix: the keys of all items, those of open ones, and the costs of the games found. */
  readonly #all: KeyHeap[];
  readonly #open: KeyHeap[];
  readonly #games: KeyHeap[];
  /** The same by item, NaN where there is none. */
  readonly #keys: Float64Array;
  readonly #openKeys: Float64Array;
  readonly #costs: Float64Array;
  readonly #found = new Map<number, DividedGame>();
  /** By item: 1 if its exact search was cut short, after which it is not repeated. */
  readonly #wasCut: Uint8Array;
  /** By entry: the items whose key or game depends on it. */
  readonly #dependents: number[][];

  /** By mix: the price at this query, ∞ if it cannot be formed or is not admitted. By size: the least of its mixes. */
  readonly #prices: Float64Array;
  readonly #leastPrices: Float64Array;

  /**
   * @param tickets at least one
   * @param lostGameCost ≥ 0; ∞: a game with which another is lost is not admitted
   */
  constructor(
    tickets: Iterable<PooledTicket>,
    rules: GameRules,
    lostGameCost: number,
    nodeBudget: number,
    clock: SearchClock,
  ) {
    const sorted = sortBySkill([...tickets]);
    this.#shape = shapeOf(rules);
    this.#lostGameCost = lostGameCost;
    this.#nodeBudget = nodeBudget;
    this.#clock = clock;
    this.#mixes = gameMixes(this.#shape);
    // With β the longest-waiting ticket counts, which may have any size. Without it the largest party is enough.
    this.#isFiled = this.#mixes.map((mix) =>
      Array.from(mix, (count, size) =>
        rules.beta > 0 ? size > 0 && count > 0 : size === mix.findLastIndex((each) => each > 0),
      ),
    );
    this.#tickets = sorted;
    this.epochMs = sorted.reduce((least, { ticket }) => Math.min(least, ticket.enqueuedAtMs), Infinity);
    this.#lines = new PartyLines(sorted, rules.teamSize);
    this.#bound = new MixBound(rules, this.#lines);
    this.#search = new MixGame(rules, this.#lines, clock);
    this.#few = new FewParties(rules, this.#lines, clock);

    const items = sorted.length * this.#mixes.length;
    const heaps = () => this.#mixes.map(() => new KeyHeap());
    this.#all = heaps();
    this.#open = heaps();
    this.#games = heaps();
    this.#keys = new Float64Array(items).fill(Number.NaN);
    this.#openKeys = new Float64Array(items).fill(Number.NaN);
    this.#costs = new Float64Array(items).fill(Number.NaN);
    this.#wasCut = new Uint8Array(items);
    this.#dependents = sorted.map(() => []);
    this.#prices = new Float64Array(this.#mixes.length);
    this.#leastPrices = new Float64Array(rules.teamSize + 1);
    this.#untried = Array.from(this.#leastPrices, () => new KeyHeap());
    this.#places = new Int32Array(sorted.length);
    const places = new Int32Array(rules.teamSize + 1);
    this.#waits = Float64Array.from(
      sorted,
      ({ ticket }) => rules.beta * ((ticket.enqueuedAtMs - this.epochMs) / 1000),
    );
    this.#firstKeys = new Float64Array(sorted.length);
    sorted.forEach((pooled, entry) => {
      this.#entryOf.set(pooled, entry);
      this.#places[entry] = ++places[pooled.size];
      this.#firstKeys[entry] = this.#waits[entry] + this.#bound.ofSpread(pooled.spread);
      this.#untried[pooled.size].push(this.#firstKeys[entry], entry);
    });
  }

  remove(pooled: PooledTicket): void {
    const entry = this.#entryOf.get(pooled)!;
    this.#entryOf.delete(pooled);
    this.#lines.remove(pooled.size, this.#places[entry]);
    this.#firstKeys[entry] = Number.NaN;
    for (let mix = 0, item = entry * this.#mixes.length; mix < this.#mixes.length; mix++, item++) {
      this.#keys[item] = Number.NaN;
      this.#openKeys[item] = Number.NaN;
      this.#forgetGame(item);
    }
    for (const item of this.#dependents[entry]) {
      const key = this.#keys[item];
      if (Number.isNaN(key)) continue;
      if (this.#found.get(item)?.members.includes(pooled)) this.#forgetGame(item);
      if (Number.isNaN(this.#openKeys[item])) this.#reopen(item, key);
    }
    this.#dependents[entry] = [];
  }

  /** The game of least cost and price as far as the node budget allows, or undefined if none can be formed. */
  best(): PackedGame | undefined {
    this.#setPrices();
    const nodesFrom = this.#nodes();
    let best = this.#leastGame();
    for (;;) {
      const next = this.#leastOpen();
      if (!next || next.value >= best.value - gapLeft * this.#imbalanceOf(best.item)) break;
      if (this.#clock.isOver(stepsPerItem)) break;
      if (this.#nodes() - nodesFrom >= this.#nodeBudget && best.item !== -1) break;
      if (next.mix === -1) this.#tryFirst(next.id, best.value);
      else this.#examine(next.id, next.mix, best.value);
      best = this.#leastGame();
    }
    if (best.item === -1) return undefined;
    let bound = this.#leastBound();
    while (
      best.value - bound.value > gapWanted * this.#imbalanceOf(best.item) &&
      this.#nodes() - nodesFrom < this.#nodeBudget &&
      !this.#clock.isOver(stepsPerItem) &&
      this.#raise(bound.item, best.value)
    ) {
      bound = this.#leastBound();
      best = this.#leastGame();
    }
    const game = this.#found.get(best.item)!;
    const gap = Math.max(0, best.value - bound.value);
    const scale = Math.abs(best.value) + Math.abs(this.#waits[Math.floor(best.item / this.#mixes.length)]);
    return { game, cost: this.#costs[best.item], gap: gap <= 1e-12 * scale ? 0 : gap };
  }

  #nodes(): number {
    return (
      this.#bound.evaluations / evaluationsPerNode + (this.#search.valued + this.#few.tried) / valuedPerNode
    );
  }

  /** The imbalance of a game found, 0 for none. */
  #imbalanceOf(item: number): number {
    return this.#found.get(item)?.imbalance ?? 0;
  }

  /** What a game of each mix costs for the games that are lost with it. */
  #setPrices(): void {
    const { counts } = this.#lines;
    const possible = packingNumber(counts.slice(), this.#shape);
    this.#leastPrices.fill(Number.POSITIVE_INFINITY);
    const left = new Uint32Array(counts.length);
    this.#mixes.forEach((mix, m) => {
      this.#prices[m] = Number.POSITIVE_INFINITY;
      for (let size = 1; size < mix.length; size++) if (mix[size] > counts[size]) return;
      for (let size = 1; size < mix.length; size++) left[size] = counts[size] - mix[size];
      const lost = possible - 1 - packingNumber(left, this.#shape);
      this.#prices[m] = lost > 0 ? lost * this.#lostGameCost : 0;
      for (let size = 1; size < mix.length; size++)
        if (this.#isFiled[m][size])
          this.#leastPrices[size] = Math.min(this.#leastPrices[size], this.#prices[m]);
    });
  }

  /** The known game of least cost and price. */
  #leastGame(): { item: number; value: number } {
    let item = -1;
    let value = Number.POSITIVE_INFINITY;
    for (let mix = 0; mix < this.#mixes.length; mix++) {
      if (this.#prices[mix] === Number.POSITIVE_INFINITY) continue;
      const each = topOf(this.#games[mix], this.#costs) + this.#prices[mix];
      if (each >= value) continue;
      value = each;
      item = this.#games[mix].topId;
    }
    return { item, value };
  }

  /** The open item, or the entry without items, of the least key and price. */
  #leastOpen(): { id: number; mix: number; value: number } | undefined {
    let id = -1;
    let mix = -1;
    let value = Number.POSITIVE_INFINITY;
    for (let size = 1; size < this.#untried.length; size++) {
      const each = topOf(this.#untried[size], this.#firstKeys) + this.#leastPrices[size];
      if (each >= value) continue;
      value = each;
      id = this.#untried[size].topId;
    }
    for (let m = 0; m < this.#mixes.length; m++) {
      if (this.#prices[m] === Number.POSITIVE_INFINITY) continue;
      const each = topOf(this.#open[m], this.#openKeys) + this.#prices[m];
      if (each >= value) continue;
      value = each;
      id = this.#open[m].topId;
      mix = m;
    }
    return id === -1 ? undefined : { id, mix, value };
  }

  /** A lower bound on the cost and price of all games. */
  #leastBound(): { item: number; value: number } {
    let item = -1;
    let value = Number.POSITIVE_INFINITY;
    for (let size = 1; size < this.#untried.length; size++)
      value = Math.min(value, topOf(this.#untried[size], this.#firstKeys) + this.#leastPrices[size]);
    for (let mix = 0; mix < this.#mixes.length; mix++) {
      if (this.#prices[mix] === Number.POSITIVE_INFINITY) continue;
      const each = topOf(this.#all[mix], this.#keys) + this.#prices[mix];
      if (each >= value) continue;
      value = each;
      item = this.#all[mix].topId;
    }
    return { item, value };
  }

  /** Raises the key of the item that has the least. Returns whether it could. */
  #raise(item: number, best: number): boolean {
    if (item === -1 || this.#isSearchedFirst(item)) return false;
    if (this.#canSearch(item)) {
      this.#matchExactly(item, best);
      if (!this.#wasCut[item]) return true;
    }
    return this.#raiseByTeams(item, best);
  }

  /** Raises a key by the bound that knows the team gap. */
  #raiseByTeams(item: number, best: number): boolean {
    const mix = item % this.#mixes.length;
    const entry = Math.floor(item / this.#mixes.length);
    const limit = best - this.#prices[mix] - this.#waits[entry];
    const known = this.#keys[item];
    this.#bound.start(this.#tickets[entry].size, this.#places[entry], slack * limit);
    const key = this.#waits[entry] + this.#bound.fair(mix, slack * limit);
    if (key <= known + 1e-3 * limit) return false;
    const isOpen = !Number.isNaN(this.#openKeys[item]);
    this.#set(item, mix, key, isOpen);
    const { apart } = this.#bound;
    if (isOpen || !apart || key + this.#prices[mix] >= best) return true;
    const game = this.#search.runApart(this.#tickets[entry].size, this.#places[entry], apart);
    for (const pooled of this.#search.nearest) this.#depend(item, pooled);
    const cost = this.#costs[item];
    if (game && !(this.#costOf(game) >= cost)) this.#keep(item, mix, game);
    return true;
  }

  /** Makes the items of an entry and examines those whose games may cost less than `best`. */
  #tryFirst(entry: number, best: number): void {
    const { size } = this.#tickets[entry];
    const first = this.#firstKeys[entry];
    this.#firstKeys[entry] = Number.NaN;
    this.#start(entry, best);
    const close: { mix: number; key: number; centre: number }[] = [];
    for (let mix = 0, item = entry * this.#mixes.length; mix < this.#mixes.length; mix++, item++) {
      if (!this.#isFiled[mix][size]) continue;
      if (this.#prices[mix] === Number.POSITIVE_INFINITY || this.#isSearchedFirst(item)) {
        this.#set(item, mix, first, true);
        continue;
      }
      const key = Math.max(first, this.#waits[entry] + this.#bound.least(mix));
      this.#set(item, mix, key, true);
      if (this.#bound.isTight) close.push({ mix, key, centre: this.#bound.centre });
    }
    let limit = best;
    close.sort((a, b) => a.key + this.#prices[a.mix] - b.key - this.#prices[b.mix]);
    for (const { mix, key, centre } of close) {
      if (key + this.#prices[mix] >= limit) break;
      limit = Math.min(limit, this.#findGame(entry, mix, key, centre));
    }
  }

  /** Raises the key of an item, and looks for a game if its games may cost less than `best`. */
  #examine(item: number, mix: number, best: number): void {
    const entry = Math.floor(item / this.#mixes.length);
    const known = this.#keys[item];
    if (this.#isSearchedFirst(item)) {
      this.#matchExactly(item, best);
      return;
    }
    this.#start(entry, best - this.#prices[mix]);
    const key = Math.max(known, this.#waits[entry] + this.#bound.least(mix));
    if (this.#bound.isTight && key + this.#prices[mix] < best)
      this.#findGame(entry, mix, key, this.#bound.centre);
    else this.#set(item, mix, key, true);
  }

  #start(entry: number, best: number): void {
    const { size } = this.#tickets[entry];
    this.#bound.start(size, this.#places[entry], slack * (best - this.#waits[entry]));
  }

  /** Looks for a game of an item whose key is tight. Returns its cost and price. */
  #findGame(entry: number, mix: number, key: number, centre: number): number {
    const { size } = this.#tickets[entry];
    const item = entry * this.#mixes.length + mix;
    const game = this.#search.run(mix, size, this.#places[entry], centre);
    this.#set(item, mix, key, false);
    for (const pooled of this.#search.nearest) this.#depend(item, pooled);
    return game ? this.#keep(item, mix, game) : Number.POSITIVE_INFINITY;
  }

  /** Whether the exact search may find the best game of an item. */
  #canSearch(item: number): boolean {
    return this.#missing(item) > 0 && !this.#wasCut[item];
  }

  /** Whether the exact search is so short that it needs no bound before it. */
  #isSearchedFirst(item: number): boolean {
    return this.#canSearch(item) && this.#missing(item) <= firstMax;
  }

  #missing(item: number): number {
    const entry = Math.floor(item / this.#mixes.length);
    return this.#few.missing(item % this.#mixes.length, this.#tickets[entry].size);
  }

  /** Searches for the best game of an item that is better than its game and may cost less than `best`. */
  #matchExactly(item: number, best: number): void {
    const mix = item % this.#mixes.length;
    const entry = Math.floor(item / this.#mixes.length);
    const wait = this.#waits[entry];
    const cost = this.#found.has(item) ? this.#costs[item] : Number.POSITIVE_INFINITY;
    const most = Math.min(best - this.#prices[mix], cost);
    const least = this.#few.search(
      mix,
      this.#tickets[entry].size,
      this.#places[entry],
      most - wait,
      triedMax,
    );
    const { game, isCut } = this.#few;
    this.#wasCut[item] = isCut ? 1 : 0;
    const key = isCut ? this.#keys[item] : Math.max(this.#keys[item], wait + least);
    // Beyond the limit nothing is known.
    const isOpen = !Number.isNaN(this.#openKeys[item]) && (isCut || !game);
    this.#set(item, mix, key, isOpen);
    if (game) this.#keep(item, mix, game);
  }

  #keep(item: number, mix: number, game: DividedGame): number {
    for (const member of game.members) this.#depend(item, member);
    this.#costs[item] = this.#costOf(game);
    this.#found.set(item, game);
    this.#games[mix].push(this.#costs[item], item);
    return this.#costs[item] + this.#prices[mix];
  }

  #costOf({ members, imbalance }: DividedGame): number {
    let wait = Number.POSITIVE_INFINITY;
    for (const member of members) wait = Math.min(wait, this.#waits[this.#entryOf.get(member)!]);
    return imbalance + wait;
  }

  #depend(item: number, pooled: PooledTicket): void {
    this.#dependents[this.#entryOf.get(pooled)!].push(item);
  }

  #forgetGame(item: number): void {
    this.#costs[item] = Number.NaN;
    this.#found.delete(item);
  }

  #set(item: number, mix: number, key: number, isOpen: boolean): void {
    if (this.#keys[item] !== key) {
      this.#keys[item] = key;
      if (key < Number.POSITIVE_INFINITY) this.#all[mix].push(key, item);
    }
    this.#openKeys[item] = Number.NaN;
    if (isOpen) this.#reopen(item, key);
  }

  #reopen(item: number, key: number): void {
    this.#openKeys[item] = key;
    if (key < Number.POSITIVE_INFINITY) this.#open[item % this.#mixes.length].push(key, item);
  }
}

/** The least key of a heap that is still current. */
function topOf(heap: KeyHeap, current: Float64Array): number {
  while (heap.size > 0 && current[heap.topId] !== heap.topKey) heap.pop();
  return heap.topKey;
}

/** A bound is searched up to this multiple of what is needed, so that the next queries need not search it again. */
const slack = 2.5;

/** Items whose games are better by at most this part of the imbalance are not searched. 0 takes twice the time. */
const gapLeft = 0.02;

/** The bound is raised until the gap is at most this part of the imbalance. */
const gapWanted = 0.03;

/** The work of an item, in steps of a `SearchClock`. */
const stepsPerItem = 16;

/** How many lists of nearest parties the bounds may use for one node. */
const evaluationsPerNode = 2;

/** How many games an exchange may value for one node, and how many parties the exact search may try. */
const valuedPerNode = 64 * evaluationsPerNode;

/** Items with at most this many parties besides the anchor are searched exactly at once, others where the gap is wide. */
const firstMax = 4;

/** How many parties the exact search of one item may try. */
const triedMax = 4000;
