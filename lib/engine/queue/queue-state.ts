import { imbalancePerRange } from '../bounds/range-bounds.ts';
import { bySkill, sortBySkill } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { highestOf, type Layout, lowestOf, whereAllFit } from '../shapes/layout.ts';
import { countedClassesMax, SeatCounts } from '../shapes/seat-counts.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Constraints, Facet, Forbids, GameRules } from '../types.ts';
import { type Cell, CentreBound, hasLost } from './centre-bound.ts';
import { CentreGames, type WantedNear } from './centre-games.ts';
import { CheapestPlayers } from './cheapest-players.ts';
import { Entries, type Entry, isBefore, reachOf } from './entries.ts';
import { Exchanges } from './exchanges.ts';
import { narrowestRange } from './first-keys.ts';
import { type FoundGame, GameSearch, type Scope } from './game-search.ts';
import { Line, type QueuedTicket } from './line.ts';
import { accepts, type Filing, Gatherer } from './neighbours.ts';
import { Packing } from './packing.ts';

/** How a queue searches. */
export interface GameQueueOptions {
  readonly forbids?: Forbids | undefined;
  readonly constraints?: Constraints | undefined;
  /** Nodes that one query may visit. @default by the number of tickets */
  readonly nodeBudget?: number | undefined;
  /**
   * Whether `best` returns games with which no other is lost, by the sizes of parties, as long as it finds one.
   * @default false
   */
  readonly packs?: boolean | undefined;
  /** Whether a query ends without a game when its time is over before the tickets are filed. @default false */
  readonly mayGiveUp?: boolean | undefined;
  readonly clock: SearchClock;
}

/** What a search around an entry found and proved. */
interface Found {
  readonly game: FoundGame | undefined;
  readonly bound: number;
  readonly wasCut: boolean;
}

/** The bound of all games from the centre of their skills, and where nothing refuses pairs, games near it. */
interface PoolCentre {
  readonly cheapest: CheapestPlayers;
  /** Undefined for q < 2. */
  readonly bound: CentreBound | undefined;
  readonly games: CentreGames | undefined;
  /** Where parties must not be stranded. */
  readonly packing: Packing | undefined;
}

/** The tickets of a queue as its searches see them: lines, entries, the limits of their costs, and the searches. */
export class QueueState {
  /** The latest enqueue time when the lines were built: the origin of credits. */
  readonly epochMs: number;
  readonly entries = new Entries();
  readonly clock: SearchClock;
  /** Above the imbalance of every game. */
  readonly highest: number;
  /** Whether far fewer players can take some class of seats than others. */
  readonly hasScarceSeats: boolean;
  /** Whether the time was over before all tickets were filed. Then it cannot be asked. */
  wasCut = false;
  /** Not below the credit of any ticket. */
  maxCredit = 0;

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #forbids: Forbids | undefined;
  readonly #constraints: Constraints | undefined;
  readonly #nodeBudget: number | undefined;
  readonly #packs: boolean;
  readonly #entriesOf = new Map<ShapeTicket, Entry[]>();
  readonly #lines: readonly Line[];
  readonly #search: GameSearch;
  readonly #exchanges: Exchanges;
  readonly #gatherer: Gatherer;
  readonly #filing: Filing;
  readonly #perRange: number;
  readonly #lowest: number;
  readonly #hasParties: boolean;
  /** The least and the greatest skill when the lines were built. */
  readonly #low: number;
  readonly #high: number;
  /** Built when it is asked for first; null where it knows nothing. */
  #centre: PoolCentre | null | undefined;
  /** The best games found near a centre that still wait. */
  #centreGames: FoundGame[] = [];
  /** The tickets that have come and left. */
  #changes = 0;
  /** Work outside the searches, in nodes. */
  #preparation = 0;

