import { priority } from '../model/imbalance.ts';
import type { PoolIndex } from '../model/pool-index.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import { exactSeatsMax, type Layout, layoutOf } from '../shapes/layout.ts';
import { makeShapedGame, membersOf, type ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeAnswer, ShapeQueue } from '../shapes/shape-queue.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Constraints, Game, GameRules, Ruling } from '../types.ts';
import { GameQueue } from './game-queue.ts';
import { LargeQueue } from './large-queue.ts';
import type { GameQueueOptions } from './queue-state.ts';
import { RuledLargeQueue } from './ruled-large-queue.ts';

/**
 * The index of all pools but those of solo players alone. Under constraints `nowMs` of all queries is their moment. Games of
 * full teams and games that may start short are searched in a queue each, because only tickets that have waited long enough
 * may be in the latter.
 */
export class ShapeIndex implements PoolIndex {
  readonly #rules: GameRules;
  readonly #options: GameQueueOptions;
  readonly #full: Search;
  /** The tickets that may play in short teams at `#shortAtMs`; undefined when teams never start short. */
  #short: Search | undefined;
  #shortAtMs = Number.NEGATIVE_INFINITY;
  readonly #tickets = new Set<ShapeTicket>();

  constructor(rules: GameRules, waiting: Iterable<PooledTicket>, options: GameQueueOptions) {
    this.#rules = rules;
    this.#options = options;
    this.#full = this.#searchOf(layoutOf(rules));
    for (const pooled of waiting) this.insert(pooled);
  }

  insert(pooled: PooledTicket): boolean {
    const ticket = pooled as ShapeTicket;
    // No team takes it: it is in no game, and would only weaken bounds.
    if (ticket.kinds.includes(0)) return true;
    this.#tickets.add(ticket);
    this.#full.queue.insert(ticket);
    if (this.#mayPlayShort(ticket, this.#shortAtMs)) this.#short?.queue.insert(ticket);
    return true;
  }

  remove(pooled: PooledTicket): void {
    const ticket = pooled as ShapeTicket;
    this.#tickets.delete(ticket);
    this.#full.queue.remove(ticket);
    this.#short?.queue.remove(ticket);
  }

  best(nowMs: number): Game | undefined {
    return this.#better(nowMs, (queue) => queue.best());
  }

  bestWith(pooled: PooledTicket, nowMs: number): Game | undefined {
    return this.#better(nowMs, (queue) => queue.bestWith(pooled as ShapeTicket));
  }

  /** The better of the answers for full and for short games, with a bound on both. */
  #better(nowMs: number, ask: (queue: ShapeQueue) => ShapeAnswer): Game | undefined {
    const searches = this.#rules.short ? [this.#full, this.#shortOf(nowMs)] : [this.#full];
    let best: { game: ShapedGame; layout: Layout; priority: number } | undefined;
    let bound = Number.POSITIVE_INFINITY;
    let isProved = true;
    for (const { queue, layout } of searches) {
      const { game, cost, costBound } = ask(queue);
      const shift = priority(0, queue.epochMs, nowMs, this.#rules.beta);
      if (costBound < cost) isProved = false;
      bound = Math.min(bound, costBound + shift);
      if (game && !(best && best.priority <= cost + shift)) best = { game, layout, priority: cost + shift };
    }
    if (!best) return undefined;
    const proved = isProved || bound >= best.priority ? Number.POSITIVE_INFINITY : bound;
    const { constraints } = this.#options;
    const ruling = constraints && this.#rulingOn(best.game, constraints);
    return makeShapedGame(best.game, this.#rules, best.layout, nowMs, proved, ruling);
  }

  #rulingOn({ members, teams }: ShapedGame, constraints: Constraints): Ruling {
    const numbers = members.map(({ ticket }) => constraints.enter(ticket));
    const ruling = constraints.judge(membersOf(members, numbers, teams, this.#full.layout.teams), true);
    if (!ruling) {
      const ids = members.map(({ ticket }) => ticket.ticketId);
      throw new Error(`Expected a game that the constraints permit, got ${ids}`);
    }
    return ruling;
  }

  /** The queue of the tickets that may play in short teams at this time. */
  #shortOf(nowMs: number): Search {
    if (this.#short && this.#shortAtMs === nowMs) return this.#short;
    this.#short = this.#searchOf(layoutOf(this.#rules, true));
    this.#shortAtMs = nowMs;
    for (const ticket of this.#tickets)
      if (this.#mayPlayShort(ticket, nowMs)) this.#short.queue.insert(ticket);
    return this.#short;
  }

  #mayPlayShort({ ticket }: ShapeTicket, nowMs: number): boolean {
    const { short } = this.#rules;
    return short !== undefined && nowMs - ticket.enqueuedAtMs >= 1000 * short.afterSeconds;
  }

  #searchOf(layout: Layout): Search {
    return { layout, queue: this.#queueOf(layout) };
  }

  #queueOf(layout: Layout): ShapeQueue {
    const rules = this.#rules;
    if (layout.seats <= exactSeatsMax) return new GameQueue(rules, layout, this.#options);
    const { forbids, constraints, clock } = this.#options;
    return constraints
      ? new RuledLargeQueue(rules, layout, forbids, constraints, clock)
      : new LargeQueue(rules, layout, forbids, undefined, clock);
  }
}

/** A queue and the layout of its games. */
interface Search {
  readonly layout: Layout;
  readonly queue: ShapeQueue;
}
