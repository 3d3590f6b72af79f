import type { BalancedGame } from '../model/balanced-game.ts';
import { type GameShape, shapeOf } from '../model/game-shape.ts';
import { packingNumber } from '../model/packing-number.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import { Balancer } from './balancer.ts';
import type { Layout } from './layout.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeAnswer, ShapeQueue } from './shape-queue.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { SizeLine } from './size-line.ts';
import { SquadCells } from './squad-cells.ts';
import { SquadDraft } from './squad-draft.ts';
import { TicketLine } from './ticket-line.ts';

/** Whether `SquadQueue` handles games of this layout: squads of three, all of one kind, without roles and always full. */
export function areSquads({ kinds, seats, seatsMin }: Layout): boolean {
  return kinds.length === 1 && kinds[0].size === 3 && kinds[0].roles === undefined && seatsMin === seats;
}

/**
 * The queue that packs squads of three as it goes: each game also has a price for every game fewer that the sizes of the
 * remaining parties can form. A pair needs a solo player, so only squads of three solo players can cost other games. Hence
 * the games with which no other is lost are those with at most a certain number of such squads.
 *
 * The bound is one on cost and price. The games of one ticket know no prices, nor do those of solo players only, or where a
 * party may be split: they come from the queue for all shapes.
 */
export class SquadQueue implements ShapeQueue {
  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #shape: GameShape;
  readonly #lostGameCost: number;
  readonly #plain: ShapeQueue;
  readonly #clock: SearchClock;
  readonly #waiting = new Set<ShapeTicket>();
  /** How many parties of each size wait, and how many that may be split. */
  readonly #counts = new Uint32Array(4);
  #splits = 0;
  /** Built at the first query and after inserts. */
  #search: Search | undefined;

  /** @param lostGameCost above 0; ∞: a game with which another is lost is not admitted */
  constructor(rules: GameRules, layout: Layout, lostGameCost: number, plain: ShapeQueue, clock: SearchClock) {
    this.#rules = rules;
    this.#layout = layout;
    this.#shape = shapeOf(rules);
    this.#lostGameCost = lostGameCost;
    this.#plain = plain;
    this.#clock = clock;
  }

  get epochMs(): number {
    return this.#plain.epochMs;
  }

  insert(ticket: ShapeTicket): void {
    this.#waiting.add(ticket);
    this.#count(ticket, 1);
    this.#search = undefined;
    this.#plain.insert(ticket);
  }

