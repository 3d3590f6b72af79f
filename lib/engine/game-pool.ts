import { SoloQueue } from './index/solo-queue.ts';
import { TicketQueue } from './index/ticket-queue.ts';
import { explainWaiting } from './model/explain.ts';
import type { Forbids } from './model/forbids.ts';
import { makeGame } from './model/game.ts';
import { priority } from './model/imbalance.ts';
import { type PooledTicket, poolTicket, sortBySkill } from './model/pooled-ticket.ts';
import { RoleTable } from './model/roles.ts';
import type { Game, GameRules, Ticket } from './types.ts';

export type { Forbids } from './model/forbids.ts';

/** How a pool searches. */
export interface GamePoolOptions {
  /** Pairs of tickets that never meet. @default every pair may */
  readonly forbids?: Forbids;
  /**
   * Nodes one query may visit before it answers with its best game and an honest bound; 0.2 to 5 million a second.
   * @default a million without roles, parties, refused pairs and β, where searches are short; otherwise 20 million over
   * the number of tickets at the first query, 1,000 to 200,000: small pools are proved, large ones drained in time
   */
  readonly nodeBudget?: number;
}

/**
 * The waiting tickets of one pool, and the best games among them.
 *
 * Every game carries a `lowerBound` on the priority of every game possible in the pool at that
 * moment; it equals the game's priority exactly when the game is proved best. Without roles and
 * parties the answer is exact; with them it is, unless the node budget ends first.
 *
 * Ties go by mean skill, then by ticketId, so the same tickets inserted in any order before the first query
 * give the same games.
 */
export class GamePool {
  readonly rules: GameRules;
  readonly #forbids: Forbids | undefined;
  readonly #nodeBudget: number | undefined;
  readonly #roles: RoleTable | undefined;
  readonly #tickets = new Map<string, PooledTicket>();
  /** The plain queue while the pool has neither roles, parties, refused pairs nor β: made at the first query. */
  #solo: SoloTickets | undefined;
  /** The queue for everything else, made at the first query that needs it. */
  #queue: TicketQueue | undefined;
  readonly #isPlain: boolean;
  #parties = 0;

  constructor(rules: GameRules, options: GamePoolOptions = {}) {
    this.rules = rules;
    this.#forbids = options.forbids;
    this.#nodeBudget = options.nodeBudget;
    this.#roles = RoleTable.of(rules);
    this.#isPlain = !this.#roles && !this.#forbids && rules.beta === 0;
  }

  /** The waiting tickets. */
  get size(): number {
    return this.#tickets.size;
  }

