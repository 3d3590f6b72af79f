import type { TicketLimits, TicketWindow } from '../engine/game-pool.ts';
import type { Game, GameRules, Ticket } from '../engine/types.ts';

/** A game that the search proposes, with its tickets. */
export interface Candidate {
  readonly game: Game;
  readonly tickets: readonly Ticket[];
}

/** What a policy may know about the queue besides the candidate. It is measured from the queue itself. */
export interface PoolFacts {
  readonly rules: GameRules;
  /** The age in milliseconds at which a ticket times out. */
  readonly timeoutMs: number;
  /** Milliseconds until the next tick is due. */
  readonly tickMs: number;
  /** When the previous tick ran; at the first tick, when the oldest ticket was enqueued. */
  readonly previousTickMs: number;
  /**
   * When a tick has searched all tickets that had been enqueued by then. Undefined when the previous tick saw a part of them,
   * was out of time, or is unknown.
   */
  readonly searchedAtMs?: number | undefined;
  /** Players waiting now. */
  readonly waitingPlayers: number;
  /** When the longest-waiting ticket was enqueued; `nowMs` in an empty pool. */
  readonly oldestEnqueuedAtMs: number;
  /** Estimated arrivals in players per second; > 0. */
  readonly arrivalRate: number;
  /** Estimated arrivals near this skill, in players per second and unit of skill; > 0. */
  density(skill: number): number;
  /** The mean of `density` over recent players. */
  typicalDensity(): number;
  /** The share of recent players with a lower skill, in [0, 1]. */
  rank(skill: number): number;
  /** The share of recent players above their mean skill, in [0, 1]. */
  readonly strongShare: number;
}

/** A policy's decision about a candidate. `reason`: why it is held, for the players who wait. */
export type Verdict = { readonly release: true } | { readonly release: false; readonly reason: string };

/**
 * Decides which games are made now and which wait for a better one.
 *
 * A policy is pure: everything it knows about the past is in the facts.
 *
 * @example
 * ```ts
 * import { oldestAgeMs, type Policy } from './policy.ts';
 *
 * // Releases the best games whose imbalance is at most one point for each second of the longest wait.
 * const patience: Policy = {
 *   candidates: (pool) => pool.bestFirst(),
 *   release({ game, tickets }, _facts, nowMs) {
 *     const limit = oldestAgeMs(tickets, nowMs) / 1000;
 *     if (game.imbalance <= limit) return { release: true };
 *     return { release: false, reason: `The best match has imbalance ${game.imbalance}; the limit is ${limit}.` };
 *   },
 * };
 * Object.keys(patience); // => ['candidates', 'release']
 * ```
 */
export interface Policy {
  /** Proposes candidates one by one, in the order in which `release` judges them. */
  candidates(pool: CandidateSource, facts: PoolFacts, nowMs: number): Iterable<Candidate>;
  /** Judges one candidate. With the same facts, a candidate released at one time is released at any later time. */
  release(candidate: Candidate, facts: PoolFacts, nowMs: number): Verdict;
  /**
   * Judges the filling of a running match. The imbalance of its game is what the newcomers add to that of the match, and its
   * first ticket are the players who are there. @default `release`
   */
  releaseFilling?(candidate: Candidate, facts: PoolFacts, nowMs: number): Verdict;
  /**
   * Why a ticket is waiting that is in no held candidate, although a match with it is possible. @default that others take
   * precedence
   */
  reason?(ticket: Ticket, facts: PoolFacts, nowMs: number): string;
}

/** Whether the time of a plan is over; with a share, whether that part of its time is. */
export type OutOfTime = (share?: number) => boolean;

