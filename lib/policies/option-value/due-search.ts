import { imbalancePerRange, shapeOf, sortedBy } from '../../engine/game-pool.ts';
import type { GameRules, Ticket } from '../../engine/types.ts';
import {
  byArrival,
  type Candidate,
  type CandidateSource,
  type CandidatesWithin,
  meanSkill,
  type PoolFacts,
  type WithinLimit,
} from '../policy.ts';
import type { IsDue } from './due-tickets.ts';
import { forLoad, type LimitTerms, limitOf } from './limits.ts';
import { seatLoads } from './seat-loads.ts';
import { type Neighbours, WaitingLine } from './waiting-line.ts';

/**
 * With parties, a ticket is due at every tick once its threshold has grown by this factor. Games that are found around
 * others often take its neighbours, so a game that it can have should not be left for long.
 */
const GROWN = 2;
/** As many of them at a tick, the oldest first: parties that can form no game are searched in vain each time. */
const GROWN_MAX = 50;
/** A lower urgency is not considered in searches. A ticket with a higher one is due at every tick. */
const URGENCY_MIN = 0.01;
/** From as many games on that the due tickets could fill, the narrowest windows go first. */
const GAMES_OF_MANY = 10;

/** Games of more seats are searched best first, not among neighbours. */
export const SEATS_AMONG_NEIGHBOURS = 16;

/**
 * Last chances first: the best game of each ticket that must get one now, among its neighbours or else among all. Only the
 * pool knows whether none exists (`gameWith`). Tickets whose seats are crowded come after the others, so that they do not
 * take scarce players from them.
 *
 * Then for each ticket that is due, longest wait first, the game with the widest margin among its neighbours; under rules, the
 * best game. Neighbours of its own kind are tried first. Solo players with classes of seats (roles, sides) are all searched
 * first, and the widest margin of all is released first. Games of more than 16 seats are searched best first.
 *
 * When many solo players are due at once, after a start or an outage, the order of the searches decides what is left for
 * the last ones. Then the narrowest windows of skill that can fill a game go first, in relation to their limits, and loads
 * of seats do not count. With parties, only the games around the due tickets themselves are compared then.
 *
 * `loads` receives the loads of seats that the limits of the games offered contain.
 *
 * The urgency of a game is that of its most urgent ticket, and that one is due. So a search considers the urgency of
 * its own ticket, and skips those that are more urgent. They have been searched before.
 */
export function aroundDueTickets(
  pool: CandidateSource,
  facts: PoolFacts,
  nowMs: number,
  termsOf: (ticket: Ticket) => LimitTerms,
  isDue: IsDue,
  loads: Map<Ticket, number>,
): Iterable<Candidate> {
  const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
  return new DueSearch(
    pool,
    facts,
    nowMs,
    termsOf,
    loads,
    waitingTickets(sorted, termsOf, isDue),
  ).candidates();
}

/** Waiting tickets in order of skill, with what the searches need of each, by its place. */
interface WaitingTickets {
  readonly sorted: readonly Ticket[];
  readonly skills: Float64Array;
  readonly sizes: Uint8Array;
  readonly urgencies: Float64Array;
  readonly limits: {
    readonly now: Float64Array;
    readonly atFirst: Float64Array;
    readonly fixed: Float64Array;
  };
  readonly hasParties: boolean;
  /** The places of those that are due. */
  readonly due: readonly number[];
}

function waitingTickets(
  sorted: readonly Ticket[],
  termsOf: (ticket: Ticket) => LimitTerms,
  isDue: IsDue,
): WaitingTickets {
  const count = sorted.length;
  const skills = Float64Array.from(sorted, meanSkill);
  const sizes = Uint8Array.from(sorted, ({ players }) => players.length);
  const urgencies = new Float64Array(count);
  const limits = {
    now: new Float64Array(count),
    atFirst: new Float64Array(count),
    fixed: new Float64Array(count),
  };
  for (let at = 0; at < count; at++) {
    const { theta, threshold, fixed, urgency } = termsOf(sorted[at]);
    urgencies[at] = urgency < URGENCY_MIN ? 0 : urgency;
    limits.now[at] = threshold;
    limits.atFirst[at] = theta;
    limits.fixed[at] = fixed;
  }
  const hasParties = sizes.some((size) => size > 1);
  const due: number[] = [];
  const grown: number[] = [];
  for (let at = 0; at < count; at++) {
    if (urgencies[at] > 0 || isDue(sorted[at])) due.push(at);
    else if (hasParties && limits.now[at] >= GROWN * limits.atFirst[at]) grown.push(at);
  }
  due.push(...grown.sort((a, b) => byArrival(sorted[a], sorted[b])).slice(0, GROWN_MAX));
  return { sorted, skills, sizes, urgencies, limits, hasParties, due };
}

