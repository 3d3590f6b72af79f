import {
  BackfillPool,
  everyoneAtOnce,
  GamePool,
  type GamePoolOptions,
  isForSolos,
  isPaperShape,
  LimitedSearch,
  PreparedTickets,
  type RunningGame,
  SearchClock,
  SoloGames,
  SoloPool,
  sortedBy,
  type TicketLimits,
} from '../engine/game-pool.ts';
import type { Constraints, Forbids, Game, GameRules, Ticket } from '../engine/types.ts';
import type { KeptSearches } from './kept-searches.ts';
import {
  byArrival,
  type Candidate,
  type CandidateSource,
  type CandidatesWithin,
  meanSkill,
  type OutOfTime,
} from './policy.ts';

/**
 * The most nodes that the search for one match's proof may visit. Only pools with a wait weight, parties or roles
 * ever need more; then the bound is lower than it could be, but still valid.
 */
const PROOF_NODE_BUDGET = 5000;

/** The most nodes that the search for one candidate may visit; with so few tickets it is rarely reached. */
const CANDIDATE_NODE_BUDGET = 5000;

/** The most nodes that the search for one game within its limit may visit. */
const WITHIN_NODE_BUDGET = 400;

/** The share of the tick's time that a partition of everyone may take. */
const PARTITION_SHARE = 0.5;

/** The waiting tickets of one tick: sorted views for the policies' searches, and games from the engine. */
export class WaitingPool implements CandidateSource {
  readonly bySkill: readonly Ticket[];
  readonly #tickets: readonly Ticket[];
  readonly #rules: GameRules;
  readonly #nowMs: number;
  /** By ticketId: the place in `bySkill`. */
  readonly #places = new Map<string, number>();
  /** By place: whether the ticket still waits. */
  readonly #isWaiting: Uint8Array;
  #byAge: readonly Ticket[] | undefined;
  readonly #outOfTime: OutOfTime;
  readonly #clock: SearchClock;
  /** From earlier ticks; undefined when searches now differ from those of other ticks. */
  readonly #kept: KeptSearches | undefined;
  /** Whether the pool of all tickets is kept too. */
  readonly #isAllKept: boolean;
  /** Of all pools of this tick, and of earlier ones. */
  readonly #prepared: PreparedTickets;
  #isLimitedTaken = false;
  /** Solo players without roles or refused pairs: their searches are short. */
  readonly #isPlain: boolean;
  readonly #playersTwice: ReadonlySet<string>;
  /** Makes the constraints of one search pool. */
  readonly #constraintsOf: (() => Constraints) | undefined;
  /** Those that `mayMeet` asks, made when it is first asked, with the ticket that is joined in them. */
  #pairs: Constraints | undefined;
  #joined: Ticket | undefined;
  /** Searches that need no `GamePool`, where the pool is plain and β is 0. */
  readonly #soloGames: SoloGames | undefined;
  /** All waiting tickets, for proofs; built when the first proof is needed. */
  #all: GamePool | undefined;
  #allSolos: SoloPool | undefined;
  readonly #lastChances = new Set<Ticket>();
  #releases = 0;
  /** The bound of the last release. */
  #bound = Number.NEGATIVE_INFINITY;
  /** Set while `bestFirst` or `everyone` runs: a bound that holds for held and remaining tickets. */
  #drainBound: number | undefined;

  /**
   * @param tickets with distinct ticket ids; two that share a player are never in one game
   * @param constraintsOf makes the rules of the queue at this moment, for each search pool its own
   * @param kept the searches of earlier ticks
   * @param outOfTime when it returns true, searches end soon with the best that they have found. @default never out of time
   */
  constructor(
    rules: GameRules,
    tickets: readonly Ticket[],
    nowMs: number,
    constraintsOf?: () => Constraints,
    kept?: KeptSearches,
    outOfTime: OutOfTime = () => false,
  ) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#tickets = tickets;
    this.bySkill = sortedBy(tickets, meanSkill, byId);
    for (let place = 0; place < tickets.length; place++)
      this.#places.set(this.bySkill[place].ticketId, place);
    this.#isWaiting = new Uint8Array(tickets.length).fill(1);
    this.#playersTwice = playersTwice(tickets);
    this.#outOfTime = kept?.outOfTime ?? outOfTime;
    kept?.begin(outOfTime);
    this.#clock = new SearchClock(this.#outOfTime);
    this.#constraintsOf = constraintsOf;
    this.#prepared = kept?.prepared ?? new PreparedTickets();
    this.#prepared.keepOnly(tickets);
    this.#isPlain =
      isPaperShape(rules) &&
      rules.roles === undefined &&
      constraintsOf === undefined &&
      this.#playersTwice.size === 0 &&
      tickets.every(({ players }) => players.length === 1);
    const differs = constraintsOf !== undefined || this.#playersTwice.size > 0;
    if (!differs) this.#kept = kept;
    this.#isAllKept = isPaperShape(rules) && !tickets.some(({ split }) => split);
    if (this.#isPlain && isForSolos(rules)) this.#soloGames = new SoloGames(rules, nowMs);
  }

