import { skillSpread } from '../model/imbalance.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import { ShapeDivider } from '../shapes/shape-divider.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { GameRules } from '../types.ts';
import type { Cell } from './centre-bound.ts';
import type { CheapestPlayers } from './cheapest-players.ts';
import type { Exchanges } from './exchanges.ts';
import type { FoundGame, GameSearch } from './game-search.ts';
import type { QueuedTicket } from './line.ts';

/** Finds good games of the tickets that are cheapest around a centre, and improves them by exchanges. It proves nothing. */
export class CentreGames {
  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #cheapest: CheapestPlayers;
  readonly #search: GameSearch;
  readonly #exchanges: Exchanges;
  readonly #divider: ShapeDivider;
  readonly #clock: SearchClock;
  // The search that runs.
  #limit = 0;
  #best: FoundGame | undefined;
  #half = 0;
  #stepsLeft = 0;
  #centre = 0;
  readonly #chosen: QueuedTicket[] = [];
  readonly #tickets: ShapeTicket[] = [];
  readonly #skills: Float64Array;
  /** The size of a party that is a team of its own, where the distance of that team from the mean is its part of teamGap; or 0. */
  readonly #teamSize: number;

  constructor(
    rules: GameRules,
    layout: Layout,
    cheapest: CheapestPlayers,
    search: GameSearch,
    exchanges: Exchanges,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#layout = layout;
    this.#cheapest = cheapest;
    this.#search = search;
    this.#exchanges = exchanges;
    this.#divider = new ShapeDivider(rules, layout, clock);
    this.#clock = clock;
    this.#skills = new Float64Array(layout.seats);
    const { kinds, teams } = layout;
    this.#teamSize = kinds.length === 1 && teams > 1 && rules.p === 1 ? kinds[0].size : 0;
  }

  /**
   * A game in a cell. With a known game it has to be better before it is improved by exchanges.
   *
   * @param wanted by default any game
   */
  near(
    { centre, half }: Pick<Cell, 'centre' | 'half'>,
    known: FoundGame | undefined,
    { mixes, anchor, enough = Number.POSITIVE_INFINITY }: WantedNear = {},
  ): FoundGame | undefined {
    const cheapest = this.#cheapest;
    cheapest.around(centre, anchor?.ticket, true);
    const near = this.#ticketsAround(centre);
    if (near.length === 0) return undefined;
    this.#half = half;
    this.#centre = centre;
    this.#limit = known?.imbalance ?? Number.POSITIVE_INFINITY;
    this.#best = undefined;
    const { classes, seats } = this.#layout;
    const basis = anchor ? [anchor, ...cheapest.basis] : cheapest.basis;
    if (!classes) this.#chooseByMixes(mixes ?? cheapest.mixes);
    else if (basis.length === seats && basis.every(({ ticket }) => ticket.size === 1)) {
      // The game of the basis may be worse than the known one and become better by exchanges.
      this.#limit = Number.POSITIVE_INFINITY;
      if (anchor === undefined || !cheapest.basis.includes(anchor)) this.#offer(basis);
    }
    const game = this.#best ?? (known || mixes ? undefined : this.#firstOf(near, centre, anchor));
    const better = game && this.#exchanges.improve(game, near, anchor);
    if (!better || cheapest.byMask.length < 2 || better.imbalance <= enough) return better;
    return this.#withOtherScarce(better, near, anchor, enough);
  }

