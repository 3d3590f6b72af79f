import { imbalancePerRange, shapeOf, sortedBy } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';
import {
  byArrival,
  type Candidate,
  type CandidateSource,
  meanSkill,
  type PoolFacts,
  type WithinLimit,
} from '../policy.ts';
import { forLoad, growthByAge, type LimitOptions, type LimitTerms, limitOf } from './limits.ts';
import { seatLoads } from './seat-loads.ts';
import { type Neighbours, SkillLine } from './skill-line.ts';

/** Whether a search around the ticket may find what searches at earlier ticks did not. */
type IsDue = (ticket: Ticket) => boolean;

/**
 * A ticket is due when it is new, and then each time its threshold has grown by another step. A game that was above its limit
 * is within it only when one of its tickets is new, has a higher threshold, becomes urgent or has waited long enough for
 * teams that start short. All tickets are due in a tick without new ones, because the estimated rate falls in a silence, which
 * raises all thresholds. The loads of seats change with the neighbours; searching a ticket each time its own has risen gives
 * the same results.
 */
export function dueAt(options: LimitOptions, pool: CandidateSource, facts: PoolFacts, nowMs: number): IsDue {
  const { searchedAtMs } = facts;
  const newest = pool.byAge.at(-1);
  if (searchedAtMs === undefined || newest === undefined || newest.enqueuedAtMs <= searchedAtMs)
    return () => true;
  const growth = growthByAge(options, facts);
  const steps = (grown: number) => Math.floor(Math.log(grown) / Math.log(GROWTH_STEP));
  const shortAfterMs = 1000 * (facts.rules.short?.afterSeconds ?? Number.POSITIVE_INFINITY);
  return ({ enqueuedAtMs }) => {
    if (enqueuedAtMs > searchedAtMs) return true;
    if (enqueuedAtMs + shortAfterMs > searchedAtMs && enqueuedAtMs + shortAfterMs <= nowMs) return true;
    const grown = growth((nowMs - enqueuedAtMs) / 1000);
    return grown >= GROWTH_STEP && steps(growth((searchedAtMs - enqueuedAtMs) / 1000)) < steps(grown);
  };
}
/** The steps in which a growing threshold makes a ticket due. With steps of 10% results are the same. */
const GROWTH_STEP = 1.2;
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

/** The game found around a ticket, given by its place, with its limit less its imbalance. */
interface AnchoredGame {
  readonly anchor: number;
  readonly candidate: Candidate;
  readonly margin: number;
}

/**
 * For parties and classes of seats (roles, sides) without rules: for each ticket that is due, longest wait first, the game with
 * the widest margin among its neighbours. Neighbours of its own kind are tried first. Solo players with classes are all
 * searched first, and the widest margin of all is released first.
 *
 * When many solo players are due at once, after a start or an outage, the order of the searches decides what is left for
 * the last ones. Then the narrowest windows of skill that can fill a game go first, in relation to their limits, and loads
 * of seats do not count. With parties, only the games around the due tickets themselves are compared then.
 *
 * `loads` receives the loads of seats that the limits of the games offered contain.
 *
 * The urgency of a game is that of its most urgent ticket, and that one is due. So a search considers the urgency of
 * its own ticket, and leaves out those that are more urgent. They have been searched before.
 */