  remove(ticket: ShapeTicket): boolean {
    if (!this.#waiting.delete(ticket)) return false;
    this.#count(ticket, -1);
    this.#plain.remove(ticket);
    if (this.#search) {
      const { line, admitted, all } = this.#search;
      line.remove(ticket);
      admitted.removed(ticket.mean);
      all?.removed(ticket.mean);
    }
    return true;
  }

  best(): ShapeAnswer {
    if (this.#counts[2] + this.#counts[3] === 0 || this.#splits > 0) return this.#plain.best();
    const soloSquadsMax = this.#soloSquadsMax();
    if (soloSquadsMax === -1) return none;
    const search = this.#settle(soloSquadsMax);
    let { game, bound } = this.#bestOf(search.admitted, search.draft);
    let price = 0;
    const least = game?.imbalance ?? Number.POSITIVE_INFINITY;
    if (least > this.#lostGameCost && this.#clock.isOver()) bound = Math.min(bound, this.#lostGameCost);
    else if (least > this.#lostGameCost) {
      search.all ??= this.#cells(search, this.#layout.teams);
      const any = this.#bestOf(search.all, search.draft);
      bound = Math.min(bound, any.bound + this.#lostGameCost);
      const anyPrice = any.game ? this.#priceOf(any.game) : 0;
      if (any.game && any.game.imbalance + anyPrice < least) {
        game = any.game;
        price = anyPrice;
      }
    }
    if (this.#rules.beta === 0)
      return answer(game, game?.imbalance ?? Number.POSITIVE_INFINITY, bound - price);
    return this.#withWaits(game, price, bound);
  }

  bestWith(ticket: ShapeTicket): ShapeAnswer {
    return this.#plain.bestWith(ticket);
  }

  mostBalancedWith(ticket: ShapeTicket): BalancedGame {
    return this.#plain.mostBalancedWith(ticket);
  }

  #count({ size, isSplit }: ShapeTicket, times: 1 | -1): void {
    if (isSplit) this.#splits += times;
    else this.#counts[size] += times;
  }

  /** The most squads of three solo players in a game with which no other is lost; −1 when no game can be formed. */
  #soloSquadsMax(): number {
    const { teams } = this.#layout;
    const [, solos, pairs, trios] = this.#counts;
    if (this.#gamesLeft([0, 0, 0, 0]) === 0) return -1;
    for (let squads = Math.min(teams, Math.floor(solos / 3)); squads >= 0; squads--) {
      const ofTrios = Math.min(teams - squads, trios);
      const ofPairs = teams - squads - ofTrios;
      if (ofPairs > pairs || ofPairs + 3 * squads > solos) continue;
      if (this.#lostWith([0, ofPairs + 3 * squads, ofPairs, ofTrios]) <= 0) return squads;
    }
    return -1;
  }

  /** How many games fewer can be formed after one of these parties, besides itself. */
  #lostWith(taken: readonly number[]): number {
    return this.#gamesLeft([0, 0, 0, 0]) - 1 - this.#gamesLeft(taken);
  }

  #gamesLeft(taken: readonly number[]): number {
    return packingNumber(
      this.#counts.map((count, size) => count - taken[size]),
      this.#shape,
    );
  }

  #priceOf({ members }: ShapedGame): number {
    const taken = [0, 0, 0, 0];
    for (const { size } of members) taken[size]++;
    const lost = this.#lostWith(taken);
    return lost > 0 ? lost * this.#lostGameCost : 0;
  }

  #settle(soloSquadsMax: number): Search {
    // Where more games became possible, the bounds of fewer do not hold.
    if (this.#search && this.#search.admitted.soloSquadsMax < soloSquadsMax) this.#search = undefined;
    if (this.#search) {
      this.#search.admitted.soloSquadsMax = soloSquadsMax;
      return this.#search;
    }
    const line = new TicketLine(this.#waiting);
    const sizes = [1, 2, 3].map((size) => new SizeLine(line, size));
    const draft = new SquadDraft(
      this.#rules,
      this.#layout,
      new Balancer(this.#rules, undefined, undefined, this.#clock),
      sizes[0],
    );
    const search = { line, sizes, draft, all: undefined };
    this.#search = { ...search, admitted: this.#cells(search, soloSquadsMax) };
    return this.#search;
  }

  #cells({ line, sizes }: Pick<Search, 'line' | 'sizes'>, soloSquadsMax: number): SquadCells {
    return new SquadCells(line, sizes, this.#counts, this.#rules, this.#layout, soloSquadsMax, this.#clock);
  }

  #bestOf(cells: SquadCells, draft: SquadDraft): { game: ShapedGame | undefined; bound: number } {
    return cells.best((centre, slack, limit) => {
      const mix = cells.mixAt(centre, slack);
      return mix && draft.make(centre, mix, cells.nearest, this.#counts[1], limit);
    });
  }

  /** With β: this game, or one of the longest-waiting ticket if that costs less. */
  #withWaits(game: ShapedGame | undefined, price: number, bound: number): ShapeAnswer {
    const costOf = ({ members, imbalance }: ShapedGame) =>
      imbalance - members.reduce((most, member) => Math.max(most, this.#creditOf(member)), 0);
    let oldest: ShapeTicket | undefined;
    for (const ticket of this.#search!.line.waiting())
      if (!oldest || ticket.ticket.enqueuedAtMs < oldest.ticket.enqueuedAtMs) oldest = ticket;
    const { game: other } = this.#plain.bestWith(oldest!);
    let least = game;
    let leastPrice = price;
    if (other) {
      const otherPrice = this.#priceOf(other);
      if (!game || costOf(other) + otherPrice < costOf(game) + price) {
        least = other;
        leastPrice = otherPrice;
      }
    }
    return answer(
      least,
      least ? costOf(least) : Number.POSITIVE_INFINITY,
      bound - this.#creditOf(oldest!) - leastPrice,
    );
  }

  #creditOf({ ticket }: ShapeTicket): number {
    return (this.#rules.beta * (this.epochMs - ticket.enqueuedAtMs)) / 1000;
  }
}

/** What a queue builds for the waiting tickets. */
interface Search {
  readonly line: TicketLine;
  /** Solo players, pairs and parties of three. */
  readonly sizes: readonly SizeLine[];
  readonly draft: SquadDraft;
  /** The games with which no other is lost, and all. */
  readonly admitted: SquadCells;
  all: SquadCells | undefined;
}

const none: ShapeAnswer = {
  game: undefined,
  cost: Number.POSITIVE_INFINITY,
  costBound: Number.POSITIVE_INFINITY,
};

function answer(game: ShapedGame | undefined, cost: number, bound: number): ShapeAnswer {
  return { game, cost, costBound: Math.min(cost, bound) };
}
