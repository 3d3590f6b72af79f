import { KeyHeap } from '../collections/key-heap.ts';
import { type BalancedGame, balancedGame, noBalancedGame } from '../model/balanced-game.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Forbids, GameRules } from '../types.ts';
import { AnchoredSearch, type Scope } from './anchored-search.ts';
import { areDuos, DuoCells } from './duo-cells.ts';
import { highestOf, type Layout, whereAllFit } from './layout.ts';
import { PartyCells } from './party-cells.ts';
import { perRangeOf } from './range-factor.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeAnswer, ShapeQueue } from './shape-queue.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { TicketLine } from './ticket-line.ts';

/**
 * The game queue for shapes of up to 16 seats: exact unless the node budget runs out.
 *
 * Every game belongs to one entry, a ticket of it, and the entry's key is a lower bound on the cost of its games. That
 * ticket is
 * - with β the longest-waiting one, so that all games of an entry have the same wait;
 * - else, in games of one player against a team, the player in the lone seat;
 * - else the first of the game in order of skill.
 *
 * Removals only raise what a key bounds. Inserts are gathered and the queue is built anew at the next query. A search that
 * finds nothing returns the least bound at which it turned back, which is the entry's next key.
 */
export class ExactQueue implements ShapeQueue {
  epochMs = 0;

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #nodeBudget: number | undefined;
  readonly #clock: SearchClock;
  readonly #forbids: Forbids | undefined;
  #search: AnchoredSearch;
  /** The class of the lone seat, as a bit; 0 if there is none, or a split party may hold the player in it. */
  #loneSeat = 0;
  readonly #perRange: number;

  readonly #waiting = new Set<ShapeTicket>();
  #line: TicketLine | undefined;
  #entries: Entry[] = [];
  readonly #keys = new KeyHeap();
  #highest = 0;
  /** The greatest credit of a ticket. */
  #creditMax = 0;
  #queries = 0;
  #lastImbalance = 0;
  #preparation = 0;
  /** Where it applies, what bounds and finds games when a query is cut short; built when it is needed. */
  #cells: PartyCells | DuoCells | undefined;
  #hasCells = false;
  /** The part of the budget that searches around tickets are worth: less the more of them have been cut short. */
  #worth = 1;

  constructor(
    rules: GameRules,
    layout: Layout,
    forbids: Forbids | undefined,
    nodeBudget: number | undefined,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#layout = layout;
    this.#nodeBudget = nodeBudget;
    this.#clock = clock;
    this.#forbids = forbids;
    this.#search = new AnchoredSearch(rules, layout, forbids, clock);
    this.#perRange = perRangeOf(layout, rules, layout.seats);
  }

  insert(ticket: ShapeTicket): void {
    this.#waiting.add(ticket);
    this.#line = undefined;
  }

