import { imbalancePerRange } from '../bounds/range-bounds.ts';
import { WindowCounter } from '../bounds/windows.ts';
import { type BalancedGame, balancedGame, noBalancedGame } from '../model/balanced-game.ts';
import type { DividedGame } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { type PooledTicket, sortBySkill } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { ScarceRoles } from '../scarce/scarce-roles.ts';
import { SoloExchanges } from '../search/solo-exchanges.ts';
import type { Forbids, GameRules } from '../types.ts';
import { Entry, type FoundGame, othersOf } from './entry.ts';
import { EntryKeys } from './entry-keys.ts';
import { EntryList } from './entry-list.ts';
import { EntrySearch } from './entry-search.ts';
import { rangesOfAll } from './entry-window.ts';
import { PoolCentre } from './pool-centre.ts';

/** The game that a query found, and the proved bound. */
export interface QueueResult {
  readonly game: FoundGame;
  /** No game of the queue costs less. Equal to the game's cost when it is proved best. */
  readonly costBound: number;
}

/**
 * The game queue for tickets with parties, roles, refused pairs and waiting times (β).
 *
 * As in `SoloQueue` every game belongs to one entry, and the entry's key is a lower bound on its
 * games that stays valid after removals. Without β the entry is that of the **newest** ticket in the game, so an
 * insert changes no other entry. With β it is that of the **longest-waiting** ticket. Then all games of an entry
 * have the same wait, its key is β·t plus a bound on the imbalance alone, and an old outlier does not
 * weaken the bounds of the tickets around it. An insert must then check the keys of all waiting tickets,
 * which is linear.
 *
 * Tickets inserted before the first query are added together, in O(n log n).
 */
export class TicketQueue {
  /** The origin of the time axis: the enqueue time of the first ticket. */
  epochMs = 0;

  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #forbids: Forbids | undefined;
  readonly #perRange: number;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  /** The part of the budget that one entry may use at a time. */
  readonly #share: number;

  readonly #byTicketId = new Map<string, Entry>();
  readonly #list = new EntryList();
  readonly #keys: EntryKeys;
  /** Inserted since the last query. */
  #pending: Entry[] = [];
  /** Counts all waiting players: while it is not full no game can be formed. */
  readonly #everyone: WindowCounter;

