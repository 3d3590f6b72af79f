import type { PoolIndex } from './model/pool-index.ts';
import type { PreparedTickets } from './model/prepared-tickets.ts';
import { SearchClock } from './model/search-clock.ts';
import { ShapeIndex } from './queue/shape-index.ts';
import { explainShape } from './shapes/explain-shape.ts';
import { layoutOf } from './shapes/layout.ts';
import { poolShapeTicket, type ShapeTicket } from './shapes/shape-ticket.ts';
import { SoloIndex } from './solo/solo-index.ts';
import { isForSolos } from './solo/solo-pool.ts';
import type { Constraints, Forbids, Game, GameRules, Ticket } from './types.ts';

export { BackfillPool, type BackfillPoolOptions } from './backfill/backfill-pool.ts';
export type { Filling, PresentPlayer, RunningGame } from './backfill/running-game.ts';
export { imbalancePerRange } from './bounds/range-bounds.ts';
export { firstPlace } from './collections/first-place.ts';
export { sortedBy } from './collections/sort-skills.ts';
export { LimitedSearch, type TicketWindow } from './margin/limited-search.ts';
export type { TicketLimits } from './margin/margin-search.ts';
export { type GameShape, isFreeForAll, isPaperShape, shapeOf } from './model/game-shape.ts';
export { pSkill, skillSpread, skillSpreadOfRelative } from './model/imbalance.ts';
export { PreparedTickets } from './model/prepared-tickets.ts';
export { SearchClock } from './model/search-clock.ts';
export { everyoneAtOnce } from './partition/everyone.ts';
export { playersNeeded } from './shapes/explain-shape.ts';
export { type Layout, layoutOf } from './shapes/layout.ts';
export { SeatCounts } from './shapes/seat-counts.ts';
export { ShapeGames } from './shapes/shape-games.ts';
export { poolShapeTicket, type ShapeTicket } from './shapes/shape-ticket.ts';
export { mixesOf as partyMixes } from './shapes/size-mixes.ts';
export { isForSolos, SoloGames, SoloPool } from './solo/solo-pool.ts';

/** How a pool searches. */
export interface GamePoolOptions {
  /** Pairs of tickets that may not be in one game. @default no pair is refused */
  readonly forbids?: Forbids;
  /**
   * What games have to fulfil besides their shape, at the moment of all queries. No other pool may use the same object. It
   * does not know the tickets of two pools apart. @default nothing
   */
  readonly constraints?: Constraints;
  /**
   * Nodes that one query may visit before it returns the best game found with a valid bound; it visits 0.2 to 5 million
   * per second. @default 1,000,000 without roles, parties, refused pairs and β, where searches are short; otherwise 20
   * million divided by the number of tickets, within 1,000 to 200,000, so that games of small pools
   * are proved best and large pools are drained in time
   */
  readonly nodeBudget?: number;
  /**
   * Whether `best` keeps parties from being stranded: it returns the best game that it finds among those with which no other
   * is lost, by the sizes of the parties that remain. Otherwise the best game comes first, whatever remains, and solo players
   * and pairs are taken before the parties that need them. `lowerBound` holds for all games in both cases.
   *
   * It applies to games of up to 16 seats without roles, sides, refused pairs, constraints and parties that may be split.
   * @default false
   */
  readonly packs?: boolean;
  /**
   * Whether a query may end without a game because its time is over before the pool is prepared for it: for pools that only
   * prove or explain. Games of more than 16 seats are not affected. @default false
   */
  readonly mayGiveUp?: boolean;
  /** What other pools with the same teams and roles have prepared of their tickets. @default every ticket is prepared */
  readonly prepared?: PreparedTickets | undefined;
  /**
   * Asked during each query, about once a millisecond at most. When it returns true the query ends soon, with the best game
   * found so far and a valid bound, or without a game. @default never out of time
   */
  readonly outOfTime?: (() => boolean) | undefined;
}

/**
 * The waiting tickets of one pool, and the best games among them.
 *
 * Every game carries a `lowerBound` on the priority of every game possible in the pool at that
 * moment; it equals the game's priority exactly when the game is proved best. Without roles and
 * parties the result is exact; with them it is exact unless the node budget runs out.
 *
 * Ties are broken by mean skill, then by ticketId. So the same tickets give the same games, in whatever order they
 * are inserted before the first query.
 *
 * @example
 * ```ts
 * import { GamePool } from './game-pool.ts';
 *
 * const pool = new GamePool({ teamSize: 1, alpha: 1, p: 1, q: 2, beta: 0 });
 * for (const [ticketId, skill] of [['ann', 1500], ['bob', 1510], ['cy', 1900]] as const) {
 *   pool.insert({ ticketId, enqueuedAtMs: 0, players: [{ playerId: ticketId, skill }] });
 * }
 * const game = pool.best(0);
 * game?.ticketIds; // => ['ann', 'bob']
 * game?.imbalance; // => 1 * 10 + 5
 * game?.optimal; // => true
 * pool.explain('cy', 0); // => 'It can be matched now, but better matches or the release policy take precedence.'
 * ```
 */