/** The game found around a ticket, given by its place, with its limit less its imbalance. */
interface AnchoredGame {
  readonly anchor: number;
  readonly candidate: Candidate;
  readonly margin: number;
}

class DueSearch {
  readonly #pool: CandidateSource;
  readonly #rules: GameRules;
  readonly #nowMs: number;
  readonly #termsOf: (ticket: Ticket) => LimitTerms;
  /** The loads of seats that the limits of the games offered contain. */
  readonly #loads: Map<Ticket, number>;
  readonly #of: WaitingTickets;
  readonly #line: WaitingLine;
  readonly #isSmall: boolean;
  /** Undefined under rules and in games of more than 16 seats. */
  readonly #search: CandidatesWithin | undefined;
  readonly #seatsMin: number;
  /** Parties may not fit into the teams and roles may be missing, so the engine gets more tickets than a game needs. */
  readonly #enough: number;
  /** Whether the due tickets fill enough games that the order of the searches decides what is left for the last ones. */
  readonly #isMany: boolean;
  readonly #hasClasses: boolean;
  readonly #hasSides: boolean;
  readonly #looksAround: boolean;
  readonly #searched: readonly Neighbours[];
  /** The load of the seats of each ticket, and whether limits contain it. */
  readonly #seatLoads: Float64Array | undefined;
  readonly #countsLoads: boolean;
  /** The place of each ticket; made when the first game is found. */
  #places: Map<Ticket, number> | undefined;
  /** Whether the waiting tickets lack the players of some seat, and the removals after which it was counted last. */
  #lacks = false;
  #countedAt = -1;
  /** By place: the range of the neighbours among which no game was found, and the removals until then. */
  readonly #failed: ({ low: number; high: number; removals: number } | undefined)[] = [];

  constructor(
    pool: CandidateSource,
    { rules }: PoolFacts,
    nowMs: number,
    termsOf: (ticket: Ticket) => LimitTerms,
    loads: Map<Ticket, number>,
    of: WaitingTickets,
  ) {
    const { sorted, skills, sizes, urgencies, limits, hasParties, due } = of;
    const { seats, seatsMin } = shapeOf(rules);
    this.#pool = pool;
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#termsOf = termsOf;
    this.#loads = loads;
    this.#of = of;
    this.#line = new WaitingLine(skills, sizes);
    this.#isSmall = seats <= SEATS_AMONG_NEIGHBOURS;
    this.#search = this.#isSmall && !pool.hasRules ? pool.within(sorted, limits) : undefined;
    this.#seatsMin = seatsMin;
    this.#isMany = due.length >= GAMES_OF_MANY * seats;
    this.#hasClasses = this.#search?.seats !== undefined;
    const hasFewFits = pool.hasRules || rules.roles !== undefined || typeof rules.teams === 'object';
    this.#enough = (hasFewFits ? 6 : 3) * seats;
    // Where sides differ, a player of the rare one should not go to the ticket that is searched first.
    this.#hasSides = typeof rules.teams === 'object';
    this.#looksAround = this.#hasSides || (hasParties && !this.#isMany);
    this.#searched = hasParties ? ['of its kind', 'all'] : ['all'];
    this.#countsLoads = hasParties || !this.#isMany;
    const areUrgent = urgencies.includes(Number.POSITIVE_INFINITY);
    const isNeeded = this.#countsLoads || (areUrgent && this.#hasSides);
    const classes = isNeeded ? this.#search?.seats : undefined;
    this.#seatLoads = classes && seatLoads(skills, classes, this.#search!.masksAt);
    const ofSeats = this.#countsLoads ? this.#seatLoads : undefined;
    if (ofSeats)
      for (let at = 0; at < sorted.length; at++) limits.fixed[at] += forLoad(limits.atFirst[at], ofSeats[at]);
  }