  readonly #search: EntrySearch;
  readonly #exchanges: SoloExchanges;
  /** The bound on all games of a queue with roles; built when a search is cut short, discarded when tickets are inserted. */
  #centre: PoolCentre | undefined;
  /** The same where few players accept the scarce roles and nobody both a scarce and the dense one; null where it does not apply. */
  #scarce: ScarceRoles | null | undefined;
  /** The bound they proved last; after each search that was cut short they rest for twice as many queries. */
  #scarceBound = Number.NEGATIVE_INFINITY;
  #scarceCuts = 0;
  #scarceRestsUntil = 0;
  #queriesSinceInsert = 0;
  #inserts = 0;
  #queries = 0;
  #lastImbalance = 0;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    nodeBudget: number,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#roles = roles;
    this.#forbids = forbids;
    this.#perRange = imbalancePerRange(rules);
    this.#nodeBudget = nodeBudget;
    this.#clock = clock;
    this.#share = Math.ceil(shareOfBudget * nodeBudget);
    this.#keys = new EntryKeys(this.#list, rules.beta);
    this.#everyone = new WindowCounter(shapeOf(rules).seats, roles?.gameSeatsOf);
    this.#search = new EntrySearch(rules, roles, forbids, this.#list, clock);
    this.#exchanges = new SoloExchanges(rules, roles, forbids, clock);
  }

  insert(pooled: PooledTicket): void {
    if (this.#byTicketId.size === 0) this.epochMs = pooled.ticket.enqueuedAtMs;
    const entry = new Entry(pooled, (pooled.ticket.enqueuedAtMs - this.epochMs) / 1000);
    this.#byTicketId.set(pooled.ticket.ticketId, entry);
    this.#pending.push(entry);
    this.#everyone.add(pooled);
  }

  /** Whether the ticket was in the queue. */
  remove(ticketId: string): boolean {
    const entry = this.#byTicketId.get(ticketId);
    if (!entry) return false;
    this.#byTicketId.delete(ticketId);
    this.#everyone.remove(entry.pooled);
    entry.isHere = false;
    entry.game = undefined;
    if (entry.id === -1) this.#pending.splice(this.#pending.indexOf(entry), 1);
    else {
      this.#centre?.remove(entry);
      this.#scarce?.remove(entry.pooled);
      this.#keys.remove(entry);
      this.#list.remove(entry);
    }
    return true;
  }

  /** The game of least cost, or undefined if none can be formed (or none was found within the node budget). */
  best(): QueueResult | undefined {
    if (!this.#everyone.isFull || !this.#settle()) return undefined;
    this.#queries++;
    const keys = this.#keys;
    const query = new Query();
    const nodesFrom = this.#search.nodes;
    if (this.#askScarce(query)) return this.#conclude(query, query.costFloor, 0);
    for (;;) {
      const entry = keys.least();
      if (entry && this.#raiseToFloor(entry, query)) continue;
      const costBound = entry ? keys.costBound(entry) : Number.POSITIVE_INFINITY;
      const wait = entry ? keys.waitTerm(entry) : 0;
      const nodesLeft = this.#nodesLeft(nodesFrom);
      const isProved = query.isProved(costBound, wait);
      const isShort = nodesLeft <= 0 || (entry !== undefined && entry.cuts > 0);
      if (entry && !isProved && isShort && this.#askCentre(query, wait)) continue;
      if (!entry || isProved || nodesLeft <= 0) return this.#conclude(query, costBound, wait);
      this.#lookAt(entry, query, costBound, wait, nodesLeft);
    }
  }

  /** Raises the key of an entry to the query's floors. Returns whether it was below. */
  #raiseToFloor(entry: Entry, query: Query): boolean {
    const floor = Math.max(query.floor ?? 0, query.costFloor - this.#keys.waitTerm(entry));
    if (entry.key >= floor) return false;
    this.#keys.takeLeast();
    this.#keys.set(entry, floor);
    return true;
  }

  /** With roles, once per query: uses the centre bound as the floor, and considers the game around the centre. */
  #askCentre(query: Query, wait: number): boolean {
    if (!this.#roles || query.floor !== undefined || query.costFloor > Number.NEGATIVE_INFINITY) return false;
    this.#centre ??= new PoolCentre(this.#list, this.#roles, this.#rules, this.#clock);
    query.floor = this.#centre.bound(query.cost - wait);
    query.consider(this.#withEntries(this.#centre.game(this.#exchanges)));
    return true;
  }

  /** With few players for some roles: the best game by these players. Returns whether it is proved best, or nearly so. */
  #askScarce(query: Query): boolean {
    // It takes a pass over all tickets, which pays when several queries follow an insert.
    if (!this.#roles || ++this.#queriesSinceInsert < scarceQueries) return false;
    if (this.#scarce === undefined) this.#scarce = this.#scarceRoles() ?? null;
    if (!this.#scarce) return false;
    query.costFloor = this.#scarceBound;
    if (this.#queries < this.#scarceRestsUntil) return false;
    const { bound, game } = this.#scarce.best(Number.POSITIVE_INFINITY);
    if (this.#scarce.wasCut) this.#scarceRestsUntil = this.#queries + 2 ** ++this.#scarceCuts;
    this.#scarceBound = bound;
    query.costFloor = bound;
    query.consider(this.#withEntries(game));
    return query.found !== undefined && bound >= query.cost - scarceTolerance * query.found.imbalance;
  }

  #scarceRoles(): ScarceRoles | undefined {
    if (!this.#roles || this.#forbids || this.#list.size < scarceFrom) return undefined;
    return ScarceRoles.of(
      Array.from(this.#list, ({ pooled }) => pooled),
      this.#rules,
      this.#roles,
      this.epochMs,
      this.#clock,
    );
  }

  /** Processes the entry of least cost: uses its known game, searches it, or sets it aside. */
  #lookAt(entry: Entry, query: Query, costBound: number, wait: number, nodesLeft: number): void {
    if (entry.game && !entry.game.entries.every((member) => member.isHere)) {
      entry.game = undefined;
      entry.restsUntil = 0;
    }
    query.consider(entry.game);
    if (query.isProved(costBound, wait)) return;
    if (entry.restsUntil <= this.#queries) {
      this.#refine(entry, query.cost, Math.min(nodesLeft, this.#share));
      query.consider(entry.game);
    } else {
      this.#setAside(entry, query, costBound);
    }
  }

  /**
   * Takes an entry that was cut short out of the query, after a dive for any game if none is known. (With β a game around
   * the centre says little about what this entry's wait is worth.)
   */
  #setAside(entry: Entry, query: Query, costBound: number): void {
    const needsGame = !query.found || (query.floor !== undefined && this.#rules.beta > 0);
    if (!entry.game && needsGame) this.#dive(entry);
    if (entry.key === Number.POSITIVE_INFINITY) return;
    query.consider(entry.game);
    this.#keys.takeLeast();
    query.aside.push(entry);
    query.asideBound = Math.min(query.asideBound, costBound);
  }

  /** Ends the query: the best game found, or any, with the least bound of the remaining and set-aside entries. */
  #conclude(query: Query, costBound: number, wait: number): QueueResult | undefined {
    for (const entry of query.aside) this.#keys.set(entry, entry.key);
    const game = query.found ?? this.#anyGame();
    if (!game) return undefined;
    this.#lastImbalance = game.imbalance;
    const proved = isAtMost(game.cost, costBound, wait) ? game.cost : costBound;
    return { game, costBound: Math.min(query.asideBound, proved) };
  }

  /**
   * The game of least cost with this ticket, as far as the node budget allows, or undefined if none was found.
   * `costBound` is a bound for the whole queue.
   */
  bestWith(ticketId: string): QueueResult | undefined {
    const entry = this.#byTicketId.get(ticketId);
    if (!entry || !this.#everyone.isFull || !this.#settle()) return undefined;
    const search = this.#search;
    const known = this.#perRange * search.narrowest(entry, anyone);
    if (known === Number.POSITIVE_INFINITY) return undefined;
    const nodesFrom = search.nodes;
    let game = this.#mostBalanced(entry, known).game ?? this.#withEntries(search.any(entry, anyone, known));
    if (!game) return undefined;
    if (this.#rules.beta > 0 && this.#nodesLeft(nodesFrom) > 0) {
      // Now include the waits of others: a longer wait may outweigh a less balanced game.
      let longest = entry.seconds;
      for (const { seconds } of this.#list) longest = Math.min(longest, seconds);
      const creditMax = this.#rules.beta * (entry.seconds - longest);
      const limit = game.cost - this.#keys.waitTerm(entry);
      game =
        this.#withEntries(search.best(entry, anyone, limit, this.#nodesLeft(nodesFrom), creditMax)) ?? game;
    }
    const least = this.#keys.least();
    const costBound = least ? Math.min(game.cost, this.#keys.costBound(least)) : game.cost;
    return { game, costBound };
  }

  /** The game of least imbalance with this ticket, whatever its wait. It is proved best unless the node budget runs out. */
  mostBalancedWith(ticketId: string): BalancedGame {
    const entry = this.#byTicketId.get(ticketId);
    if (!entry || !this.#everyone.isFull) return noBalancedGame;
    if (!this.#settle()) return balancedGame(undefined, 0);
    const known = this.#perRange * this.#search.narrowest(entry, anyone);
    if (known === Number.POSITIVE_INFINITY) return noBalancedGame;
    const { game, bound } = this.#mostBalanced(entry, known);
    return balancedGame(game ?? this.#withEntries(this.#search.any(entry, anyone, known)), bound);
  }

  /** The game of least imbalance with this ticket, searched with growing limits from `known`, and the bound proved for all. */
  #mostBalanced(entry: Entry, known: number): { game: FoundGame | undefined; bound: number } {
    const search = this.#search;
    const highest = search.highestImbalance;
    const nodesFrom = search.nodes;
    let game: FoundGame | undefined;
    let bound = known;
    let isComplete = false;
    for (let tries = 0, limit = 0; !game && limit < highest; tries++) {
      const nodesLeft = this.#nodesLeft(nodesFrom);
      if (nodesLeft <= 0) break;
      limit = Math.min(highest, this.#aLittleAbove(Math.max(limit, known), tries, 0));
      game = this.#withEntries(search.best(entry, anyone, limit, nodesLeft));
      bound = Math.max(bound, search.bound);
      isComplete = !search.wasCut && limit === highest;
    }
    if (!game && !isComplete) this.#clock.giveUp();
    return { game, bound };
  }

  /** Searches the entry of least cost: raises its key or finds a game of it that costs less than `foundCost`. */
  #refine(entry: Entry, foundCost: number, nodeBudget: number): void {
    const keys = this.#keys;
    const search = this.#search;
    const accepts = othersOf(entry, this.#rules.beta);
    const known = Math.max(entry.key, this.#perRange * search.narrowest(entry, accepts));
    keys.takeLeast();
    if (known > entry.key) {
      // Removals may have widened its window, so it may no longer be the least.
      keys.set(entry, known);
      return;
    }
    if (entry.tries === triesBeforeMix && !search.hasMix(entry, accepts)) {
      keys.set(entry, Number.POSITIVE_INFINITY);
      return;
    }
    const highest = search.highestImbalance;
    const needed = Math.min(highest, foundCost - keys.waitTerm(entry), entry.game?.imbalance ?? highest);
    // If a known game was too far to be proved best, search only a part of the way to it.
    const partWay = entry.game ? known + (entry.game.imbalance - known) * 0.5 ** entry.halvings : needed;
    const limit = Math.min(
      needed,
      partWay > known ? partWay : needed,
      this.#aLittleAbove(known, entry.tries, entry.cuts),
    );
    const game = this.#withEntries(search.best(entry, accepts, limit, nodeBudget));
    // A game that costs more than the best is kept: it may be the best once that one is removed.
    entry.game = game ?? entry.game;
    if (this.#clock.wasOver) {
      // The next query searches it with all of its time.
    } else if (search.wasCut) {
      // If less than its share of the budget is left, the entry is searched at the next query.
      if (nodeBudget === this.#share) entry.cuts++;
      entry.halvings++;
      entry.restsUntil = this.#queries + (nodeBudget === this.#share ? 2 ** entry.cuts : 1);
    } else {
      entry.tries++;
      entry.halvings = Math.max(0, entry.halvings - 1);
    }
    const proved = Math.max(known, search.bound);
    const impossible = !game && limit === highest && proved >= highest;
    keys.set(entry, impossible ? Number.POSITIVE_INFINITY : proved);
  }

  /**
   * The limit of a search when no game is below `known`: a quarter more, smaller steps when searches
   * are cut short, and larger ones when they find nothing.
   */
  #aLittleAbove(known: number, tries: number, cuts: number): number {
    // Without waits, all entries up to the last best game have to be searched anyway.
    const last = this.#rules.beta === 0 && cuts === 0 ? this.#lastImbalance : 0;
    const from = Math.max(known, last, 1e-9 * this.#search.highestImbalance);
    return from * (tries < smallSteps ? step ** (0.5 ** cuts) : 2 ** (tries - smallSteps + 1));
  }

  /** What is left of the node budget of a query that began at this number of nodes; nothing when its time is over. */
  #nodesLeft(nodesFrom: number): number {
    return this.#clock.isOver() ? 0 : this.#nodeBudget - (this.#search.nodes - nodesFrom);
  }

  /** Any game, after the node budget was spent without one: entry by entry, the least key first. */
  #anyGame(): FoundGame | undefined {
    const nodesFrom = this.#search.nodes;
    const tried: Entry[] = [];
    let game: FoundGame | undefined;
    while (!game && this.#search.nodes - nodesFrom <= anyGameNodes && !this.#clock.isOver()) {
      const entry = this.#keys.least();
      if (!entry) break;
      this.#keys.takeLeast();
      this.#dive(entry);
      game = entry.game;
      tried.push(entry);
    }
    for (const entry of tried) this.#keys.set(entry, entry.key);
    return game;
  }

  /** Looks for any game of an entry whose share of the node budget is spent. */
  #dive(entry: Entry): void {
    entry.game = undefined;
    const accepts = othersOf(entry, this.#rules.beta);
    if (this.#search.hasMix(entry, accepts))
      entry.game = this.#withEntries(this.#search.any(entry, accepts, entry.key));
    else this.#keys.set(entry, Number.POSITIVE_INFINITY);
  }

  /** Converts a game to the entries of its members and its cost. */
  #withEntries(game: DividedGame | undefined): FoundGame | undefined {
    if (!game) return undefined;
    const entries = game.members.map(({ ticket }) => this.#byTicketId.get(ticket.ticketId)!);
    const longest = entries.reduce((a, b) => (a.seconds <= b.seconds ? a : b));
    return { ...game, entries, cost: game.imbalance + this.#keys.waitTerm(longest) };
  }

  /** Adds the tickets inserted since the last query. Returns whether the time sufficed for all. */
  #settle(): boolean {
    const pending = this.#pending;
    if (pending.length === 0) return true;
    this.#pending = [];
    this.#centre = undefined;
    this.#scarce = undefined;
    this.#scarceBound = Number.NEGATIVE_INFINITY;
    this.#scarceCuts = 0;
    this.#scarceRestsUntil = 0;
    this.#queriesSinceInsert = 0;
    if (4 * pending.length > this.#list.size) this.#rebuild(pending);
    else {
      for (const [i, entry] of pending.entries()) {
        this.#takeIn(entry);
        if (!this.#clock.isOver(1 + (this.#list.size >> 5))) continue;
        this.#pending = pending.slice(i + 1);
        return this.#pending.length === 0;
      }
    }
    return true;
  }

  /** Rebuilds the list with these tickets added. */
  #rebuild(pending: readonly Entry[]): void {
    const entries = new Map([...this.#list, ...pending].map((entry) => [entry.pooled, entry]));
    const sorted = sortBySkill([...entries.keys()]).map((pooled) => entries.get(pooled)!);
    this.#list.fill(sorted);
    this.#keys.clear();
    // Without β, treat them as inserted one by one, the first in the search's order last: then all others of an entry's
    // games are on one side of it.
    const ascends = this.#rules.p < Number.POSITIVE_INFINITY;
    const place = this.#rules.beta > 0 ? 'anywhere' : ascends ? 'starts' : 'ends';
    const ranges = rangesOfAll(
      sorted,
      place,
      new WindowCounter(shapeOf(this.#rules).seats, this.#roles?.gameSeatsOf),
      this.#clock,
    );
    sorted.forEach((entry, i) => {
      const { low, high } = entry.pooled;
      entry.forget();
      entry.came = ascends ? sorted.length - i : i + 1;
      this.#keys.set(entry, this.#perRange * Math.max(ranges[i], high - low));
    });
    this.#inserts = sorted.length;
  }

  /**
   * Adds one ticket with its own entry. With β it also lowers the keys of longer-waiting tickets whose games it may join to
   * a bound from its place alone. Better bounds are found when these entries become the least, which is rare for recent
   * tickets.
   */
  #takeIn(entry: Entry): void {
    const { beta } = this.#rules;
    this.#list.insert(entry);
    entry.came = ++this.#inserts;
    const accepts = beta === 0 ? othersOf(entry, beta) : anyone;
    const least = this.#perRange * this.#search.narrowest(entry, accepts);
    this.#keys.set(entry, least);
    if (beta === 0) return;
    for (const { entry: other, key } of this.#keys.above(entry.pooled.mean, least, this.#perRange)) {
      if (!othersOf(other, beta)(entry)) continue;
      other.tryAgain();
      this.#keys.set(other, key);
    }
  }
}

const anyone = () => true;

/** The state of one query for the best game. */
class Query {
  /** The game of least cost found, and its cost. */
  found: FoundGame | undefined;
  cost = Number.POSITIVE_INFINITY;
  /** No game has an imbalance below this: the centre bound, once it has been computed. */
  floor: number | undefined;
  /** No game costs less than this: the bound of the scarce roles, once it has been computed. */
  costFloor = Number.NEGATIVE_INFINITY;
  /** Resting entries whose search was cut short, and the bound proved for their games. */
  readonly aside: Entry[] = [];
  asideBound = Number.POSITIVE_INFINITY;

  consider(game: FoundGame | undefined): void {
    if (!game || game.cost >= this.cost) return;
    this.found = game;
    this.cost = game.cost;
  }

  /** Whether the game found is a best one, if all others cost at least this much. */
  isProved(costBound: number, wait: number): boolean {
    return isAtMost(this.cost, costBound, wait);
  }
}

/** Whether a cost is known and at most a bound, except for rounding: costs are sums of an imbalance and a wait. */
function isAtMost(cost: number, bound: number, wait: number): boolean {
  return cost < Number.POSITIVE_INFINITY && cost <= bound + 1e-15 * (Math.abs(cost) + Math.abs(wait));
}

/** From this pool size on the players of scarce roles are asked first; smaller pools are searched exactly in any case. */
const scarceFrom = 100;

/** The query after an insert from which on they are asked. */
const scarceQueries = 4;

/** The relative gap with which a game of scarce roles is released without a further search. */
const scarceTolerance = 2e-3;

/** The factor by which a search exceeds the known bound; 1.1 and 1.5 work about as well. */
const step = 1.25;

/** The number of searches without a game that grow by `step`, a factor of six together; later ones double, to end soon. */
const smallSteps = 8;

/**
 * The share of a query's node budget that one entry may use. With half of it a drain of extreme roles proves fewer games
 * (11.5% instead of 15.5%); with all of it nothing is left for other entries.
 */
const shareOfBudget = 0.75;

/** The most nodes for finding any game of any entry: some seconds, before the queue reports that it found none. */
const anyGameNodes = 2_000_000;

/** After this many searches without a game, mostly cheap ones, the queue counts whether a game is possible at all. */
const triesBeforeMix = 3;