  constructor(
    waiting: Iterable<ShapeTicket>,
    rules: GameRules,
    layout: Layout,
    { forbids, constraints, nodeBudget, packs = false, mayGiveUp = false, clock }: GameQueueOptions,
  ) {
    const tickets = sortBySkill([...waiting]) as ShapeTicket[];
    this.#rules = rules;
    this.#layout = whereAllFit(layout, tickets);
    this.#forbids = forbids;
    this.#constraints = constraints;
    this.clock = clock;
    this.#perRange = imbalancePerRange(rules);
    this.#low = tickets.reduce((least, { low }) => Math.min(least, low), Number.POSITIVE_INFINITY);
    this.#high = tickets.reduce((most, { high }) => Math.max(most, high), 0);
    this.epochMs = tickets.reduce((latest, { ticket }) => Math.max(latest, ticket.enqueuedAtMs), 0);
    this.#hasParties = tickets.some(({ size }) => size > 1);
    this.#lowest = lowestOf(layout, rules, this.#low, this.#high);
    this.#nodeBudget = nodeBudget;
    this.#packs = packs;
    this.#search = new GameSearch(rules, this.#layout, forbids, constraints, clock);
    this.#exchanges = new Exchanges(
      rules,
      this.#layout,
      forbids !== undefined || constraints !== undefined,
      clock,
    );
    const scarce = scarceSeats(this.#layout, tickets);
    this.hasScarceSeats = scarce !== 0;
    this.#filing = { byWait: rules.beta > 0, seats: rules.beta > 0 ? 0 : scarce };
    this.#gatherer = new Gatherer(this.#layout, this.#filing, constraints, clock);
    for (const ticket of tickets) this.#entriesOf.set(ticket, []);
    const queued: QueuedTicket[] = [];
    for (const ticket of tickets) {
      this.wasCut ||= mayGiveUp && clock.isOver();
      if (!this.wasCut) queued.push(this.#queuedOf(ticket));
    }
    const costMax = constraints ? constraints.costMax() * (1 + 1e-9) : 0;
    this.highest = highestOf(layout, rules, this.#low, this.#high) + costMax;
    this.#lines = this.wasCut ? [] : linesOf(queued, constraints);
    // Constraints that were not prepared before the time was over say nothing about games.
    if (constraints && clock.isOver(Number.POSITIVE_INFINITY)) this.wasCut ||= mayGiveUp;
    for (const line of this.#lines) {
      this.wasCut ||= mayGiveUp && clock.isOver(line.tickets.length);
      if (!this.wasCut) this.#fileAll(line);
    }
  }

  /** The nodes of a query: more in small pools, so that their games are proved best, and large pools are drained in time. */
  get nodeBudget(): number {
    // Where no game is found near a centre, many short queries are worth more.
    const isSlow = this.#hasParties && this.#layout.classes && !this.#constraints;
    const [least, all] = isSlow ? [2000, 8e6] : [20_000, 2e7];
    return this.#nodeBudget ?? Math.max(least, Math.min(200_000, Math.round(all / this.#entriesOf.size)));
  }

  /** The work of all searches, in nodes. */
  get work(): number {
    return this.#search.nodes + this.#gatherer.work + this.#preparation;
  }

  /** Whether the centre bound knows what searches around tickets cannot: the sizes of parties, or the seats of solo players. */
  get hasCheapCentre(): boolean {
    return this.#hasParties !== (this.#layout.classes !== undefined);
  }

  /** The entries of a waiting ticket; none if it does not wait. */
  entriesOf(ticket: ShapeTicket): readonly Entry[] {
    return this.#entriesOf.get(ticket) ?? [];
  }

  /** Whether a cost is at most a bound, except for the rounding of credits. */
  isAtMost(cost: number, bound: number): boolean {
    return cost < Number.POSITIVE_INFINITY && cost <= bound + 1e-15 * (Math.abs(cost) + this.maxCredit);
  }

  remove(ticket: ShapeTicket): void {
    const entries = this.#entriesOf.get(ticket);
    if (!entries) return;
    this.#entriesOf.delete(ticket);
    this.#changes++;
    for (const { queued, line, id } of entries) {
      queued.isHere = false;
      line.remove(id);
    }
    this.#centre?.packing?.removed(ticket.size);
  }

  /** Adds a ticket. False where everything has to be rebuilt: under constraints, or for a ticket unlike all others. */
  insert(ticket: ShapeTicket): boolean {
    if (this.#constraints || ticket.isSplit) return false;
    if (ticket.low < this.#low || ticket.high > this.#high) return false;
    if (ticket.size > 1 && !this.#hasParties) return false;
    if (this.#layout.classes === undefined && ticket.classes !== undefined) return false;
    if (this.entries.size > 4 * this.#entriesOf.size + 1000) return false;
    const queued = this.#queuedOf(ticket);
    const [line] = this.#lines;
    this.#entriesOf.set(ticket, []);
    const entry = this.#enter(queued, line, line.insert(queued));
    this.#lowerKeys(entry);
    this.#insertInCentre(queued);
    const { byWait, seats } = this.#filing;
    const range = narrowestRange(line, entry.id, this.#layout.seatsMin, !byWait && seats === 0);
    const files = seats === 0 || accepts(queued, seats);
    const key = Math.max(this.#lowest, this.#boundOfRange(range));
    this.entries.file(entry, files ? key : Number.POSITIVE_INFINITY);
    return true;
  }

  #insertInCentre(queued: QueuedTicket): void {
    this.#changes++;
    if (!this.#centre) return;
    const { cheapest, bound, packing } = this.#centre;
    cheapest.insert(queued);
    packing?.inserted(queued.ticket.size);
    if (bound?.insert(queued) === false) this.#centre = undefined;
  }

  /** The best game around an entry below a limit, and the bound proved for all. */
  searchAround(entry: Entry, limit: number, nodeBudget: number, games: 'own' | 'all', credit: number): Found {
    const { queued } = entry;
    const search = this.#search;
    if (!this.#begin(entry)) return { game: undefined, bound: Number.POSITIVE_INFINITY, wasCut: false };
    const root = this.#constraints?.hasCosts ? this.#constraints.cost() : 0;
    const { seats, seatsMin } = this.#layout;
    // The nearest tickets above may show at once that no game costs less.
    const isAbove = games === 'own' && !this.#filing.byWait && this.#filing.seats === 0 && seatsMin === seats;
    let least = 0;
    const isEnough = (above: readonly QueuedTicket[]) => {
      least = search.leastAbove(queued, above);
      return least + root >= limit;
    };
    const wanted = { reach: (limit + credit - root) / this.#perRange, players: seatsMin, games };
    const { others, beyond, areEnough } = this.#gatherer.gather(
      entry,
      wanted,
      isAbove ? isEnough : undefined,
    );
    if (isAbove && !areEnough) least = Number.POSITIVE_INFINITY;
    if (credit === 0 && least + root >= limit) {
      return { game: undefined, bound: Math.min(this.highest, least + root), wasCut: false };
    }
    const scope: Scope = { anchor: queued, others, countsWaits: credit > 0 };
    let found: FoundGame | undefined;
    let bound = Number.POSITIVE_INFINITY;
    let wasCut = false;
    let below = limit;
    const nodesFrom = search.nodes;
    for (let n = seats; n >= seatsMin; n--) {
      const result = search.best(scope, n, below, Math.max(0, nodeBudget - (search.nodes - nodesFrom)));
      bound = Math.min(bound, result.bound);
      wasCut ||= result.wasCut;
      if (!result.game) continue;
      found = result.game;
      below = credit > 0 ? Math.min(limit, result.cost) : Math.min(below, result.bound, found.imbalance);
    }
    if (!found) {
      const farther = this.#boundOfRange(beyond) + root - credit;
      return { game: undefined, bound: Math.min(bound, Math.max(limit, farther)), wasCut };
    }
    if (wasCut && credit === 0) {
      found = this.#exchanges.improve(found, others, queued);
      this.#preparation += 20;
    }
    return { game: found, bound: Math.min(bound, below), wasCut };
  }

  /** The game of least imbalance with a ticket, whatever its wait, and the bound proved for all. */
  mostBalanced(own: readonly Entry[]): { game: FoundGame | undefined; bound: number } {
    const { highest } = this;
    const nodesFrom = this.work;
    const bounds = own.map(() => this.#lowest);
    let game: FoundGame | undefined;
    let limit = Math.min(highest, this.#lowest + 1e-3 * highest);
    if (!this.#constraints) {
      const { line, id } = own[0];
      const range = narrowestRange(line, id, this.#layout.seatsMin, false);
      limit = Math.min(highest, Math.max(limit / 100, 1.5 * this.#boundOfRange(range)));
    }
    for (let isCut = false; ; limit = Math.min(highest, 2 * limit)) {
      own.forEach((entry, i) => {
        const below = game ? Math.min(limit, game.imbalance) : limit;
        if (bounds[i] >= below) return;
        const nodesLeft = Math.max(100, this.nodeBudget - (this.work - nodesFrom));
        const result = this.searchAround(entry, below, nodesLeft, 'all', 0);
        const isNone = !result.game && !result.wasCut && below >= highest;
        bounds[i] = Math.max(bounds[i], isNone ? Number.POSITIVE_INFINITY : result.bound);
        isCut ||= result.wasCut;
        if (result.game && !(game && game.imbalance <= result.game.imbalance)) game = result.game;
      });
      if (game || isCut || limit >= highest) break;
    }
    const bound = Math.min(...bounds);
    return { game, bound: game ? Math.min(bound, game.imbalance) : bound };
  }

  /** A lower bound on the imbalance of all games and, if wanted, a game near the best centre that is better than `known`. */
  askCentre(
    known: FoundGame | undefined,
    wantsGame: boolean,
  ): { bound: number; game: FoundGame | undefined } {
    const centre = this.#centreOf();
    if (!centre?.bound) return { bound: 0, game: undefined };
    const { bound, games } = centre;
    const least = bound.least();
    if (!least) return { bound: Number.POSITIVE_INFINITY, game: known };
    let game = known;
    const consider = (other: FoundGame | undefined) => {
      if (other && !(game && game.imbalance <= other.imbalance)) game = other;
    };
    if (wantsGame && games) {
      this.#centreGames = this.#centreGames.filter(areHere);
      for (const each of this.#centreGames) consider(each);
      if (least.cell.searchedAt !== this.#changes) {
        least.cell.searchedAt = this.#changes;
        const found = this.#gameNear(games, least.cell, game, { enough: enough * least.bound });
        if (found) this.#centreGames.push(found);
        consider(found);
      }
    }
    return { bound: game ? Math.min(least.bound, game.imbalance) : least.bound, game };
  }

  /** A game with which no other is lost, if one is found: this one if it is one of them. */
  unstranding(game: FoundGame): FoundGame {
    const packing = this.#packs ? this.#centreOf()?.packing : undefined;
    if (!packing || packing.allows(game)) return game;
    return packing.best() ?? game;
  }

  /** Whether `askCentreOf` would say more of an entry than before: when some solo players cannot take every seat. */
  isCentreNews({ near }: Entry, wantsGame: boolean): boolean {
    if (this.#hasParties || !this.#layout.classes || this.#centre === null) return false;
    const isNew = !near || hasLost(near.set) || this.#centre?.cheapest.isUndercut(near.set);
    return isNew || (wantsGame && !near.isSearched);
  }

  /**
   * A lower bound on the imbalance of the games of an entry from the centre of their skills, as far as it is below `limit`;
   * if wanted, the entry gets a game near the best centre.
   */
  askCentreOf(entry: Entry, limit: number, wantsGame: boolean): number {
    const { bound: centre, games } = this.#centreOf() ?? {};
    if (!centre) return 0;
    const { cell, bound } = centre.leastWith(entry.queued, limit);
    entry.near = undefined;
    if (!cell) return bound;
    entry.near = { set: centre.cheapestIn(cell, entry.queued), isSearched: wantsGame };
    if (!wantsGame || !games) return bound;
    const game = this.#gameNear(games, cell, entry.game, { enough: enough * bound, anchor: entry.queued });
    if (game && !(entry.game && entry.game.imbalance <= game.imbalance)) entry.game = game;
    return bound;
  }

  /** What it costs is not counted: the queries that ask for a game near a centre have spent their nodes. */
  #gameNear(
    games: CentreGames,
    cell: Cell,
    known: FoundGame | undefined,
    wanted: WantedNear,
  ): FoundGame | undefined {
    const nodesFrom = this.#search.nodes;
    const game = games.near(cell, known, wanted);
    this.#preparation -= this.#search.nodes - nodesFrom;
    return game;
  }

  /** Any game, after a query that found none: entry by entry. */
  anyGame(): FoundGame | undefined {
    if (!this.#isPossible()) return undefined;
    const tried: Entry[] = [];
    let game: FoundGame | undefined;
    for (let nodesLeft = anyNodes; !game && nodesLeft > 0 && !this.clock.isOver(); ) {
      const entry = this.entries.least();
      if (!entry) break;
      this.entries.take();
      tried.push(entry);
      const nodesFrom = this.work;
      game = this.#firstGame([entry], Math.min(nodesLeft, anyNodes >> 3), 'own');
      nodesLeft -= this.work - nodesFrom + 1;
      entry.game = game;
    }
    this.entries.putBack(tried);
    if (!game && tried.length > 0) this.clock.giveUp();
    return game;
  }

  /** Any game with a ticket. */
  anyGameWith(own: readonly Entry[]): FoundGame | undefined {
    const game = this.#firstGame(own, anyNodes, 'all');
    if (!game) this.clock.giveUp();
    return game;
  }

  /** A game that is filed under an entry, if one is found soon among its nearest tickets. */
  firstGameOf(entry: Entry): FoundGame | undefined {
    this.#preparation += 30;
    return this.#firstGame([entry], 500, 'own', 24 * this.#layout.seats);
  }

  /** The first game among the nearest tickets, then among more of them, improved by exchanges. */
  #firstGame(
    own: readonly Entry[],
    nodeBudget: number,
    games: 'own' | 'all',
    most = Number.POSITIVE_INFINITY,
  ): FoundGame | undefined {
    const { seats, seatsMin } = this.#layout;
    for (const players of [6 * seats, 24 * seats, Number.POSITIVE_INFINITY]) {
      if (players > most) break;
      for (const entry of own) {
        if (this.clock.isOver()) return undefined;
        if (!this.#begin(entry)) continue;
        const { queued } = entry;
        const { others } = this.#gatherer.gather(entry, { reach: 0, players, games });
        let game: FoundGame | undefined;
        for (let n = seats; n >= seatsMin && !game; n--)
          game = this.#search.first({ anchor: queued, others }, n, nodeBudget);
        if (game) return this.#exchanges.improve(game, others, queued);
      }
    }
    return undefined;
  }

  /** Whether the seats could be filled if parties could be split. */
  #isPossible(): boolean {
    const { classes, seatsMin } = this.#layout;
    const areCounted = classes && classes.length <= countedClassesMax;
    const seats = areCounted ? new SeatCounts(classes.map((one) => one.seats)) : undefined;
    let left = seatsMin;
    for (const ticket of this.#entriesOf.keys()) {
      for (let i = 0; i < ticket.size; i++) {
        if (seats && !seats.joinOne(ticket.classes![i])) continue;
        if (--left === 0) return true;
      }
    }
    return false;
  }

  /** Begins the constraints for the games of an entry, with its ticket. Returns whether they admit it. */
  #begin({ queued, line }: Entry): boolean {
    const constraints = this.#constraints;
    if (!constraints) return true;
    constraints.start(line.facet as Facet | undefined);
    if (!constraints.admits(queued.number)) return false;
    constraints.join(queued.number);
    return true;
  }

  /** What a game of this range costs at least. */
  #boundOfRange(range: number): number {
    return this.#perRange * range * (1 - 1e-9);
  }

  #centreOf(): PoolCentre | null {
    if (this.#centre === undefined) this.#centre = this.#newCentre() ?? null;
    return this.#centre;
  }

  #newCentre(): PoolCentre | undefined {
    const { q } = this.#rules;
    const { seats, seatsMin } = this.#layout;
    const tickets: QueuedTicket[] = [];
    for (const [first] of this.#entriesOf.values()) if (first) tickets.push(first.queued);
    if ((q < 2 && !this.#packs) || seatsMin < seats || tickets.some(({ ticket }) => ticket.isSplit))
      return undefined;
    // Solo players who can take every seat: the windows around each of them say as much.
    if (!this.#hasParties && !this.#layout.classes) return undefined;
    tickets.sort((a, b) => bySkill(a.ticket, b.ticket));
    const cheapest = new CheapestPlayers(tickets, this.#layout);
    if (cheapest.isBlind) return undefined;
    const low = tickets[0]?.ticket.mean ?? 0;
    const high = tickets[tickets.length - 1]?.ticket.mean ?? 0;
    const isPlain = !this.#constraints && !this.#forbids;
    const games = isPlain
      ? new CentreGames(this.#rules, this.#layout, cheapest, this.#search, this.#exchanges, this.clock)
      : undefined;
    const packs = this.#packs && games && this.#hasParties && !this.#layout.classes;
    return {
      cheapest,
      bound: q < 2 ? undefined : new CentreBound(cheapest, seats, low, high, this.clock),
      games,
      packing: packs ? new Packing(tickets, this.#layout, cheapest, games, this.clock) : undefined,
    };
  }

  #queuedOf(ticket: ShapeTicket): QueuedTicket {
    const { beta } = this.#rules;
    const credit = beta === 0 ? 0 : (beta * (this.epochMs - ticket.ticket.enqueuedAtMs)) / 1000;
    this.maxCredit = Math.max(this.maxCredit, credit);
    return { ticket, credit, number: this.#constraints?.enter(ticket.ticket) ?? 0, isHere: true };
  }

  #enter(queued: QueuedTicket, line: Line, id: number): Entry {
    const { low, high } = queued.ticket;
    const entry = this.entries.add(queued, line, id, Math.max(this.#lowest, this.#boundOfRange(high - low)));
    this.#entriesOf.get(queued.ticket)!.push(entry);
    return entry;
  }

  /** Files the tickets of a new line by the narrowest windows around them. */
  #fileAll(line: Line): void {
    const { byWait, seats } = this.#filing;
    const isFirst = !byWait && seats === 0;
    line.tickets.forEach((queued, id) => {
      const entry = this.#enter(queued, line, id);
      const files = seats === 0 || accepts(queued, seats);
      const key = Math.max(
        this.#lowest,
        this.#boundOfRange(narrowestRange(line, id, this.#layout.seatsMin, isFirst)),
      );
      this.entries.file(entry, files ? key : Number.POSITIVE_INFINITY);
    });
  }

  /**
   * Lowers the keys of the tickets whose games may contain a new one, to what its distance and the windows around it allow.
   * Most blocks are so far from it that no key in them is too high.
   */
  #lowerKeys({ queued, line, id }: Entry): void {
    const { byWait, seats } = this.#filing;
    const { mean } = queued.ticket;
    const window = this.#boundOfRange(narrowestRange(line, id, this.#layout.seatsMin, false));
    // Above it are tickets whose games are filed under them although it comes before them.
    const areAbove = byWait || (seats !== 0 && !accepts(queued, seats));
    for (const block of line.blocks) {
      if (block.low > mean && !areAbove) break;
      const distance = Math.max(0, block.low - mean, mean - block.high);
      if (block.most <= Math.max(window, this.#boundOfRange(distance))) continue;
      let most = Number.NEGATIVE_INFINITY;
      for (const at of block.ids) {
        // With one line, the ids are those of the entries.
        const entry = this.entries.get(at);
        const isAbove = bySkill(entry.queued.ticket, queued.ticket) > 0;
        if (entry.queued.isHere && (areAbove || !isAbove)) this.#lowerKey(entry, queued, window);
        if (seats === 0 || accepts(entry.queued, seats)) most = Math.max(most, reachOf(entry));
      }
      block.most = most;
    }
  }

  /** Lowers the key of an entry for a new ticket, with no game of which the bound is below `window`. */
  #lowerKey(entry: Entry, queued: QueuedTicket, window: number): void {
    const { byWait, seats } = this.#filing;
    if (byWait ? !isBefore(entry.queued, queued) : seats !== 0 && !accepts(entry.queued, seats)) return;
    const distance = Math.abs(queued.ticket.mean - entry.queued.ticket.mean);
    const least = Math.max(entry.floor, window, this.#boundOfRange(distance));
    if (reachOf(entry) <= least) return;
    entry.tries = entry.cuts = entry.restsUntil = 0;
    if (entry.key > least) this.entries.file(entry, least);
  }
}

/** The lines of all facets of the constraints, or one of all tickets. */
function linesOf(queued: readonly QueuedTicket[], constraints: Constraints | undefined): Line[] {
  const facets = constraints?.facets(queued.map(({ number }) => number));
  if (!facets) return [new Line([...queued])];
  const placeOf = new Map(queued.map(({ number }, place) => [number, place]));
  return facets.map((facet) => {
    const places = facet.tickets.map((number) => placeOf.get(number)!).sort((a, b) => a - b);
    return new Line(
      places.map((place) => queued[place]),
      facet,
    );
  });
}

/**
 * The class of seats, as a bit set, with the fewest players per seat, if that is far below the average; otherwise 0. Its
 * players are in few games, so games are filed under them.
 */
function scarceSeats(layout: Layout, tickets: readonly ShapeTicket[]): number {
  const { classes, seats, seatsMin } = layout;
  if (!classes || seatsMin < seats || tickets.some(({ isSplit }) => isSplit)) return 0;
  let players = 0;
  const supply = classes.map(() => 0);
  for (const ticket of tickets) {
    players += ticket.size;
    for (const mask of ticket.classes!) for (let c = 0; c < classes.length; c++) supply[c] += (mask >> c) & 1;
  }
  let scarce = 0;
  let least = scarceShare * (players / seats);
  classes.forEach((one, c) => {
    if (supply[c] / one.seats >= least) return;
    least = supply[c] / one.seats;
    scarce = 1 << c;
  });
  return scarce;
}

function areHere({ queued }: FoundGame): boolean {
  return queued.every(({ isHere }) => isHere);
}

/** A game near a centre is improved until it is at most this many times the bound. */
const enough = 1.02;
/** A class of seats is scarce with less than this part of the average players per seat. */
const scarceShare = 0.7;
/** The nodes that the search for any game may visit. */
const anyNodes = 200_000;