  *candidates(): Iterable<Candidate> {
    const { sorted, due, hasParties } = this.#of;
    const pool = this.#pool;
    const anchors = sortedBy(
      due,
      (at) => sorted[at].enqueuedAtMs,
      (a, b) => byArrival(sorted[a], sorted[b]),
    );
    const last = anchors.filter((anchor) => this.#isLastChance(anchor));
    pool.lastChances(last.map((anchor) => sorted[anchor]));
    for (const isCrowded of [false, true]) {
      for (const anchor of last)
        if (this.#isCrowded(anchor) === isCrowded && this.#line.has(anchor)) yield* this.#lastChance(anchor);
    }
    if (!this.#isSmall) {
      yield* pool.bestFirst();
      return;
    }
    if (this.#search && this.#isMany && !hasParties) yield* this.#narrowestWindows(this.#search);
    const others = anchors.filter((anchor) => !this.#isLastChance(anchor));
    if (this.#hasClasses && !hasParties && !this.#isMany) yield* this.#widestFirst(others);
    else for (const anchor of others) if (!pool.isOver()) yield* this.#around(anchor);
  }

  /** The best game with the ticket among its neighbours, or else among all. */
  *#lastChance(anchor: number): Iterable<Candidate> {
    const ticket = this.#of.sorted[anchor];
    for (const neighbours of this.#isSmall && !this.#pool.isOver() ? this.#searched : []) {
      const near = this.#near(anchor, neighbours, () => false);
      const best = near.players < this.#seatsMin ? undefined : this.#bestAmong(near.places, anchor);
      if (best !== undefined) yield* this.#offer(best);
      if (!this.#pool.isWaiting(ticket)) return;
    }
    // Where a role or side is missing altogether, a search among all would be in vain.
    if (this.#search && this.#rules.short === undefined && this.#isLacking(this.#search)) {
      this.#pool.hasNoGame(ticket);
      return;
    }
    const best = this.#pool.gameWith(ticket);
    if (best !== undefined) yield* this.#offer(best);
  }

  /** The nearest tickets that may meet the anchor, as far as the time goes. */
  #near(anchor: number, neighbours: Neighbours, isLeftOut: (at: number) => boolean) {
    const { sorted } = this.#of;
    const pool = this.#pool;
    const mayMeet = (at: number) =>
      !pool.hasRules || (!pool.isOver() && pool.mayMeet(sorted[anchor], sorted[at]));
    return this.#line.nearest(anchor, neighbours, this.#enough, (at) => isLeftOut(at) || !mayMeet(at));
  }

  #isLastChance(at: number): boolean {
    return this.#of.urgencies[at] === Number.POSITIVE_INFINITY;
  }

  /** A ticket whose seats are crowded may wait in vain, and should not take scarce players from games within their limits. */
  #isCrowded(at: number): boolean {
    return this.#hasSides && this.#seatLoads !== undefined && this.#seatLoads[at] > 1;
  }

  /** The widest margin of all due tickets first. After a release, tickets are searched again whose game has lost a player. */
  *#widestFirst(due: readonly number[]): Iterable<Candidate> {
    let games = due.flatMap((anchor) => this.#gameOf(anchor));
    while (games.length > 0) {
      const best = games.reduce((a, b) => (b.margin > a.margin ? b : a));
      yield* this.#offer(best.candidate);
      const isLeft = ({ candidate }: AnchoredGame) =>
        candidate.tickets.every((ticket) => this.#pool.isWaiting(ticket));
      games = games
        .filter((game) => game !== best && this.#line.has(game.anchor))
        .flatMap((game) => (isLeft(game) ? game : this.#gameOf(game.anchor)));
    }
  }

  #gameOf(anchor: number): AnchoredGame[] {
    const candidate = this.#line.has(anchor) ? this.#widest(anchor, 'all') : undefined;
    if (candidate === undefined) return [];
    const { tickets, game } = candidate;
    this.#tellLoads(tickets);
    const margin = limitOf(tickets, tickets.map(this.#termsOf), this.#loads) - game.imbalance;
    return [{ anchor, candidate, margin }];
  }

  *#around(anchor: number): Iterable<Candidate> {
    for (const neighbours of this.#searched) {
      // A game of its tickets that is released may be one without it.
      for (let before = -1; this.#line.has(anchor) && before < this.#line.removals; ) {
        before = this.#line.removals;
        const candidate = this.#widest(anchor, neighbours);
        if (candidate !== undefined) yield* this.#offer(candidate);
      }
    }
  }

  /** The windows in the order of their range, as a share of their limit, until they hold no more games within their limits. */
  *#narrowestWindows(search: CandidatesWithin): Iterable<Candidate> {
    const perRange = imbalancePerRange(this.#rules);
    for (let released = true; released && !this.#pool.isOver(); ) {
      released = false;
      const places = this.#line.places();
      const starts = search.windows(places).flatMap(({ first, last }) => {
        const range = this.#of.skills[places[last]] - this.#of.skills[places[first]];
        let limit = 0;
        for (let at = first; at <= last; at++) limit += this.#of.limits.now[places[at]] / (last + 1 - first);
        return perRange * range <= limit ? [{ first, last, share: range / limit }] : [];
      });
      for (const { first, last } of sortedBy(
        starts,
        ({ share }) => share,
        (a, b) => a.first - b.first,
      )) {
        if (this.#pool.isOver()) return;
        if (!this.#isWhole(places, first, last)) continue;
        const middle = places[first + ((last + 1 - first) >> 1)];
        const candidate = this.#widest(middle, 'all');
        if (candidate === undefined) continue;
        yield* this.#offer(candidate);
        released ||= !this.#line.has(middle);
      }
    }
  }

  #isWhole(places: readonly number[], first: number, last: number): boolean {
    for (let at = first; at <= last; at++) if (!this.#line.has(places[at])) return false;
    return true;
  }

  /** Offers a candidate for release, and removes its tickets when it is released. */
  *#offer(candidate: Candidate): Iterable<Candidate> {
    this.#tellLoads(candidate.tickets);
    yield candidate;
    if (candidate.tickets.every((ticket) => this.#pool.isWaiting(ticket))) return;
    for (const ticket of candidate.tickets)
      if (!this.#pool.isWaiting(ticket)) this.#line.remove(this.#placeOf(ticket));
  }

  #placeOf(ticket: Ticket): number {
    this.#places ??= new Map(this.#of.sorted.map((ticket, at) => [ticket, at]));
    return this.#places.get(ticket)!;
  }

  #tellLoads(tickets: readonly Ticket[]): void {
    const ofSeats = this.#countsLoads ? this.#seatLoads : undefined;
    if (ofSeats) for (const ticket of tickets) this.#loads.set(ticket, ofSeats[this.#placeOf(ticket)]);
  }

  /** The game with the widest margin among the neighbours. It is not searched again while they are the same. */
  #widest(anchor: number, neighbours: Neighbours): Candidate | undefined {
    const last = neighbours === 'all' ? this.#failed[anchor] : undefined;
    if (last && this.#line.isUnchanged(last.low, last.high, last.removals)) return undefined;
    const search = this.#search;
    const { urgencies } = this.#of;
    const near = this.#near(
      anchor,
      neighbours,
      (at) => search !== undefined && urgencies[at] > urgencies[anchor],
    );
    if (near.players < this.#seatsMin) return undefined;
    if (search === undefined) return this.#bestAmong(near.places, anchor);
    const game = search.game(near.places, near.middle, 1 + urgencies[anchor]);
    if (game === undefined && this.#mayStartShort(this.#of.sorted[anchor]))
      return this.#bestAmong(near.places, anchor);
    if (game === undefined && neighbours === 'all') {
      const { places } = near;
      this.#failed[anchor] = {
        low: places[0],
        high: places[places.length - 1],
        removals: this.#line.removals,
      };
    }
    return game === undefined || !this.#looksAround ? game : this.#widestAround(search, game, anchor);
  }

  /**
   * The game, or the one with the widest margin around another of its tickets. Parties bring tickets together that are far
   * apart, so these have other neighbours. A game without the anchor does not have its urgency, so none is counted.
   */
  #widestAround(search: CandidatesWithin, game: WithinLimit, anchor: number): Candidate {
    let best = game;
    for (const ticket of game.tickets) {
      const at = this.#placeOf(ticket);
      if (at === anchor) continue;
      const near = this.#line.nearest(
        at,
        'all',
        this.#enough,
        (other) => this.#of.urgencies[other] > this.#of.urgencies[anchor],
      );
      best = search.game(near.places, near.middle, 1, best.margin) ?? best;
    }
    return best;
  }

  /** Whether its game may start short. The search within limits knows games of full teams only. */
  #mayStartShort({ enqueuedAtMs }: Ticket): boolean {
    return (
      this.#rules.short !== undefined && this.#nowMs - enqueuedAtMs >= 1000 * this.#rules.short.afterSeconds
    );
  }

  /** Whether all waiting tickets are known to lack the players of some seat; none come back. */
  #isLacking(search: CandidatesWithin): boolean {
    const { removals } = this.#line;
    if (this.#lacks || this.#countedAt === removals || this.#pool.isOver(this.#of.sorted.length))
      return this.#lacks;
    this.#countedAt = removals;
    this.#lacks = !search.canFill(this.#line.places());
    return this.#lacks;
  }

  #bestAmong(places: readonly number[], anchor: number): Candidate | undefined {
    return this.#pool.gameAmong(
      places.map((at) => this.#of.sorted[at]),
      this.#of.sorted[anchor],
    );
  }
}