export function* aroundDueTickets(
  pool: CandidateSource,
  facts: PoolFacts,
  nowMs: number,
  termsOf: (ticket: Ticket) => LimitTerms,
  isDue: IsDue,
  loads: Map<Ticket, number>,
): Iterable<Candidate> {
  const { rules } = facts;
  const { seats, seatsMin } = shapeOf(rules);
  const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
  const count = sorted.length;
  const skills = new Float64Array(count);
  const sizes = new Uint8Array(count);
  const urgencies = new Float64Array(count);
  const limits = {
    now: new Float64Array(count),
    atFirst: new Float64Array(count),
    apart: new Float64Array(count),
  };
  const due: number[] = [];
  const grown: number[] = [];
  let hasParties = false;
  for (let at = 0; at < count; at++) {
    const ticket = sorted[at];
    const { theta, threshold, apart, urgency } = termsOf(ticket);
    skills[at] = meanSkill(ticket);
    sizes[at] = ticket.players.length;
    urgencies[at] = urgency < URGENCY_MIN ? 0 : urgency;
    limits.now[at] = threshold;
    limits.atFirst[at] = theta;
    limits.apart[at] = apart;
    hasParties ||= sizes[at] > 1;
  }
  for (let at = 0; at < count; at++) {
    if (urgencies[at] > 0 || isDue(sorted[at])) due.push(at);
    else if (hasParties && limits.now[at] >= GROWN * limits.atFirst[at]) grown.push(at);
  }
  const byAge = (a: number, b: number) => byArrival(sorted[a], sorted[b]);
  due.push(...grown.sort(byAge).slice(0, GROWN_MAX));
  const isMany = due.length >= GAMES_OF_MANY * seats;
  const search = pool.within(sorted, limits);
  const hasClasses = search.seats !== undefined;
  // Where sides differ, a player of the rare one should not go to whoever is searched first.
  const hasSides = typeof rules.teams === 'object';
  const looksAround = hasSides || (hasParties && !isMany);
  const areUrgent = urgencies.includes(Number.POSITIVE_INFINITY);
  const countsLoads = hasParties || !isMany;
  const seatsOfClasses = countsLoads || (areUrgent && hasSides) ? search.seats : undefined;
  const loadsOfSeats = seatsOfClasses && seatLoads(skills, seatsOfClasses, search.masksAt);
  const ofSeats = countsLoads ? loadsOfSeats : undefined;
  if (ofSeats) {
    for (let at = 0; at < count; at++) limits.apart[at] += forLoad(limits.atFirst[at], ofSeats[at]);
  }
  /** The place of each ticket; made when the first game is found. */
  let places: Map<Ticket, number> | undefined;
  const line = new SkillLine(skills, sizes);
  /** The removals after which the waiting tickets lacked the players of some seat. */
  let lackingAt = -1;
  /** By place: the range of the neighbours among which no game was found, and the removals until then. */
  const failed: ({ low: number; high: number; removals: number } | undefined)[] = [];
  // Parties may not fit into the teams and roles may be missing, so the engine gets more tickets than a game needs.
  const enough = (hasClasses ? 6 : 3) * seats;
  const searched: Neighbours[] = hasParties ? ['of its kind', 'all'] : ['all'];
  const anchors = sortedBy(due, (at) => sorted[at].enqueuedAtMs, byAge);
  const isLastChance = (at: number) => urgencies[at] === Number.POSITIVE_INFINITY;

  // Somebody whose seats are crowded may wait in vain, and should not take scarce players from games within their limits.
  const isCrowded = (at: number) => hasSides && loadsOfSeats !== undefined && loadsOfSeats[at] > 1;
  for (const anchor of anchors)
    if (isLastChance(anchor) && !isCrowded(anchor) && !pool.isOver()) yield* around(anchor);
  if (isMany && !hasParties) yield* narrowestWindows();
  const others = anchors.filter((anchor) => !isLastChance(anchor));
  if (hasClasses && !hasParties && !isMany) yield* widestFirst(others);
  else for (const anchor of others) if (!pool.isOver()) yield* around(anchor);
  for (const anchor of anchors)
    if (isLastChance(anchor) && isCrowded(anchor) && !pool.isOver()) yield* around(anchor);

  /** The widest margin of all due tickets first. After a release, tickets are searched again whose game has lost a player. */
  function* widestFirst(due: readonly number[]): Iterable<Candidate> {
    let games = due.flatMap(gameOf);
    while (games.length > 0) {
      const best = games.reduce((a, b) => (b.margin > a.margin ? b : a));
      yield* offer(best.candidate);
      const isLeft = ({ candidate }: AnchoredGame) =>
        candidate.tickets.every((ticket) => pool.isWaiting(ticket));
      games = games
        .filter((game) => game !== best && line.has(game.anchor))
        .flatMap((game) => (isLeft(game) ? game : gameOf(game.anchor)));
    }
  }

  function gameOf(anchor: number): AnchoredGame[] {
    const candidate = line.has(anchor) ? widest(anchor, 'all') : undefined;
    if (candidate === undefined) return [];
    const { tickets, game } = candidate;
    tellLoads(tickets);
    const margin = limitOf(tickets, tickets.map(termsOf), loads) - game.imbalance;
    return [{ anchor, candidate, margin }];
  }

  function* around(anchor: number): Iterable<Candidate> {
    for (const neighbours of searched) {
      // A game of its tickets that is released may be one without it.
      for (let before = -1; line.has(anchor) && before < line.removals; ) {
        before = line.removals;
        const candidate = isLastChance(anchor) ? bestOfAny(anchor, neighbours) : widest(anchor, neighbours);
        if (candidate !== undefined) yield* offer(candidate);
      }
    }
  }

  /** The windows in the order of their range, as a share of their limit, until they hold no more games within their limits. */
  function* narrowestWindows(): Iterable<Candidate> {
    const perRange = imbalancePerRange(rules);
    for (let released = true; released && !pool.isOver(); ) {
      released = false;
      const places = line.places();
      const starts = search.windows(places).flatMap(({ first, last }) => {
        const range = skills[places[last]] - skills[places[first]];
        let limit = 0;
        for (let at = first; at <= last; at++) limit += limits.now[places[at]] / (last + 1 - first);
        return perRange * range <= limit ? [{ first, last, share: range / limit }] : [];
      });
      for (const { first, last } of sortedBy(
        starts,
        ({ share }) => share,
        (a, b) => a.first - b.first,
      )) {
        if (pool.isOver()) return;
        if (!isWhole(places, first, last)) continue;
        const middle = places[first + ((last + 1 - first) >> 1)];
        const candidate = isLastChance(middle) ? undefined : widest(middle, 'all');
        if (candidate === undefined) continue;
        yield* offer(candidate);
        released ||= !line.has(middle);
      }
    }
  }

  function isWhole(places: readonly number[], first: number, last: number): boolean {
    for (let at = first; at <= last; at++) if (!line.has(places[at])) return false;
    return true;
  }

  /** Offers a candidate for release, and removes its tickets when it is released. */
  function* offer(candidate: Candidate): Iterable<Candidate> {
    tellLoads(candidate.tickets);
    yield candidate;
    if (candidate.tickets.every((ticket) => pool.isWaiting(ticket))) return;
    for (const ticket of candidate.tickets) if (!pool.isWaiting(ticket)) line.remove(placeOf(ticket));
  }

  function placeOf(ticket: Ticket): number {
    places ??= new Map(sorted.map((ticket, at) => [ticket, at]));
    return places.get(ticket)!;
  }

  function tellLoads(tickets: readonly Ticket[]): void {
    if (ofSeats) for (const ticket of tickets) loads.set(ticket, ofSeats[placeOf(ticket)]);
  }

  /** The game with the widest margin among the neighbours. It is not searched again while they are the same. */
  function widest(anchor: number, neighbours: Neighbours): Candidate | undefined {
    const last = neighbours === 'all' ? failed[anchor] : undefined;
    if (last && line.isUnchanged(last.low, last.high, last.removals)) return undefined;
    const near = line.nearest(anchor, neighbours, enough, (at) => urgencies[at] > urgencies[anchor]);
    if (near.players < seatsMin) return undefined;
    const game = search.game(near.places, near.middle, 1 + urgencies[anchor]);
    if (game === undefined && mayStartShort(sorted[anchor])) return bestAmong(near.places, anchor);
    if (game === undefined && neighbours === 'all') {
      const { places } = near;
      failed[anchor] = { low: places[0], high: places[places.length - 1], removals: line.removals };
    }
    return game === undefined || !looksAround ? game : widestAround(game, anchor);
  }

  /**
   * The game, or the one with the widest margin around another of its tickets. Parties bring tickets together that are far
   * apart, so these have other neighbours. A game without the anchor does not have its urgency, so none is counted.
   */
  function widestAround(game: WithinLimit, anchor: number): Candidate {
    let best = game;
    for (const ticket of game.tickets) {
      const at = placeOf(ticket);
      if (at === anchor) continue;
      const near = line.nearest(at, 'all', enough, (other) => urgencies[other] > urgencies[anchor]);
      best = search.game(near.places, near.middle, 1, best.margin) ?? best;
    }
    return best;
  }

  /** Whether its game may start short. The search within limits knows games of full teams only. */
  function mayStartShort({ enqueuedAtMs }: Ticket): boolean {
    return rules.short !== undefined && nowMs - enqueuedAtMs >= 1000 * rules.short.afterSeconds;
  }

  /** The best game at a last chance: among the neighbours, or among all waiting tickets when those form none. */
  function bestOfAny(anchor: number, neighbours: Neighbours): Candidate | undefined {
    const near = line.nearest(anchor, neighbours, enough, () => false);
    const best = near.players < seatsMin ? undefined : bestAmong(near.places, anchor);
    if (best !== undefined || neighbours !== 'all') return best;
    const waiting = line.places();
    if (waiting.length === near.places.length) return undefined;
    // Where a role or side is missing altogether, a search among all would be in vain.
    if (rules.short === undefined && isLacking(waiting)) return undefined;
    return bestAmong(waiting, anchor);
  }

  /** Whether all waiting tickets lack the players of some seat. */
  function isLacking(waiting: readonly number[]): boolean {
    if (lackingAt !== line.removals && search.windows(waiting).length === 0) lackingAt = line.removals;
    return lackingAt === line.removals;
  }

  function bestAmong(places: readonly number[], anchor: number): Candidate | undefined {
    return pool.gameAmong(
      places.map((at) => sorted[at]),
      sorted[anchor],
    );
  }
}