  get byAge(): readonly Ticket[] {
    this.#byAge ??= sortedBy(this.#tickets, ({ enqueuedAtMs }) => enqueuedAtMs, byArrival);
    return this.#byAge;
  }

  isWaiting(ticket: Ticket): boolean {
    return this.ticket(ticket.ticketId) === ticket;
  }

  isOver(steps?: number): boolean {
    return this.#clock.isOver(steps);
  }

  has(ticketId: string): boolean {
    return this.ticket(ticketId) !== undefined;
  }

  ticket(ticketId: string): Ticket | undefined {
    const place = this.#places.get(ticketId);
    return place === undefined || this.#isWaiting[place] === 0 ? undefined : this.bySkill[place];
  }

  /** The tickets that still wait, in the order of skill. */
  get waiting(): Ticket[] {
    return this.bySkill.filter((_, place) => this.#isWaiting[place] === 1);
  }

  clash(a: Ticket, b: Ticket): boolean {
    return a.players.some(
      ({ playerId }) =>
        this.#playersTwice.has(playerId) && b.players.some((other) => other.playerId === playerId),
    );
  }

  get hasRules(): boolean {
    return this.#constraintsOf !== undefined;
  }

  mayMeet(a: Ticket, b: Ticket): boolean {
    if (!this.#constraintsOf) return true;
    this.#pairs ??= this.#constraintsOfAll(this.#constraintsOf);
    const pairs = this.#pairs;
    const other = pairs.enter(b);
    if (this.#joined !== a) {
      const number = pairs.enter(a);
      pairs.start();
      if (pairs.admits(number)) {
        pairs.join(number);
        this.#joined = a;
      } else this.#joined = undefined;
    }
    return this.#joined === a && pairs.admits(other);
  }

  /** The other waiting tickets that the rules permit beside one, the nearest in skill first, as far as the time goes. */
  *near(ticket: Ticket): Iterable<Ticket> {
    const { bySkill } = this;
    const skill = meanSkill(ticket);
    let below = this.#places.get(ticket.ticketId)! - 1;
    let above = below + 2;
    while ((below >= 0 || above < bySkill.length) && !this.isOver()) {
      const toBelow = below < 0 ? Number.POSITIVE_INFINITY : skill - meanSkill(bySkill[below]);
      const toAbove = above === bySkill.length ? Number.POSITIVE_INFINITY : meanSkill(bySkill[above]) - skill;
      const place = toBelow <= toAbove ? below-- : above++;
      const next = bySkill[place];
      if (this.#isWaiting[place] === 1 && this.mayMeet(ticket, next)) yield next;
    }
  }

  /** Constraints that all tickets have entered. */
  #constraintsOfAll(constraintsOf: () => Constraints): Constraints {
    const constraints = constraintsOf();
    for (const ticket of this.#tickets) constraints.enter(ticket);
    return constraints;
  }

  *bestFirst(packs = false): Iterable<Candidate> {
    let heldBound = Number.POSITIVE_INFINITY;
    try {
      const games = this.#soloGames ? this.#drainSolos() : this.#drain(packs);
      while (!this.#isSpent()) {
        const step = games.next();
        if (step.done) break;
        const candidate = step.value;
        this.#drainBound = Math.min(heldBound, candidate.game.lowerBound);
        yield candidate;
        // A held game stays possible, and its bound covers every game with one of its tickets.
        if (candidate.tickets.some((ticket) => this.isWaiting(ticket))) heldBound = this.#drainBound;
      }
    } finally {
      this.#drainBound = undefined;
    }
  }

  *#drain(packs: boolean): Generator<Candidate, void> {
    const pool = this.#poolOf(this.waiting, { packs });
    for (const game of pool.drain(this.#nowMs)) yield this.#candidateOf(game);
  }

  *#drainSolos(): Generator<Candidate, void> {
    const pool = this.#solosLeft();
    for (let best = pool.best(); best; best = pool.best()) {
      const { game, places } = best;
      const tickets = game.ticketIds.map((ticketId) => this.ticket(ticketId)!);
      for (const place of places) pool.remove(place);
      yield { game, tickets };
    }
  }

  *everyone(): Iterable<Candidate> {
    if (this.#isSpent()) return;
    const forbids = this.#forbids();
    const games = everyoneAtOnce(this.waiting, this.#rules, this.#nowMs, {
      // The games are known at the end only, and committing them takes time, too.
      outOfTime: () => this.#outOfTime(PARTITION_SHARE),
      ...(forbids && { forbids }),
      ...(this.#constraintsOf && { constraintsOf: this.#constraintsOf }),
    });
    try {
      for (const game of games) {
        // The bound holds for all tickets that waited at the start, hence for all that remain.
        this.#drainBound = game.lowerBound;
        yield this.#candidateOf(game);
      }
    } finally {
      this.#drainBound = undefined;
    }
  }

  gameAmong(tickets: readonly Ticket[], anchor?: Ticket): Candidate | undefined {
    if (this.#isSpent()) return undefined;
    const ofSolos = anchor === undefined ? this.#soloGames?.of(tickets) : undefined;
    if (ofSolos) return candidateOf(ofSolos, tickets);
    const pool = this.#poolOf(tickets, { nodeBudget: CANDIDATE_NODE_BUDGET });
    const game = anchor === undefined ? pool.best(this.#nowMs) : pool.bestWith(anchor.ticketId, this.#nowMs);
    return game && candidateOf(game, tickets);
  }

  /** The best game in which all of these tickets fill all seats. */
  fullGameOf(tickets: readonly Ticket[]): Candidate | undefined {
    if (this.#isSpent()) return undefined;
    const { short: _, ...full } = this.#rules;
    const pool = this.#poolOf(tickets, { nodeBudget: CANDIDATE_NODE_BUDGET }, full);
    const game = pool.best(this.#nowMs);
    return game && candidateOf(game, tickets);
  }

  lastChances(tickets: readonly Ticket[]): void {
    for (const ticket of tickets) this.#lastChances.add(ticket);
  }

  gameWith(ticket: Ticket): Candidate | undefined {
    if (this.#isSpent()) return undefined;
    this.#all ??= this.#poolOfAll();
    const game = this.#all.bestWith(ticket.ticketId, this.#nowMs);
    if (game) return this.#candidateOf(game);
    if (!this.#all.wasCut) this.hasNoGame(ticket);
    return undefined;
  }

  hasNoGame(ticket: Ticket): void {
    this.#lastChances.delete(ticket);
  }

  /** How many tickets wait on after their last chance, although a game was not proved to be impossible. */
  get missed(): number {
    return [...this.#lastChances].filter((ticket) => this.isWaiting(ticket)).length;
  }

  /** The waiting tickets as newcomers of running games. */
  backfillPool(games: readonly RunningGame[]): BackfillPool {
    return new BackfillPool(this.#rules, this.waiting, games, this.#nowMs, {
      nodeBudget: CANDIDATE_NODE_BUDGET,
      forbids: this.#forbids(),
      constraints: this.#constraintsOf?.(),
      outOfTime: this.#outOfTime,
    });
  }

  within(tickets: readonly Ticket[], limits: TicketLimits): CandidatesWithin {
    const make = () =>
      new LimitedSearch({
        rules: this.#rules,
        forbids: this.#forbids(),
        nodeBudget: WITHIN_NODE_BUDGET,
        outOfTime: this.#outOfTime,
      });
    // Each search has tickets of its own.
    const kept = this.#isLimitedTaken ? undefined : this.#kept;
    this.#isLimitedTaken = true;
    const search = kept?.limited(make) ?? make();
    search.begin(tickets, limits, this.#nowMs);
    return {
      game: (places, anchor, raise, above) => {
        const found = this.#isSpent() ? undefined : search.game(places, anchor, raise, above);
        return found && { ...this.#candidateOf(found.game), margin: found.margin };
      },
      seats: search.seats,
      masksAt: (place) => search.masksAt(place),
      windows: (places) => search.windows(places),
      canFill: (places) => search.canFill(places),
    };
  }

  /** Removes a ticket from the pool without a game. */
  drop({ ticketId }: Ticket): void {
    const place = this.#places.get(ticketId);
    if (place === undefined) return;
    this.#isWaiting[place] = 0;
    this.#allSolos?.remove(place);
    this.#all?.remove(ticketId);
  }

  /** Releases a game and removes its tickets. Returns it with a lower bound proved over all tickets that waited. */
  take({ game, tickets }: Candidate): Game {
    const lowerBound = Math.min(game.priority, this.#drainBound ?? this.#boundAtRelease());
    for (const ticket of tickets) this.drop(ticket);
    return { ...game, lowerBound, optimal: lowerBound === game.priority };
  }

  /** Why no game with a waiting ticket can be formed; undefined when one can, or when the time is over. */
  obstacle(ticketId: string): string | undefined {
    if (this.#isSpent()) return undefined;
    this.#all ??= this.#poolOfAll();
    return this.#all.obstacle(ticketId, this.#nowMs);
  }

  /**
   * A bound for the next release. Removals leave a bound valid, so where a proof takes long it is renewed at the releases 1, 2,
   * 4, 8 and so on.
   */
  #boundAtRelease(): number {
    const releases = this.#releases++;
    if (this.#isPlain || (releases & (releases + 1)) === 0) this.#bound = this.#boundOfAll();
    return this.#bound;
  }

  #boundOfAll(): number {
    if (this.#isSpent()) return this.#leastPriority();
    if (this.#soloGames) {
      this.#allSolos ??= this.#solosLeft(PROOF_NODE_BUDGET);
      return this.#allSolos.bound();
    }
    this.#all ??= this.#poolOfAll();
    // The tickets of the release are among these, so without a game the search did not end.
    return this.#all.best(this.#nowMs)?.lowerBound ?? this.#leastPriority();
  }

  /** No game has an imbalance below 0 or a longer wait than the oldest ticket: a bound without a search. */
  #leastPriority(): number {
    const oldest = this.byAge.find((ticket) => this.isWaiting(ticket));
    const waitSeconds = oldest === undefined ? 0 : Math.max(0, this.#nowMs - oldest.enqueuedAtMs) / 1000;
    return -this.#rules.beta * waitSeconds;
  }

  /** A pool of all waiting tickets, for proofs and last chances. */
  #poolOfAll(): GamePool {
    const { waiting } = this;
    const keeper = this.#isAllKept ? this.#kept : undefined;
    const options = { nodeBudget: PROOF_NODE_BUDGET, mayGiveUp: true };
    const kept = keeper?.all(() => this.#poolOf([], options), waiting);
    return kept ?? this.#poolOf(waiting, options);
  }

  #poolOf(tickets: Iterable<Ticket>, options: GamePoolOptions, rules = this.#rules): GamePool {
    const forbids = this.#forbids();
    const pool = new GamePool(rules, {
      ...options,
      ...(forbids && { forbids }),
      ...(this.#constraintsOf && { constraints: this.#constraintsOf() }),
      prepared: this.#prepared,
      outOfTime: this.#outOfTime,
    });
    for (const ticket of tickets) pool.insert(ticket);
    return pool;
  }

  /** The waiting solo players, by their places in `bySkill`. */
  #solosLeft(nodeBudget?: number): SoloPool {
    const pool = new SoloPool(this.#rules, this.bySkill, this.#nowMs, nodeBudget, this.#outOfTime);
    for (let place = 0; place < this.#isWaiting.length; place++)
      if (this.#isWaiting[place] === 0) pool.remove(place);
    return pool;
  }

  #isSpent(): boolean {
    return this.#outOfTime();
  }

  #forbids(): Forbids | undefined {
    if (this.#playersTwice.size === 0) return undefined;
    return (a, b) => (this.clash(a, b) ? 'the two tickets share a player' : undefined);
  }

  #candidateOf(game: Game): Candidate {
    return { game, tickets: game.ticketIds.map((ticketId) => this.bySkill[this.#places.get(ticketId)!]) };
  }
}

/** A game with its tickets, which are among these. */
function candidateOf(game: Game, among: readonly Ticket[]): Candidate {
  return {
    game,
    tickets: game.ticketIds.map((ticketId) => among.find((ticket) => ticket.ticketId === ticketId)!),
  };
}

const byId = (a: Ticket, b: Ticket) => (a.ticketId < b.ticketId ? -1 : 1);

/** The ids of players who are in more than one ticket. */
function playersTwice(tickets: readonly Ticket[]): Set<string> {
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const { players } of tickets) {
    for (const { playerId } of players) {
      if (once.has(playerId)) twice.add(playerId);
      else once.add(playerId);
    }
  }
  return twice;
}
