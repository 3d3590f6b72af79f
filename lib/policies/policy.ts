import type { Game, GameRules, Ticket } from '../engine/types.ts';

/** A game the search proposes, with the tickets that make it. */
export interface Candidate {
  readonly game: Game;
  readonly tickets: readonly Ticket[];
}

/** What a policy may know about the queue besides the candidate. Measured from the queue itself. */
export interface PoolFacts {
  readonly rules: GameRules;
  /** After this many milliseconds a ticket is timed out. */
  readonly timeoutMs: number;
  /** Milliseconds until the next tick is due. */
  readonly tickMs: number;
  /** When the tick before this one ran; at the first tick, when the oldest ticket came. */
  readonly previousTickMs: number;
  /** Players waiting now. */
  readonly waitingPlayers: number;
  /** When the longest waiter came; `nowMs` in an empty pool. */
  readonly oldestEnqueuedAtMs: number;
  /** Players who come per second, estimated; > 0. */
  readonly arrivalRate: number;
  /** Players per second and unit of skill who come near this skill, estimated; > 0. */
  density(skill: number): number;
  /** The mean of `density` over recent players. */
  readonly typicalDensity: number;
  /** The share of recent players with less skill than this, in [0, 1]. */
  rank(skill: number): number;
  /** The share of recent players above their mean skill, in [0, 1]. */
  readonly strongShare: number;
}

export type Verdict = { readonly release: true } | { readonly release: false; readonly reason: string };

/**
 * Decides which games are made now and which wait for better company.
 *
 * A policy is pure: what it knows about the past is in the facts.
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
 *     return { release: false, reason: `The best game has imbalance ${game.imbalance}; up to ${limit} is allowed.` };
 *   },
 * };
 * Object.keys(patience); // => ['candidates', 'release']
 * ```
 */
export interface Policy {
  /** Proposes candidates one after another, in the order in which they are judged. */
  candidates(pool: CandidateSource, facts: PoolFacts, nowMs: number): Iterable<Candidate>;
  /** Judges one. With the same facts, what is released at one moment is released at every later one. */
  release(candidate: Candidate, facts: PoolFacts, nowMs: number): Verdict;
  /** Why a ticket waits that is in no candidate held back, when games are possible. Left out: the engine tells. */
  reason?(ticket: Ticket, nowMs: number): string;
}

/** What the searches of policies stand on: the waiting tickets and the engine. */
export interface CandidateSource {
  /** Ascending by mean skill, then by ticket id. Holds released tickets too: see `isWaiting`. */
  readonly bySkill: readonly Ticket[];
  /** Longest waiter first, then by ticket id. Holds released tickets too: see `isWaiting`. */
  readonly byAge: readonly Ticket[];
  isWaiting(ticket: Ticket): boolean;
  /** True when two tickets may not be in one game because they share a player. */
  clash(a: Ticket, b: Ticket): boolean;
  /** Disjoint games of all waiting tickets, the best one first, until none can be formed. */
  bestFirst(): Iterable<Candidate>;
  /** As many disjoint games of all waiting tickets as can be made at once, with the least sum of imbalances, by skill. */
  everyone(): Iterable<Candidate>;
  /** The best game among a few tickets; with `anchor`, the best one that has this ticket in it. */
  gameAmong(tickets: readonly Ticket[], anchor?: Ticket): Candidate | undefined;
}

/** A ticket's place on the axis of skill: the mean skill of its players. */
export function meanSkill({ players }: Pick<Ticket, 'players'>): number {
  if (players.length === 1) return players[0].skill;
  let sum = 0;
  for (const player of players) sum += player.skill;
  return sum / players.length;
}

/** The age of the ticket that has waited longest, in milliseconds. */
export function oldestAgeMs(tickets: readonly Ticket[], nowMs: number): number {
  let age = 0;
  for (const ticket of tickets) age = Math.max(age, nowMs - ticket.enqueuedAtMs);
  return age;
}

/** The age of the ticket that came last: since then this game could have been made. */
export function youngestAgeMs(tickets: readonly Ticket[], nowMs: number): number {
  let age = Number.POSITIVE_INFINITY;
  for (const ticket of tickets) age = Math.min(age, nowMs - ticket.enqueuedAtMs);
  return age;
}

/** True when a ticket of this age would be timed out before the tick after next could help it. */
export function isLastChance(ageMs: number, facts: PoolFacts): boolean {
  return ageMs + 2 * facts.tickMs > facts.timeoutMs;
}