  remove(ticket: ShapeTicket): boolean {
    if (!this.#waiting.delete(ticket)) return false;
    this.#line?.remove(ticket);
    this.#cells?.removed(ticket.mean);
    return true;
  }

  best(): ShapeAnswer {
    const line = this.#settle();
    const keys = this.#keys;
    this.#queries++;
    const budget = Math.ceil(this.#worth * this.#budget());
    const nodesFrom = this.#nodes;
    const creditMax = this.#creditMax;
    const aside: Entry[] = [];
    let asideBound = Number.POSITIVE_INFINITY;
    let found: Entry | undefined;
    let cost = Number.POSITIVE_INFINITY;
    const consider = (entry: Entry) => {
      if (!entry.game || entry.game.imbalance - entry.credit >= cost) return;
      found = entry;
      cost = entry.game.imbalance - entry.credit;
    };
    const end = (): ShapeAnswer => {
      for (const entry of aside) keys.push(entry.key, entry.place);
      const bound = Math.min(asideBound, keys.topKey);
      if (this.#hasCells) {
        const isProved = found !== undefined && isAtMost(cost, bound, creditMax);
        this.#worth = isProved ? Math.min(1, 2 * this.#worth) : Math.max(this.#worthMin(), this.#worth / 2);
        if (!isProved) {
          this.#cells ??= areDuos(this.#layout, this.#rules, line.tickets.length)
            ? new DuoCells(line, this.#rules, this.#layout, this.#clock)
            : new PartyCells(line, this.#rules, this.#layout, this.#clock);
          const near = this.#cells.best(found?.game);
          const all = Math.max(bound, near.bound);
          if (near.game)
            return {
              game: near.game,
              cost: near.game.imbalance,
              costBound: Math.min(all, near.game.imbalance),
            };
        }
      }
      if (!found) return this.#anyGame(line);
      const costBound = isAtMost(cost, bound, creditMax) ? cost : bound;
      if (cost <= costBound) this.#lastImbalance = found.game!.imbalance;
      return { game: found.game!, cost, costBound: Math.min(cost, costBound) };
    };
    for (;;) {
      const entry = this.#least(line);
      if (!entry || isAtMost(cost, entry.key, creditMax)) return end();
      if (entry.game && !line.hasAll(entry.game.members)) {
        entry.game = undefined;
        entry.restsUntil = 0;
      }
      consider(entry);
      if (isAtMost(cost, entry.key, creditMax)) return end();
      keys.pop();
      const isSpent = this.#clock.isOver() || this.#nodes - nodesFrom >= budget;
      if (isSpent || entry.restsUntil > this.#queries) {
        aside.push(entry);
        asideBound = Math.min(asideBound, entry.key);
        if (isSpent) return end();
        continue;
      }
      const share = Math.min(shareMax, firstShare * 2 ** entry.cuts);
      const nodesLeft = budget - (this.#nodes - nodesFrom);
      this.#refine(entry, line, cost, Math.min(Math.ceil(share * budget), nodesLeft));
      consider(entry);
      if (entry.key < Number.POSITIVE_INFINITY) keys.push(entry.key, entry.place);
    }
  }

  bestWith(ticket: ShapeTicket): ShapeAnswer {
    const line = this.#settle();
    const place = line.placeOf(ticket);
    const leastKey = () => this.#least(line)?.key ?? Number.POSITIVE_INFINITY;
    const none = () => ({ game: undefined, cost: Number.POSITIVE_INFINITY, costBound: leastKey() });
    if (place === undefined || line.isHere[place] === 0) return none();
    const entry = this.#entries[place];
    const { game: balanced } = this.#mostBalanced(entry, line);
    let game = balanced ?? this.#anyWith(entry, line, anyNodes);
    if (!game) return none();
    const { beta } = this.#rules;
    if (beta > 0) {
      // Now include the waits of others: a longer wait may outweigh a less balanced game.
      let greatest = entry.credit;
      for (const { credit, place: at } of this.#entries)
        if (line.isHere[at]) greatest = Math.max(greatest, credit);
      const limit = this.#costOf(game);
      const scope = this.#scope(entry, line, anyone, (limit + greatest) / this.#perRange, 0).scope;
      const credits = {
        anchor: entry.credit,
        candidates: Float64Array.from(
          scope.candidates,
          (other) => this.#entries[line.placeOf(other)!].credit,
        ),
      };
      game = this.#searchSizes({ ...scope, credits }, limit, this.#budget()).game ?? game;
    }
    const cost = this.#costOf(game);
    return { game, cost, costBound: Math.min(cost, leastKey()) };
  }

  mostBalancedWith(ticket: ShapeTicket): BalancedGame {
    const line = this.#settle();
    const place = line.placeOf(ticket);
    if (place === undefined || line.isHere[place] === 0) return noBalancedGame;
    const entry = this.#entries[place];
    const { game, bound } = this.#mostBalanced(entry, line);
    if (bound === Number.POSITIVE_INFINITY) return noBalancedGame;
    return balancedGame(game ?? this.#anyWith(entry, line, anyNodes), bound);
  }

  get #nodes(): number {
    return this.#search.nodes + this.#preparation;
  }

  /** The nodes of one query: by default enough to prove games of small pools, and to drain large ones in time. */
  #budget(): number {
    return this.#nodeBudget ?? Math.max(20_000, Math.min(200_000, Math.round(2e7 / this.#waiting.size)));
  }

  /** The least part of the budget for searches around tickets: all of it in small pools, little in large ones. */
  #worthMin(): number {
    return Math.min(1, Math.max(150, 2e6 / this.#waiting.size) / this.#budget());
  }

  /** The entry of least key that still waits; its pair stays on the heap. */
  #least(line: TicketLine): Entry | undefined {
    const keys = this.#keys;
    while (keys.size > 0) {
      const entry = this.#entries[keys.topId];
      if (line.isHere[entry.place] && entry.key === keys.topKey) return entry;
      keys.pop();
    }
    return undefined;
  }

  /** Searches an entry: raises its key or finds a game of it that costs less than `cost`. */
  #refine(entry: Entry, line: TicketLine, cost: number, nodeBudget: number): void {
    const known = entry.key + entry.credit;
    const { cuts, tries, game } = entry;
    const grow = tries < smallSteps ? step ** (0.5 ** cuts) : 2 ** (tries - smallSteps + 1);
    const last = cuts > 0 || this.#rules.beta > 0 ? 0 : this.#lastImbalance;
    const limit = Math.min(
      this.#highest,
      cost + entry.credit,
      game ? between(known, game.imbalance, 0.5 ** cuts) : Number.POSITIVE_INFINITY,
      Math.max(known, last, 1e-9 * this.#highest) * grow,
    );
    const accepts = this.#othersOf(entry);
    const { scope, beyond } = this.#scope(
      entry,
      line,
      accepts,
      limit / this.#perRange,
      this.#layout.seatsMin,
    );
    const result = this.#searchSizes(scope, limit, nodeBudget);
    if (result.game) entry.game = result.game;
    // Tickets out of reach cost at least their distance.
    let bound = Math.min(result.bound, Math.max(limit, this.#perRange * beyond * (1 - 1e-12)));
    if (result.wasCut) {
      entry.cuts++;
      entry.tries = 0;
      // An entry of low key that rests makes the bound of every query low, so it is tried again at once in smaller steps.
      entry.restsUntil =
        this.#queries + (entry.cuts <= cutsAtOnce ? 0 : 2 ** Math.min(16, entry.cuts - cutsAtOnce));
    } else {
      // Where the key does not rise, because a credit hides what was proved, the steps grow without end.
      const most = bound - entry.credit > entry.key ? smallSteps + 1 : Number.POSITIVE_INFINITY;
      entry.tries = result.game ? 0 : Math.min(most, entry.tries + 1);
      if (entry.cuts > 0) entry.cuts--;
      if (!result.game && limit >= this.#highest) bound = Number.POSITIVE_INFINITY;
    }
    entry.key = Math.max(entry.key, bound - entry.credit);
  }

  /** Games of every number of players that the layout allows, full ones first. */
  #searchSizes(
    scope: Scope,
    limit: number,
    nodeBudget: number,
  ): { game: ShapedGame | undefined; bound: number; wasCut: boolean } {
    const search = this.#search;
    const { seats, seatsMin } = this.#layout;
    let game: ShapedGame | undefined;
    let bound = Number.POSITIVE_INFINITY;
    let wasCut = false;
    let below = limit;
    const nodesFrom = search.nodes;
    for (let n = seats; n >= seatsMin; n--) {
      const nodesLeft = Math.max(0, nodeBudget - (search.nodes - nodesFrom));
      const found = search.run(scope, n, below, nodesLeft);
      if (found) {
        game = found;
        below = search.bound;
      }
      bound = Math.min(bound, search.bound);
      wasCut ||= search.wasCut;
      if (found) below = Math.min(limit, found.imbalance - creditOf(found, scope));
    }
    return { game, bound, wasCut };
  }

  /**
   * The accepted candidates around an entry within reach, and farther ones until there are enough for a game; `beyond` is
   * the distance of the next one.
   */
  #scope(
    entry: Entry,
    line: TicketLine,
    accepts: Accepts,
    reach: number,
    enough: number,
  ): { scope: Scope; beyond: number } {
    const { means, tickets, after, before } = line;
    const mean = means[entry.place];
    const above: ShapeTicket[] = [];
    const below: ShapeTicket[] = [];
    let players = entry.ticket.size;
    let beyond = Number.POSITIVE_INFINITY;
    let up = after[entry.place];
    let down = accepts.isAboveOnly ? -1 : before[entry.place];
    for (;;) {
      const toUp = up < tickets.length ? means[up] - mean : Number.POSITIVE_INFINITY;
      const toDown = down >= 0 ? mean - means[down] : Number.POSITIVE_INFINITY;
      const distance = Math.min(toUp, toDown);
      if (distance === Number.POSITIVE_INFINITY) break;
      if (distance > reach && players >= enough) {
        beyond = distance;
        break;
      }
      const isUp = toUp <= toDown;
      const place = isUp ? up : down;
      if (isUp) up = after[place];
      else down = before[place];
      if (!accepts.other(this.#entries[place])) continue;
      players += tickets[place].size;
      (isUp ? above : below).push(tickets[place]);
    }
    const work = 5 + ((above.length + below.length) >> 3);
    this.#preparation += work;
    this.#clock.isOver(work);
    const candidates = below.length === 0 ? above : [...below.reverse(), ...above];
    return { scope: { anchor: entry.ticket, candidates, isLone: accepts.isLone }, beyond };
  }

  /** The tickets that may be in the games of an entry. */
  #othersOf(entry: Entry): Accepts {
    if (this.#rules.beta > 0) {
      const { enqueuedAtMs, ticketId } = entry.ticket.ticket;
      return {
        isAboveOnly: false,
        isLone: false,
        other: ({ ticket: { ticket } }) =>
          ticket.enqueuedAtMs > enqueuedAtMs ||
          (ticket.enqueuedAtMs === enqueuedAtMs && ticket.ticketId > ticketId),
      };
    }
    if (this.#loneSeat === 0) return { isAboveOnly: true, isLone: false, other: () => true };
    const others = ~this.#loneSeat;
    return {
      isAboveOnly: false,
      isLone: true,
      other: ({ ticket }) => (ticket.classes![0] & others) !== 0,
    };
  }

  /** The game of least imbalance with a ticket, searched with growing limits, and the bound proved for all. */
  #mostBalanced(entry: Entry, line: TicketLine): { game: ShapedGame | undefined; bound: number } {
    const nodesFrom = this.#nodes;
    const budget = this.#budget();
    let bound = 0;
    let limit = this.#firstLimit(entry, line);
    for (;;) {
      const { scope, beyond } = this.#scope(
        entry,
        line,
        anyone,
        limit / this.#perRange,
        this.#layout.seatsMin,
      );
      const nodesLeft = Math.max(0, budget - (this.#nodes - nodesFrom));
      const result = this.#searchSizes(scope, limit, nodesLeft);
      const isAll = limit >= this.#highest;
      const far = isAll ? Number.POSITIVE_INFINITY : Math.max(limit, this.#perRange * beyond * (1 - 1e-12));
      bound = Math.max(bound, Math.min(result.bound, far));
      if (result.game) return { game: result.game, bound: Math.min(bound, result.game.imbalance) };
      if (isAll && !result.wasCut) return { game: undefined, bound: Number.POSITIVE_INFINITY };
      if (isAll || result.wasCut) {
        this.#clock.giveUp();
        return { game: undefined, bound };
      }
      limit = Math.min(this.#highest, 2 * Math.max(limit, bound));
    }
  }

  /** A limit within which the nearest players may form a game. */
  #firstLimit(entry: Entry, line: TicketLine): number {
    const { scope } = this.#scope(entry, line, anyone, 0, this.#layout.seats);
    const { anchor, candidates } = scope;
    const last = candidates[candidates.length - 1] ?? anchor;
    const first = candidates[0] ?? anchor;
    const range = Math.max(last.mean, anchor.mean) - Math.min(first.mean, anchor.mean);
    return Math.min(this.#highest, Math.max(1.5 * this.#perRange * range, 1e-9 * this.#highest));
  }

  /** Any game, after the node budget was spent without one: entry by entry, the least key first. */
  #anyGame(line: TicketLine): ShapeAnswer {
    const keys = this.#keys;
    const tried: Entry[] = [];
    let game: ShapedGame | undefined;
    let nodesLeft = anyNodes;
    while (!game && nodesLeft > 0 && !this.#clock.isOver()) {
      const entry = this.#least(line);
      if (!entry) break;
      keys.pop();
      const nodesFrom = this.#nodes;
      game = this.#anyWith(entry, line, Math.min(nodesLeft, anyNodes >> 3), this.#othersOf(entry));
      nodesLeft -= this.#nodes - nodesFrom + 1;
      tried.push(entry);
      entry.game = game;
    }
    for (const entry of tried) keys.push(entry.key, entry.place);
    const cost = game ? this.#costOf(game) : Number.POSITIVE_INFINITY;
    return { game, cost, costBound: Math.min(cost, keys.topKey) };
  }

  /** Any game with a ticket: among its nearest neighbours first, then among all. */
  #anyWith(
    entry: Entry,
    line: TicketLine,
    nodeBudget: number,
    accepts: Accepts = anyone,
  ): ShapedGame | undefined {
    const { seats, seatsMin } = this.#layout;
    for (const enough of [3 * seats, 12 * seats, Number.POSITIVE_INFINITY]) {
      if (this.#clock.isOver()) return undefined;
      const { scope } = this.#scope(entry, line, accepts, 0, enough);
      for (let n = seats; n >= seatsMin; n--) {
        const game = this.#search.any(scope, n, nodeBudget);
        if (game) return game;
      }
      if (scope.candidates.length + 1 >= line.size) return undefined;
    }
    return undefined;
  }

  #costOf(game: ShapedGame): number {
    const line = this.#line!;
    let credit = 0;
    for (const member of game.members) credit = Math.max(credit, this.#entries[line.placeOf(member)!].credit);
    return game.imbalance - credit;
  }

  /** Builds line, entries and keys when tickets have been inserted since the last query. */
  #settle(): TicketLine {
    if (this.#line) return this.#line;
    const { beta } = this.#rules;
    const layout = this.#layout;
    const line = new TicketLine(this.#waiting);
    this.#line = line;
    const isSplit = line.tickets.some((ticket) => ticket.isSplit);
    const fitted = whereAllFit(layout, line.tickets);
    this.#search = new AnchoredSearch(this.#rules, fitted, this.#forbids, this.#clock);
    this.#loneSeat = beta > 0 || isSplit ? 0 : loneSeatOf(fitted, this.#rules);
    this.epochMs = 0;
    let low = Number.POSITIVE_INFINITY;
    let high = 0;
    for (const ticket of line.tickets) {
      low = Math.min(low, ticket.low);
      high = Math.max(high, ticket.high);
      this.epochMs = Math.max(this.epochMs, ticket.ticket.enqueuedAtMs);
    }
    this.#entries = line.tickets.map((ticket, place) => {
      const credit = beta === 0 ? 0 : (beta * (this.epochMs - ticket.ticket.enqueuedAtMs)) / 1000;
      return { ticket, place, credit, key: 0, tries: 0, cuts: 0, restsUntil: 0, game: undefined };
    });
    this.#creditMax = this.#entries.reduce((most, { credit }) => Math.max(most, credit), 0);
    this.#highest = highestOf(layout, this.#rules, low, high);
    this.#fileKeys(line);
    this.#cells = undefined;
    this.#worth = 1;
    this.#hasCells = this.#canUseCells(line, isSplit);
    return line;
  }

  /** Whether some are parties, and only their sizes decide on which teams they play. */
  #canUseCells(line: TicketLine, isSplit: boolean): boolean {
    const { beta, q } = this.#rules;
    const { kinds, seats, seatsMin } = this.#layout;
    if (beta > 0 || q !== 2 || isSplit || this.#forbids || seatsMin < seats) return false;
    if (kinds.some(({ roles }) => roles !== undefined)) return false;
    const bySize = Array.from({ length: this.#layout.partyMax + 1 }, (_, party) =>
      kinds.reduce((mask, { size }, kind) => (size < party ? mask : mask | (1 << kind)), 0),
    );
    const { tickets } = line;
    return (
      tickets.some(({ size }) => size > 1) &&
      tickets.every((ticket) => ticket.kinds.every((mask) => mask === bySize[ticket.size]))
    );
  }

  /** The first keys: c times the range of the narrowest window of enough players that an entry's games can have. */
  #fileKeys(line: TicketLine): void {
    const { seatsMin } = this.#layout;
    const players: number[] = [];
    const first: number[] = [];
    line.tickets.forEach(({ size, mean }) => {
      first.push(players.length);
      for (let i = 0; i < size; i++) players.push(mean);
    });
    const isAboveOnly = this.#rules.beta === 0 && this.#loneSeat === 0;
    this.#keys.clear();
    for (const entry of this.#entries) {
      if (this.#loneSeat !== 0) {
        const { classes, size } = entry.ticket;
        if (size > 1 || (classes![0] & this.#loneSeat) === 0) continue;
      }
      const at = first[entry.place];
      let range = Number.POSITIVE_INFINITY;
      const earliest = isAboveOnly ? at : Math.max(0, at - seatsMin + 1);
      for (let from = earliest; from <= at && from + seatsMin <= players.length; from++)
        range = Math.min(range, players[from + seatsMin - 1] - players[from]);
      if (range === Number.POSITIVE_INFINITY) {
        entry.key = range;
        continue;
      }
      const { low, high } = entry.ticket;
      entry.key = this.#perRange * Math.max(range, high - low) * (1 - 1e-12) - entry.credit;
      this.#keys.push(entry.key, entry.place);
    }
  }
}

/** A waiting ticket with everything known about the games filed under it. */
interface Entry {
  readonly ticket: ShapeTicket;
  readonly place: number;
  /** β times the time by which it was enqueued before the epoch. */
  readonly credit: number;
  /** No game of this entry costs less. */
  key: number;
  /** The searches in a row that ended without a game. */
  tries: number;
  /** The searches that were cut short, less those that ended since. */
  cuts: number;
  /** The number of the query that searches it again. */
  restsUntil: number;
  /** The best game found so far. */
  game: ShapedGame | undefined;
}

/** Which others may be in the games of a search. */
interface Accepts {
  /** Whether only tickets after the anchor are. */
  readonly isAboveOnly: boolean;
  readonly isLone: boolean;
  other(entry: Entry): boolean;
}

/** The number at this part of the way from `low` to `high`, by ratio or difference, whichever is lower. */
function between(low: number, high: number, part: number): number {
  const apart = low + (high - low) * part;
  return low > 0 && part < 1 ? Math.min(apart, low * (high / low) ** part) : apart;
}

/** Whether a cost is at most a bound, except for rounding: costs are an imbalance less a credit. */
function isAtMost(cost: number, bound: number, credit: number): boolean {
  return cost < Number.POSITIVE_INFINITY && cost <= bound + 1e-15 * (Math.abs(cost) + credit);
}

const anyone: Accepts = { isAboveOnly: false, isLone: false, other: () => true };

function creditOf(game: ShapedGame, { anchor, candidates, credits }: Scope): number {
  if (!credits) return 0;
  const members = new Set(game.members);
  let credit = members.has(anchor) ? credits.anchor : 0;
  candidates.forEach((ticket, i) => {
    if (members.has(ticket)) credit = Math.max(credit, credits.candidates[i]);
  });
  return credit;
}

/** The seat class of the only team of one player, where it plays against one other team without roles; 0 otherwise. */
function loneSeatOf({ kinds, classes, teams, seats, seatsMin }: Layout, { p }: GameRules): number {
  if (teams !== 2 || kinds.length !== 2 || p !== 1 || seats !== seatsMin) return 0;
  if (classes === undefined || kinds.some(({ roles }) => roles !== undefined)) return 0;
  const lone = kinds.findIndex(({ size }) => size === 1);
  return lone !== -1 && kinds[1 - lone].size > 1 ? 1 << lone : 0;
}

/** The factor by which a search exceeds the known bound. */
const step = 1.3;

/** The searches in a row without a game that grow by `step`; later ones by 2, 4, …: by more than 4 only while the key stays. */
const smallSteps = 3;

/** The parts of a query's nodes that one search may visit: at first, doubled after each one that was cut short, and at most. */
const firstShare = 1 / 8;
const shareMax = 3 / 4;

/** After so many searches that were cut short an entry rests until a later query. */
const cutsAtOnce = 4;

/** The most nodes for finding any game of any entry. */
const anyNodes = 2_000_000;