  /**
   * The best game after one exchange of a player who is not of the most frequent kind, from which the exchanges begin
   * again: of the others there are always some who balance the teams.
   */
  #withOtherScarce(
    game: FoundGame,
    near: readonly QueuedTicket[],
    anchor: QueuedTicket | undefined,
    enough: number,
  ): FoundGame {
    const { byMask } = this.#cheapest;
    const densest = byMask.reduce((a, b) => (b.tickets.length > a.tickets.length ? b : a));
    const starts: { at: number; to: QueuedTicket; cost: number }[] = [];
    for (const list of byMask) {
      if (list === densest) continue;
      game.queued.forEach((from, at) => {
        if (from === anchor || from.ticket.size > 1) return;
        if (from.ticket.classes![0] !== list.tickets[0].ticket.classes![0]) return;
        const own = (from.ticket.mean - this.#centre) ** 2;
        for (let i = 0; i < list.count; i++) {
          const to = list.tickets[list.ids[i]];
          if (to.ticket.size === 1 && !game.queued.includes(to))
            starts.push({ at, to, cost: list.costs[i] - own });
        }
      });
    }
    starts.sort((a, b) => a.cost - b.cost);
    let best = game;
    for (const { at, to } of starts.slice(0, startsMax)) {
      if (best.imbalance <= enough) break;
      const queued = game.queued.with(at, to);
      const spread = skillSpread(
        queued.map(({ ticket }) => ticket.mean),
        this.#rules.q,
      );
      if (spread >= best.imbalance) continue;
      this.#limit = Number.POSITIVE_INFINITY;
      this.#best = undefined;
      this.#offer(queued);
      const divided = this.#best as FoundGame | undefined;
      const next = divided && this.#exchanges.improve(divided, near, anchor);
      if (next && next.imbalance < best.imbalance) best = next;
    }
    return best;
  }

  /** The cheapest of all sizes and seats, ascending by mean skill. */
  #ticketsAround(centre: number): QueuedTicket[] {
    const { bySize, byMask } = this.#cheapest;
    const near = new Set<QueuedTicket>();
    for (const list of [...bySize, ...byMask]) for (const queued of list.cheapest()) near.add(queued);
    for (const list of byMask) for (const queued of list.around(centre)) near.add(queued);
    return [...near].sort((a, b) => a.ticket.mean - b.ticket.mean);
  }

  /** Any game with the ticket of least cost. */
  #firstOf(
    near: readonly QueuedTicket[],
    centre: number,
    wanted: QueuedTicket | undefined,
  ): FoundGame | undefined {
    const costOf = ({ ticket }: QueuedTicket) => (ticket.mean - centre) ** 2 + ticket.spread / ticket.size;
    const anchor = wanted ?? near.reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
    const others = near.filter((queued) => queued !== anchor);
    return this.#search.first({ anchor, others }, this.#layout.seats, firstNodes);
  }

  /** The sets of least cost of each party mix, the cheapest mix first. */
  #chooseByMixes(mixes: readonly Uint8Array[]): void {
    const cheapest = this.#cheapest;
    this.#stepsLeft = stepsMax;
    const priced = mixes.map((mix) => ({ mix, cost: cheapest.costOf(mix) }));
    priced.sort((a, b) => a.cost - b.cost);
    for (const { mix, cost } of priced) {
      if (cost === Number.POSITIVE_INFINITY || this.#isHopeless(cost)) return;
      const open = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };
      this.#choose(mix, cheapest.bySize.length - 1, 0, 0, cost, open);
    }
    this.#chosen.length = 0;
  }

  /**
   * Chooses the parties of this size from place `from` of the cheapest on, then those of smaller sizes.
   *
   * @param sums the least and the greatest sum of a chosen party that is a team of its own
   */
  #choose(mix: Uint8Array, size: number, chosen: number, from: number, cost: number, sums: Sums): void {
    if (size === 0) {
      this.#offer(this.#chosen);
      return;
    }
    const needed = (mix[size] ?? 0) - chosen;
    if (needed <= 0) {
      this.#choose(mix, size - 1, 0, 0, cost, sums);
      return;
    }
    const near = this.#cheapest.bySize[size];
    for (let i = from; i + needed <= near.count; i++) {
      // Leaving out a ticket moves the cheapest rest up by one.
      const next = cost + near.sums[i + needed] - near.sums[i] - (near.sums[from + needed] - near.sums[from]);
      if (this.#isHopeless(next)) return;
      const queued = near.tickets[near.ids[i]];
      const nextSums = size === this.#teamSize ? withSum(sums, size * queued.ticket.mean) : sums;
      if (this.#isHopeless(next, this.#gapOf(nextSums))) continue;
      this.#stepsLeft--;
      this.#chosen.push(queued);
      this.#choose(mix, size, chosen + 1, i + 1, next, nextSums);
      this.#chosen.pop();
    }
  }

  /** The least teamGap of games with teams of these sums, whose mean is in the cell. */
  #gapOf({ low, high }: Sums): number {
    if (high < low) return 0;
    const size = this.#teamSize;
    const away = Math.max(high - size * this.#centre, size * this.#centre - low) - size * this.#half;
    return Math.max(high - low, away / (1 - size / this.#layout.seats));
  }

  #isHopeless(cost: number, gap = 0): boolean {
    const square = cost / this.#layout.seats - this.#half * this.#half;
    const least = Math.sqrt(Math.max(0, square)) + this.#rules.alpha * gap;
    return this.#stepsLeft <= 0 || least >= this.#limit;
  }

  /** Keeps the fairest division of these if it is better. */
  #offer(queued: readonly QueuedTicket[]): void {
    const { alpha, q } = this.#rules;
    const tickets = this.#tickets;
    tickets.length = 0;
    let players = 0;
    for (const { ticket } of queued) {
      tickets.push(ticket);
      for (let i = 0; i < ticket.size; i++) this.#skills[players++] = ticket.skills[i];
    }
    const spread = skillSpread(this.#skills, q);
    if (this.#clock.isOver()) this.#stepsLeft = 0;
    if (spread >= this.#limit) return;
    const divider = this.#divider;
    const from = divider.steps;
    const gap = divider.divide(tickets, (this.#limit - spread) / alpha);
    this.#stepsLeft -= 4 + ((divider.steps - from) >> 2);
    if (gap === Number.POSITIVE_INFINITY) return;
    this.#limit = spread + alpha * gap;
    this.#best = { queued: [...queued], teams: divider.teams.slice(), imbalance: this.#limit };
  }
}

/** Which game near a centre is wanted. */
export interface WantedNear {
  /** The party mixes that it may have. @default all */
  readonly mixes?: readonly Uint8Array[];
  /** A solo player who is to be in it, where players cannot take every seat. @default any */
  readonly anchor?: QueuedTicket;
  /** A game as good as this need not be improved further. @default any */
  readonly enough?: number;
}

/** The sums of skills of some teams, from the least to the greatest; low > high where there are none. */
interface Sums {
  readonly low: number;
  readonly high: number;
}

function withSum({ low, high }: Sums, sum: number): Sums {
  return { low: Math.min(low, sum), high: Math.max(high, sum) };
}

const startsMax = 6;
const firstNodes = 1500;
const stepsMax = 8000;