  /** @throws RangeError for a party that fits no team, a bad skill, or a ticketId that is already waiting. */
  insert(ticket: Ticket): void {
    if (this.#tickets.has(ticket.ticketId)) {
      throw new RangeError(`Expected a new ticketId, got ${ticket.ticketId}, which is already in the pool`);
    }
    const pooled = poolTicket(ticket, this.rules.teamSize, this.#roles);
    this.#tickets.set(ticket.ticketId, pooled);
    if (pooled.size > 1) this.#parties++;
    this.#solo?.insert(pooled);
    this.#queue?.insert(pooled);
  }

  /** Whether the ticket was waiting. */
  remove(ticketId: string): boolean {
    const pooled = this.#tickets.get(ticketId);
    if (!pooled) return false;
    this.#tickets.delete(ticketId);
    if (pooled.size > 1) this.#parties--;
    this.#solo?.remove(pooled);
    this.#queue?.remove(ticketId);
    return true;
  }

  /** The game of least priority, or undefined if no game can be formed. */
  best(nowMs: number): Game | undefined {
    if (this.#usesSolo()) return this.#makeSolo(this.#solo!.queue.best(), nowMs);
    return this.#make(this.#queue!.best(), nowMs);
  }

  /** The best game with this ticket in it, or undefined if there is none. Its `lowerBound` still speaks of the whole pool. */
  bestWith(ticketId: string, nowMs: number): Game | undefined {
    const pooled = this.#tickets.get(ticketId);
    if (!pooled) return undefined;
    if (!this.#usesSolo()) return this.#make(this.#queue!.bestWith(ticketId), nowMs);
    const { queue, ids } = this.#solo!;
    const game = queue.bestWith(ids.get(ticketId)!);
    return this.#makeSolo(game && { ...game, lowerBound: queue.lowerBound() }, nowMs);
  }

  /** Releases the best game, again and again, until none can be formed. Each game leaves the pool before it is yielded. */
  *drain(nowMs: number): Generator<Game, void> {
    for (let game = this.best(nowMs); game; game = this.best(nowMs)) {
      for (const ticketId of game.ticketIds) this.remove(ticketId);
      yield game;
    }
  }

  /** Why a waiting ticket is in no game, in a short sentence; the same pool gives the same sentence. */
  explain(ticketId: string, nowMs: number): string {
    const pooled = this.#tickets.get(ticketId);
    if (!pooled) return 'it is not waiting in this pool';
    return (
      explainWaiting(pooled, this.#tickets.values(), this.rules, this.#roles, this.#forbids) ??
      (this.bestWith(ticketId, nowMs)
        ? 'it could play now; better games or the release policy go first'
        : 'no game with it can be put together from the tickets that wait')
    );
  }

  /** Makes the queue that the tickets need; whether it is the plain one. */
  #usesSolo(): boolean {
    if (this.#isPlain && this.#parties === 0 && !this.#queue) {
      this.#solo ??= new SoloTickets(this.rules, this.#nodeBudget, this.#tickets.values());
      return true;
    }
    this.#solo = undefined;
    if (!this.#queue) {
      const nodeBudget = this.#nodeBudget ?? Math.max(1000, Math.min(200_000, Math.round(2e7 / this.size)));
      this.#queue = new TicketQueue(this.rules, this.#roles, this.#forbids, nodeBudget);
      for (const pooled of this.#tickets.values()) this.#queue.insert(pooled);
    }
    return false;
  }

  #makeSolo(game: ReturnType<SoloQueue['best']>, nowMs: number): Game | undefined {
    if (!game) return undefined;
    const members = Array.from(game.players, (id) => this.#solo!.tickets[id]);
    return makeGame(
      members,
      game.firstTeam,
      this.rules,
      undefined,
      nowMs,
      game.lowerBound >= game.imbalance ? Number.POSITIVE_INFINITY : game.lowerBound,
    );
  }

  #make(answer: ReturnType<TicketQueue['best']>, nowMs: number): Game | undefined {
    if (!answer) return undefined;
    const { game, costBound } = answer;
    // Costs count time from the queue's epoch, priorities from now.
    const bound = costBound + priority(0, this.#queue!.epochMs, nowMs, this.rules.beta);
    return makeGame(
      game.members,
      game.firstTeam,
      this.rules,
      this.#roles,
      nowMs,
      costBound >= game.cost ? Number.POSITIVE_INFINITY : bound,
    );
  }
}

/** The plain queue with the tickets that its ids stand for. */
class SoloTickets {
  readonly queue: SoloQueue;
  readonly tickets: PooledTicket[];
  readonly ids = new Map<string, number>();

  constructor(rules: GameRules, nodeBudget: number | undefined, waiting: Iterable<PooledTicket>) {
    this.queue = new SoloQueue(rules, { nodeBudget });
    this.tickets = sortBySkill([...waiting]);
    for (let id = 0; id < this.tickets.length; id++) this.ids.set(this.tickets[id].ticket.ticketId, id);
    this.queue.load(Float64Array.from(this.tickets, (pooled) => pooled.mean));
  }

  /** A party is not taken in: the pool makes another queue before its next query. */
  insert(pooled: PooledTicket): void {
    if (pooled.size > 1) return;
    const id = this.queue.insert(pooled.mean);
    this.tickets[id] = pooled;
    this.ids.set(pooled.ticket.ticketId, id);
  }

  remove(pooled: PooledTicket): void {
    const id = this.ids.get(pooled.ticket.ticketId);
    if (id === undefined) return;
    this.queue.remove(id);
    this.ids.delete(pooled.ticket.ticketId);
  }
}
