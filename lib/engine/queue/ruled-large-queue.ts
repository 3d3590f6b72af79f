import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import { Permit } from '../shapes/permit.ts';
import type { ShapeAnswer, ShapeQueue } from '../shapes/shape-queue.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Constraints, Facet, Forbids, GameRules } from '../types.ts';
import { LargeQueue } from './large-queue.ts';

/**
 * The game queue under constraints for shapes of more than 16 seats: a `LargeQueue` for each facet, made when the facet comes
 * first. Removals only raise costs, so a facet is searched again only when a ticket of its game has left and it comes first. The
 * bound is the least of all facets; that of a facet without a queue is what no game can cost less than.
 */
export class RuledLargeQueue implements ShapeQueue {
  epochMs = 0;

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #forbids: Forbids | undefined;
  readonly #constraints: Constraints;
  readonly #clock: SearchClock;
  readonly #waiting = new Set<ShapeTicket>();
  #facets: FacetSearch[] | undefined;
  #facetsOf = new Map<ShapeTicket, FacetSearch[]>();

  constructor(
    rules: GameRules,
    layout: Layout,
    forbids: Forbids | undefined,
    constraints: Constraints,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#layout = layout;
    this.#forbids = forbids;
    this.#constraints = constraints;
    this.#clock = clock;
  }

  insert(ticket: ShapeTicket): void {
    this.#waiting.add(ticket);
    this.#facets = undefined;
  }

  remove(ticket: ShapeTicket): boolean {
    if (!this.#waiting.delete(ticket)) return false;
    if (!this.#facets) return true;
    for (const facet of this.#facetsOf.get(ticket) ?? []) {
      facet.queue?.remove(ticket);
      if (facet.answer?.game?.members.includes(ticket)) facet.isCurrent = false;
    }
    return true;
  }

  best(): ShapeAnswer {
    const facets = this.#built();
    let best: FacetSearch | undefined;
    for (let searched = 0; ; ) {
      const first = facets.reduce((a, b) => (keyOf(b) < keyOf(a) ? b : a), facets[0]);
      if (!first || keyOf(first) === Number.POSITIVE_INFINITY) break;
      if (best?.isCurrent && keyOf(best) <= keyOf(first)) break;
      if (first.isCurrent) {
        best = first;
        break;
      }
      if (this.#clock.isOver() || (best && searched >= searchedMax)) break;
      if (!first.queue) {
        this.#makeQueue(first);
        continue;
      }
      searched++;
      first.answer = this.#shifted(first.queue.best(), first.queue);
      first.bound = Math.max(first.bound, first.answer.costBound);
      first.isCurrent = true;
      if (first.answer.game && !(best && keyOf(best) <= keyOf(first))) best = first;
    }
    const bound = this.#bound(facets);
    if (!best?.answer?.game) return { game: undefined, cost: Number.POSITIVE_INFINITY, costBound: bound };
    const { game, cost } = best.answer;
    return { game, cost, costBound: Math.min(cost, bound) };
  }

  bestWith(ticket: ShapeTicket): ShapeAnswer {
    const facets = this.#built();
    let best: ShapeAnswer = {
      game: undefined,
      cost: Number.POSITIVE_INFINITY,
      costBound: Number.POSITIVE_INFINITY,
    };
    for (const queue of this.#queuesWith(ticket)) {
      const answer = this.#shifted(queue.bestWith(ticket), queue);
      if (answer.cost < best.cost) best = answer;
    }
    return { ...best, costBound: Math.min(best.cost, this.#bound(facets)) };
  }

  /** The queues of the facets with a ticket, as many as there is time to make. */
  #queuesWith(ticket: ShapeTicket): LargeQueue[] {
    const facets = this.#facetsOf.get(ticket) ?? [];
    return facets.flatMap((facet) => {
      if (!facet.queue && !this.#clock.isOver()) this.#makeQueue(facet);
      return facet.queue ?? [];
    });
  }

  #bound(facets: readonly FacetSearch[]): number {
    return facets.reduce((least, { bound }) => Math.min(least, bound), Number.POSITIVE_INFINITY);
  }

  /** Costs of a facet's queue count time from its own epoch. */
  #shifted(answer: ShapeAnswer, queue: LargeQueue): ShapeAnswer {
    const shift = (this.#rules.beta * (this.epochMs - queue.epochMs)) / 1000;
    return { game: answer.game, cost: answer.cost - shift, costBound: answer.costBound - shift };
  }

  #built(): FacetSearch[] {
    if (this.#facets) return this.#facets;
    const constraints = this.#constraints;
    const byNumber = new Map<number, ShapeTicket>();
    this.epochMs = 0;
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const ticket of this.#waiting) {
      const { enqueuedAtMs } = ticket.ticket;
      byNumber.set(constraints.enter(ticket.ticket), ticket);
      this.epochMs = Math.max(this.epochMs, enqueuedAtMs);
      oldestMs = Math.min(oldestMs, enqueuedAtMs);
    }
    // No imbalance is below 0, and no ticket has waited longer.
    const bound = -(this.#rules.beta * (this.epochMs - oldestMs)) / 1000;
    this.#facetsOf = new Map(Array.from(this.#waiting, (ticket) => [ticket, []]));
    const facets: (Facet | undefined)[] = [
      ...(constraints.facets([...byNumber.keys()].sort((a, b) => a - b)) ?? [undefined]),
    ];
    this.#facets = facets.flatMap((facet) => {
      const tickets = facet ? facet.tickets.map((number) => byNumber.get(number)!) : [...this.#waiting];
      const players = tickets.reduce((sum, { size }) => sum + size, 0);
      if (players < this.#layout.seatsMin) return [];
      const search: FacetSearch = {
        facet,
        tickets,
        queue: undefined,
        answer: undefined,
        isCurrent: false,
        bound,
      };
      for (const ticket of tickets) this.#facetsOf.get(ticket)!.push(search);
      return [search];
    });
    return this.#facets;
  }

  #makeQueue(search: FacetSearch): void {
    const permit = new Permit(this.#constraints, search.facet, this.#layout.teams);
    const queue = new LargeQueue(this.#rules, this.#layout, this.#forbids, permit, this.#clock);
    for (const ticket of search.tickets) if (this.#waiting.has(ticket)) queue.insert(ticket);
    search.queue = queue;
    search.bound = this.#shifted({ ...queue.outlook(), game: undefined }, queue).costBound;
  }
}

/** A facet with its last answer, and whether all tickets of that game are still waiting. */
interface FacetSearch {
  readonly facet: Facet | undefined;
  /** The tickets that were waiting in the facet when it was found. */
  readonly tickets: readonly ShapeTicket[];
  /** Undefined until the facet has come first. */
  queue: LargeQueue | undefined;
  answer: ShapeAnswer | undefined;
  isCurrent: boolean;
  /** No game of the facet costs less. */
  bound: number;
}

/** About the cost of the best game of a facet: never above it by more than the search may miss. */
function keyOf({ answer, bound }: FacetSearch): number {
  return answer ? answer.cost : bound;
}

/** The most facets that one query searches again once it has a game. */
const searchedMax = 12;