/** What a policy searches with: the waiting tickets and the engine. */
export interface CandidateSource {
  /** Ascending by mean skill, then by ticket id. Contains released tickets too: see `isWaiting`. */
  readonly bySkill: readonly Ticket[];
  /** Longest wait first, then by ticket id. Contains released tickets too: see `isWaiting`. */
  readonly byAge: readonly Ticket[];
  isWaiting(ticket: Ticket): boolean;
  /**
   * Whether the time of the tick is over. Searches then find nothing more, and loops over many tickets end.
   *
   * @param steps the work since the last call, as of a `SearchClock`. @default 1
   */
  isOver(steps?: number): boolean;
  /** True when two tickets may not be in one game because they share a player. */
  clash(a: Ticket, b: Ticket): boolean;
  /** Whether the queue's rules limit who may be in one game: nearest neighbours may then form none. */
  readonly hasRules: boolean;
  /** Whether the rules permit these two in one game, as far as two tickets can tell. Fastest for one `a` after another. */
  mayMeet(a: Ticket, b: Ticket): boolean;
  /**
   * Disjoint games among all waiting tickets, the best one first, until none can be formed.
   *
   * @param packs only games with which no other is lost by the sizes of parties, as far as they are found. @default false
   */
  bestFirst(packs?: boolean): Iterable<Candidate>;
  /**
   * The largest number of disjoint games that can be made at once among all waiting tickets, with the least sum of
   * imbalances, in order of skill.
   */
  everyone(): Iterable<Candidate>;
  /** The best game among a few tickets; with `anchor`, the best one that contains this ticket. */
  gameAmong(tickets: readonly Ticket[], anchor?: Ticket): Candidate | undefined;
  /** Names the tickets at their last chance, before any search: the plan counts those that miss it. */
  lastChances(tickets: readonly Ticket[]): void;
  /** The best game with this ticket among all waiting tickets. A last chance is not missed if it proves that there is none. */
  gameWith(ticket: Ticket): Candidate | undefined;
  /** Reports that counting proves that there is no game with this ticket. */
  hasNoGame(ticket: Ticket): void;
  /**
   * Prepares searches for games within limits among these tickets, for games of up to 16 seats without rules.
   *
   * @param tickets ascending by mean skill
   * @param limits by their places; the caller may change them between searches
   */
  within(tickets: readonly Ticket[], limits: TicketLimits): CandidatesWithin;
}

/** A game within its limit. */
export interface WithinLimit extends Candidate {
  /** Its limit less its imbalance. Long waits count in the limit as much as it took to find a game. */
  readonly margin: number;
}

/** Searches within limits among tickets that are known by their places in a list. */
export interface CandidatesWithin {
  /**
   * The game with the widest margin to its limit among those of one ticket; undefined when none is within its limit.
   *
   * @param places of the tickets that are considered, all of them waiting
   * @param anchor the position of the ticket in `places`
   * @param raise the factor by which the growing part of all limits is raised, 1 or above
   * @param above only games with a wider margin are considered, in which long waits count for little. @default all
   */
  game(places: readonly number[], anchor: number, raise: number, above?: number): WithinLimit | undefined;
  /** The seats of each class in a game: those of one role in the teams of one kind. Undefined where there is one class. */
  readonly seats: readonly number[] | undefined;
  /** The classes of seats, as a bit set, that each player of the ticket at a place accepts; empty without `seats`. */
  masksAt(place: number): ArrayLike<number>;
  /** The shortest windows of these places that could fill a game if parties could be split, one for each first ticket. */
  windows(places: readonly number[]): readonly TicketWindow[];
  /** Whether these places could fill a game if parties could be split. */
  canFill(places: readonly number[]): boolean;
}

/** A ticket's place on the skill axis: the mean skill of its players. */
export function meanSkill({ players }: Pick<Ticket, 'players'>): number {
  if (players.length === 1) return players[0].skill;
  let sum = 0;
  for (const player of players) sum += player.skill;
  return sum / players.length;
}

/**
 * Whether any set of solo players with as many players as a game has seats can play a game: there are no roles, all teams
 * are alike and none starts short. Otherwise a search needs more tickets than a game has players.
 */
export function takesAnyone({ roles, teams, short }: GameRules): boolean {
  if (roles !== undefined || short !== undefined) return false;
  return typeof teams !== 'object' || (teams.length === 1 && teams[0].roles === undefined);
}

/** Compares tickets: the longest wait first, then by id. */
export function byArrival(a: Ticket, b: Ticket): number {
  return a.enqueuedAtMs - b.enqueuedAtMs || (a.ticketId < b.ticketId ? -1 : 1);
}

/** The age of the ticket that has waited longest, in milliseconds. */
export function oldestAgeMs(tickets: readonly Ticket[], nowMs: number): number {
  let age = 0;
  for (const ticket of tickets) age = Math.max(age, nowMs - ticket.enqueuedAtMs);
  return age;
}

/** Whether a ticket of this age is at its last chance: it times out before the tick after the next one. */
export function isLastChance(ageMs: number, facts: PoolFacts): boolean {
  return ageMs > lastChanceAfterMs(facts);
}

/** The age after which a tick is the last chance of a ticket, in milliseconds. */
export function lastChanceAfterMs({ timeoutMs, tickMs }: PoolFacts): number {
  return timeoutMs - 2 * tickMs;
}
