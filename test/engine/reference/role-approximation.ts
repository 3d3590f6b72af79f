import { lemma6 } from '../../../lib/engine/bounds/range-bounds.ts';
import { seatsOfSets, WindowCounter } from '../../../lib/engine/bounds/windows.ts';
import { KeyHeap } from '../../../lib/engine/collections/key-heap.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { imbalance } from '../../../lib/engine/model/imbalance.ts';
import { type Layout, layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { SeatCounts } from '../../../lib/engine/shapes/seat-counts.ts';
import { ShapeGames } from '../../../lib/engine/shapes/shape-games.ts';
import { poolShapeTicket, type ShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import type { GameRules } from '../../../lib/engine/types.ts';

/** A game of the approximation, by the ids of its players. */
export interface ApproximateGame {
  readonly teams: readonly [number[], number[]];
  readonly imbalance: number;
  /** No game has a lower imbalance: Lemma 6 on the shortest interval. `imbalance ≤ ρ · lowerBound`. */
  readonly lowerBound: number;
}

/**
 * Theorem 3 (Alman & McKay): a ρ-approximation of the best game of solo players with roles, ρ = 2k^(1/q)(1 + α),
 * maintained during inserts and removals. The engine's own searches are exact or have much better bounds; this is for
 * comparison.
 *
 * It maintains the shortest interval of skills with distinct representatives for all 2k seats, by **the candidate
 * property** (section 6.1) in a form without permutations: each player points to the first player at which the interval
 * that starts with it has representatives, or to none (void) when a later start ends at the same player. The pointers
 * ascend, so an insert or removal changes only the pointers of intervals that contain the position. The paper's structure
 * has (2k)! lists; this one has a range of neighbours.
 */
export class RoleApproximation {
  /** ρ: the maximum factor by which the game of `best` is worse than the best game. */
  readonly ratio: number;

  readonly #rules: GameRules;
  readonly #counter: WindowCounter;
  readonly #seating: SeatCounts;
  readonly #layout: Layout;
  readonly #games: ShapeGames;
  readonly #perRange: number;
  /** The ids in order of skill, and by id the player and the last of its interval (−1 for none). */
  readonly #order: number[] = [];
  readonly #players: ShapeTicket[] = [];
  readonly #ends: number[] = [];
  /** By id the range of its interval, ∞ when it has none or is void. The heap orders by it. */
  #ranges = new Float64Array(64);
  readonly #heap = new KeyHeap();
  readonly #freeIds: number[] = [];

  /** @throws Error when the rules have no roles */
  constructor(rules: GameRules) {
    const layout = layoutOf(rules);
    if (!layout.classes) throw new Error('Expected rules with roles; without them use SoloQueue');
    this.#rules = rules;
    const seats = layout.classes.map((one) => one.seats);
    this.#counter = new WindowCounter(layout.seats, seatsOfSets(seats));
    this.#seating = new SeatCounts(seats);
    this.#layout = layout;
    this.#games = new ShapeGames(rules, layout);
    this.#perRange = lemma6(rules.teamSize, rules.q);
    this.ratio = (1 + rules.alpha) / this.#perRange;
  }

  get size(): number {
    return this.#order.length;
  }

  /** Adds a player who accepts the roles of `mask` (in alphabetical order of name) and returns its id. */
  insert(skill: number, mask: number): number {
    const id = this.#freeIds.pop() ?? this.#players.length;
    const ticketId = String(id);
    const roles = this.#layout.classes!.flatMap(({ role }, at) => ((mask >> at) & 1 ? role! : []));
    const ticket = { ticketId, enqueuedAtMs: 0, players: [{ playerId: ticketId, skill, roles }] };
    this.#players[id] = poolShapeTicket(ticket, this.#layout);
    this.#ends[id] = -1;
    if (id >= this.#ranges.length) {
      const ranges = new Float64Array(2 * id);
      ranges.set(this.#ranges);
      this.#ranges = ranges;
    }
    const place = this.#placeOf(id);
    const from = this.#firstThatReaches(place);
    this.#order.splice(place, 0, id);
    this.#pointAnew(from, place);
    return id;
  }

  /** Removes a player. */
  remove(id: number): void {
    const place = this.#placeOf(id);
    const from = this.#firstThatReaches(place);
    this.#order.splice(place, 1);
    this.#ranges[id] = Number.NaN;
    this.#freeIds.push(id);
    this.#pointAnew(from, place - 1);
  }

  /** The game of the shortest interval; undefined if no game is possible. */
  best(): ApproximateGame | undefined {
    const heap = this.#heap;
    while (heap.size > 0 && this.#ranges[heap.topId] !== heap.topKey) heap.pop();
    if (heap.size === 0) return undefined;
    const start = heap.topId;
    const members = this.#representatives(start);
    // All divisions; Lemma 5 makes one of them by pairs, and so d_p is at most the range.
    this.#games.divide(members);
    const of = this.#games.teams;
    const teams = [0, 1].map((team) => members.filter((_, i) => of[i] === team));
    const [first, second] = teams.map((team) => team.map(({ ticket }) => Number(ticket.ticketId)));
    return {
      teams: [first, second],
      imbalance: imbalance(
        teams.map((team) => team.map(({ mean }) => mean)),
        this.#rules,
      ).imbalance,
      lowerBound: this.#perRange * this.#ranges[start],
    };
  }

  /** The first 2k players from `start` on that can be seated together: the greedy algorithm of the matroid, which ends at the pointer. */
  #representatives(start: number): ShapeTicket[] {
    const members: ShapeTicket[] = [];
    this.#seating.clear();
    for (let place = this.#placeOf(start); members.length < shapeOf(this.#rules).seats; place++) {
      const player = this.#players[this.#order[place]];
      if (!this.#seating.admits(player.classes!)) continue;
      this.#seating.join(player.classes!);
      members.push(player);
    }
    return members;
  }

  /** The position of the first start whose interval contains this position, or has no end. */
  #firstThatReaches(place: number): number {
    let from = place;
    while (from > 0) {
      const end = this.#ends[this.#order[from - 1]];
      if (end !== -1 && this.#placeOf(end) < place) break;
      from--;
    }
    return from;
  }

  /** Computes the pointers of the starts from `from` to `to` with two pointers, and marks void starts. */
  #pointAnew(from: number, to: number): void {
    const order = this.#order;
    const counter = this.#counter;
    counter.clear();
    let end = from - 1;
    for (let start = from; start <= to; start++) {
      while (!counter.isFull && end + 1 < order.length)
        counter.add(windowPlayer(this.#players[order[++end]]));
      this.#ends[order[start]] = counter.isFull ? order[end] : -1;
      counter.remove(windowPlayer(this.#players[order[start]]));
    }
    for (let start = Math.max(0, from - 1); start <= to; start++) {
      const id = order[start];
      const last = this.#ends[id];
      const isVoid = last === -1 || (start + 1 < order.length && this.#ends[order[start + 1]] === last);
      const range = isVoid ? Number.POSITIVE_INFINITY : this.#players[last].mean - this.#players[id].mean;
      if (range === this.#ranges[id]) continue;
      this.#ranges[id] = range;
      if (!isVoid) this.#heap.push(range, id);
    }
    if (this.#heap.size > 64 + 4 * order.length) this.#heap.compact(this.#ranges);
  }

  /** The position of the player, or its insertion position, in order of skill; equal skills by id. */
  #placeOf(id: number): number {
    const { mean } = this.#players[id];
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#order[middle];
      const skill = this.#players[other].mean;
      if (skill < mean || (skill === mean && other < id)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const windowPlayer = ({ size, classes }: ShapeTicket) => ({ size, masks: classes! });
