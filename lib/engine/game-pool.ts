import { makeGame } from './game.ts';
import { imbalance, priority } from './imbalance.ts';
import { bySkill, type PooledTicket, poolTicket } from './pooled-ticket.ts';
import { RoleTable } from './roles.ts';
import { bestSplit, skillsOf } from './split.ts';
import type { Game, GameRules, Ticket } from './types.ts';

/** A hard constraint: why these two tickets may not be in one game, or undefined if they may. Symmetric and pure. */
export type Forbids = (a: Ticket, b: Ticket) => string | undefined;

/** How a pool searches. */
export interface GamePoolOptions {
  /** Pairs of tickets that never meet. @default every pair may */
  readonly forbids?: Forbids;
  /** Nodes one query may visit before it answers with its best game and an honest bound. @default 200000 */
  readonly nodeBudget?: number;
}

/**
 * The waiting tickets of one pool, and the best games among them.
 *
 * Every game carries a `lowerBound` on the priority of every game possible in the pool at that
 * moment; it equals the game's priority exactly when the game is proved best.
 */
export class GamePool {
  readonly rules: GameRules;
  readonly #forbids: Forbids | undefined;
  readonly #nodeBudget: number;
  readonly #roles: RoleTable | undefined;
  readonly #tickets = new Map<string, PooledTicket>();

  constructor(rules: GameRules, options: GamePoolOptions = {}) {
    this.rules = rules;
    this.#forbids = options.forbids;
    this.#nodeBudget = options.nodeBudget ?? 200_000;
    this.#roles = RoleTable.of(rules);
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
    this.#tickets.set(ticket.ticketId, poolTicket(ticket, this.rules.teamSize, this.#roles));
  }

  /** Whether the ticket was waiting. */
  remove(ticketId: string): boolean {
    return this.#tickets.delete(ticketId);
  }

  /** The game of least priority, or undefined if no game can be formed. */
  best(nowMs: number): Game | undefined {
    return this.#search(nowMs, undefined);
  }

  /** The best game with this ticket in it, or undefined if there is none. Its `lowerBound` still speaks of the whole pool. */
  bestWith(ticketId: string, nowMs: number): Game | undefined {
    const ticket = this.#tickets.get(ticketId);
    return ticket && this.#search(nowMs, ticket);
  }

  /** Releases the best game, again and again, until none can be formed. Each game leaves the pool before it is yielded. */
  *drain(nowMs: number): Generator<Game, void> {
    for (let game = this.best(nowMs); game; game = this.best(nowMs)) {
      for (const ticketId of game.ticketIds) this.remove(ticketId);
      yield game;
    }
  }

  /** Why a waiting ticket is in no game, in a short sentence. */
  explain(ticketId: string, nowMs: number): string {
    if (!this.#tickets.has(ticketId)) return 'the ticket is not waiting';
    if (this.bestWith(ticketId, nowMs))
      return 'a game with it is possible; better games or the release policy go first';
    return 'no game with it can be formed of those who wait';
  }

  #search(nowMs: number, forced: PooledTicket | undefined): Game | undefined {
    const { rules } = this;
    const sorted = [...this.#tickets.values()].sort(bySkill);
    const oldest = sorted.reduce(
      (ms, { ticket }) => Math.min(ms, ticket.enqueuedAtMs),
      Number.POSITIVE_INFINITY,
    );
    const waitTerm = priority(0, oldest, nowMs, rules.beta);
    const scale = rules.teamSize ** (-1 / rules.q) / 2;
    let best: { members: PooledTicket[]; firstTeam: number; priority: number } | undefined;
    let nodes = 0;
    const chosen: PooledTicket[] = [];
    const visit = (from: number, free: number) => {
      if (free === 0) {
        const limit = best
          ? (best.priority -
              priority(0, Math.min(...chosen.map((c) => c.ticket.enqueuedAtMs)), nowMs, rules.beta)) /
            rules.alpha
          : Number.POSITIVE_INFINITY;
        const split = bestSplit(chosen, rules, this.#roles, limit);
        if (!split) return;
        const f = imbalance(
          skillsOf(chosen, split.firstTeam),
          skillsOf(chosen, ~split.firstTeam),
          rules,
        ).imbalance;
        const g = priority(f, Math.min(...chosen.map((c) => c.ticket.enqueuedAtMs)), nowMs, rules.beta);
        if (!best || g < best.priority)
          best = { members: [...chosen], firstTeam: split.firstTeam, priority: g };
        return;
      }
      for (let j = from; j < sorted.length; j++) {
        const next = sorted[j];
        if (nodes > this.#nodeBudget) return;
        nodes++;
        // Lemma 6: v_q ≥ scale · range.
        if (best && chosen.length > 0 && scale * (next.mean - chosen[0].mean) + waitTerm >= best.priority)
          return;
        if (forced && !chosen.includes(forced) && bySkill(forced, next) < 0) return;
        if (next.size > free) continue;
        if (this.#forbids && chosen.some((other) => this.#forbids?.(other.ticket, next.ticket))) continue;
        chosen.push(next);
        visit(j + 1, free - next.size);
        chosen.pop();
      }
    };
    visit(0, 2 * rules.teamSize);
    if (!best) return undefined;
    const bound = nodes > this.#nodeBudget || forced ? waitTerm : best.priority;
    return makeGame(best.members, best.firstTeam, rules, this.#roles, nowMs, bound);
  }
}