export class GamePool {
  readonly rules: GameRules;
  readonly #options: GamePoolOptions;
  readonly #clock: SearchClock;
  readonly #tickets = new Map<string, ShapeTicket>();
  /** Built at the first query; undefined until then. */
  #index: PoolIndex | undefined;
  /** Whether solo players can have the faster index: two equal teams without roles, refused pairs, constraints and β. */
  readonly #isPlain: boolean;
  #parties = 0;

  constructor(rules: GameRules, options: GamePoolOptions = {}) {
    this.rules = rules;
    this.#options = options;
    this.#clock = new SearchClock(options.outOfTime);
    this.#isPlain = isForSolos(rules) && !options.forbids && !options.constraints;
  }

  /** The number of waiting tickets. */
  get size(): number {
    return this.#tickets.size;
  }

  /** Whether the ticket is waiting. */
  has(ticketId: string): boolean {
    return this.#tickets.has(ticketId);
  }

  /** @throws RangeError for a party that fits no team, an invalid skill, or a ticketId that is already in the pool. */
  insert(ticket: Ticket): void {
    if (this.#tickets.has(ticket.ticketId)) {
      throw new RangeError(`Expected a new ticketId, got ${ticket.ticketId}, which is already in the pool`);
    }
    const pooled = this.#options.prepared?.of(ticket, this.#prepare) ?? this.#prepare(ticket);
    this.#tickets.set(ticket.ticketId, pooled);
    if (pooled.size > 1) this.#parties++;
    if (!this.#index?.insert(pooled)) this.#index = undefined;
  }

  readonly #prepare = (ticket: Ticket): ShapeTicket => poolShapeTicket(ticket, layoutOf(this.rules));

  /** Whether the ticket was waiting. */
  remove(ticketId: string): boolean {
    const pooled = this.#tickets.get(ticketId);
    if (!pooled) return false;
    this.#tickets.delete(ticketId);
    if (pooled.size > 1) this.#parties--;
    this.#index?.remove(pooled);
    return true;
  }

  /** The game of least priority, or undefined if no game can be formed. */
  best(nowMs: number): Game | undefined {
    return this.#indexOfAll().best(nowMs);
  }

  /** The best game that contains this ticket, or undefined if there is none. Its `lowerBound` is that of the whole pool. */
  bestWith(ticketId: string, nowMs: number): Game | undefined {
    const pooled = this.#tickets.get(ticketId);
    return pooled && this.#indexOfAll().bestWith(pooled, nowMs);
  }

  /** Whether the last query was cut short. If it found no game, there may still be one. */
  get wasCut(): boolean {
    return this.#clock.wasCut;
  }

  /** Releases the best game repeatedly until none can be formed. A game is removed from the pool before it is yielded. */
  *drain(nowMs: number): Generator<Game, void> {
    for (let game = this.best(nowMs); game; game = this.best(nowMs)) {
      for (const ticketId of game.ticketIds) this.remove(ticketId);
      yield game;
    }
  }

  /** Explains in one sentence why a ticket is in no game. The same pool gives the same sentence. */
  explain(ticketId: string, nowMs: number): string {
    const pooled = this.#tickets.get(ticketId);
    if (!pooled) return 'It is not waiting in this pool.';
    return (
      this.#obstacle(pooled, nowMs) ??
      'It can be matched now, but better matches or the release policy take precedence.'
    );
  }

  /** Why no game with a waiting ticket can be formed; undefined when one can. */
  obstacle(ticketId: string, nowMs: number): string | undefined {
    const pooled = this.#tickets.get(ticketId);
    return pooled && this.#obstacle(pooled, nowMs);
  }

  #obstacle(pooled: ShapeTicket, nowMs: number): string | undefined {
    this.#clock.start();
    const reason = explainShape(pooled, this.#tickets.values(), this.rules, nowMs, this.#refusals());
    if (reason !== undefined || this.bestWith(pooled.ticket.ticketId, nowMs)) return reason;
    return this.#clock.wasCut
      ? 'No match with it was found within the limit of the search. That none is possible is not proved.'
      : 'No match with it can be formed from the waiting tickets.';
  }

  /** The pairs that may not be in one game, by refused pairs or constraints; none more once the time is over. */
  #refusals(): Forbids | undefined {
    const { constraints, forbids } = this.#options;
    if (!constraints) return forbids;
    // Constraints prepare for all tickets that have entered, and again after each later one.
    for (const { ticket } of this.#tickets.values()) constraints.enter(ticket);
    return (a, b) => {
      const refusal = forbids?.(a, b) ?? constraints.refusal(constraints.enter(a), constraints.enter(b));
      // Constraints that were not prepared before the time was over refuse all pairs.
      return this.#clock.isOver(stepsPerRefusal) ? undefined : refusal;
    };
  }

  /** Begins a query. The index is the one that the tickets need when it is built. */
  #indexOfAll(): PoolIndex {
    this.#clock.start();
    this.#index ??= this.#isPlain && this.#parties === 0 ? this.#soloIndex() : this.#gameIndex();
    return this.#index;
  }

  #soloIndex(): PoolIndex {
    return new SoloIndex(this.rules, this.#options.nodeBudget, this.#tickets.values(), this.#clock);
  }

  #gameIndex(): PoolIndex {
    return new ShapeIndex(this.rules, this.#tickets.values(), { ...this.#options, clock: this.#clock });
  }
}

/** The work of asking the constraints about a pair, in steps of a `SearchClock`. */
const stepsPerRefusal = 16;
