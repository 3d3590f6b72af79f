import { KeyHeap } from '../collections/key-heap.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import { ShapeDivider } from './shape-divider.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { Near, SizeLine } from './size-line.ts';
import { mixesOf } from './size-mixes.ts';
import type { TicketLine } from './ticket-line.ts';

/**
 * The centre bound per party mix, and good games near it, for games of up to 16 seats whose parties stay together and whose
 * players can take every seat; q ≥ 2.
 *
 * A cell holds the games whose mean is within `half` of its centre c. The cost of a ticket there is the sum of its players'
 * squared distances from c. A game with mean μ has costs N·(v_2² + (μ − c)²), so N·v_2² is at least the least costs of all
 * party mixes less N·half². For each size the tickets of least cost are near the centre (docs/engine-proofs.md).
 *
 * Removals only raise what was computed, so only cells that come first are computed anew.
 */
export class PartyCells {
  readonly #line: TicketLine;
  readonly #clock: SearchClock;
  readonly #rules: GameRules;
  readonly #n: number;
  readonly #mixes: readonly Uint8Array[];
  readonly #divider: ShapeDivider;
  /** By size: the tickets of least cost around the centre of the last evaluation, and the sums of the costs before each. */
  readonly #near: Near[];
  readonly #sizes: SizeLine[];

  #cells: Cell[] = [];
  readonly #heap = new KeyHeap();
  #removals = 0;
  /** The bound when the cells were laid out. */
  #laidAt = 0;
  /** What is left of the steps of one `improve`. */
  #stepsLeft = 0;

  constructor(line: TicketLine, rules: GameRules, layout: Layout, clock: SearchClock) {
    this.#clock = clock;
    this.#line = line;
    this.#rules = rules;
    this.#n = layout.seats;
    this.#mixes = mixesOf(layout, layout.seats);
    this.#divider = new ShapeDivider(rules, layout, clock);
    this.#sizes = Array.from({ length: layout.partyMax + 1 }, (_, size) => new SizeLine(line, size));
    this.#near = this.#sizes.map((_, size) => {
      const most = this.#mixes.reduce((count, mix) => Math.max(count, mix[size] ?? 0), 0);
      return new Near(most === 0 ? 0 : most + spare);
    });
    this.#lay(0);
  }

  /** Reports that a ticket has left the line. */
  removed(_mean: number): void {
    this.#removals++;
  }

  /** A bound on the imbalance of every game, and a game near it that is better than `known` if one was found. */
  best(known: ShapedGame | undefined): { bound: number; game: ShapedGame | undefined } {
    const heap = this.#heap;
    let game = known;
    for (;;) {
      const id = heap.topId;
      const bound = heap.topKey;
      if (bound === Number.POSITIVE_INFINITY || this.#clock.isOver(stepsPerCell)) return { bound, game };
      if (bound > 2 * this.#laidAt && this.#laidAt > 0) {
        this.#lay(bound);
        continue;
      }
      const cell = this.#cells[id];
      if (cell.removals !== this.#removals) {
        cell.removals = this.#removals;
        cell.least = this.#evaluate(cell.centre);
        heap.replaceTop(Math.max(bound, this.#boundOf(cell)), id);
        continue;
      }
      if (cell.half * cell.half * this.#n > coarse * cell.least && cell.half > 1e-9 * cell.centre + 1e-290) {
        this.#split(cell, id, bound);
        continue;
      }
      if (this.#laidAt === 0) this.#laidAt = bound;
      if (cell.game && !this.#line.hasAll(cell.game.members)) cell.game = undefined;
      if (cell.searchedAt !== this.#removals) {
        cell.searchedAt = this.#removals;
        this.#evaluate(cell.centre);
        cell.game = this.#search(cell, game ?? cell.game) ?? cell.game;
      }
      if (cell.game && !(game && game.imbalance <= cell.game.imbalance)) game = cell.game;
      if (game) {
        for (const other of this.#cells) {
          if (!other.game || other.game.imbalance >= game.imbalance) continue;
          if (this.#line.hasAll(other.game.members)) game = other.game;
          else other.game = undefined;
        }
      }
      return { bound: Math.min(bound, game?.imbalance ?? bound), game };
    }
  }

  #lay(bound: number): void {
    const { tickets, means, start } = this.#line;
    this.#heap.clear();
    this.#cells = [];
    this.#laidAt = bound;
    if (start >= tickets.length) return;
    const low = means[start];
    const width = (means[means.length - 1] - low) / firstCells;
    for (let i = 0; i < firstCells; i++) this.#file(low + (i + 0.5) * width, width / 2, bound);
  }

  #file(centre: number, half: number, bound: number): void {
    this.#cells.push({ centre, half, removals: -1, least: 0, searchedAt: -1, game: undefined });
    this.#heap.push(bound, this.#cells.length - 1);
  }

  #split({ centre, half }: Cell, id: number, bound: number): void {
    const quarter = half / 2;
    this.#heap.pop();
    this.#cells[id] = {
      centre: centre - quarter,
      half: quarter,
      removals: -1,
      least: 0,
      searchedAt: -1,
      game: undefined,
    };
    this.#heap.push(bound, id);
    this.#file(centre + quarter, quarter, bound);
  }

  #boundOf({ centre, half, least }: Cell): number {
    if (least === Number.POSITIVE_INFINITY) return least;
    const square = least / this.#n - half * half * (1 + 1e-12);
    return Math.sqrt(Math.max(0, square - 1e-30 * centre * centre)) * (1 - 1e-12);
  }

  /** The least costs of a game around a centre; ∞ when no game is left. */
  #evaluate(centre: number): number {
    for (let size = 1; size < this.#sizes.length; size++) this.#sizes[size].nearest(centre, this.#near[size]);
    let least = Number.POSITIVE_INFINITY;
    for (const mix of this.#mixes) least = Math.min(least, this.#costOf(mix));
    return least;
  }

  #costOf(mix: Uint8Array): number {
    let cost = 0;
    for (let size = 1; size < mix.length; size++) {
      if (mix[size] === 0) continue;
      const { count, sums } = this.#near[size];
      if (mix[size] > count) return Number.POSITIVE_INFINITY;
      cost += sums[mix[size]];
    }
    return cost;
  }

  /** The best game found among the tickets of least cost around the last centre, better than `known`. */
  #search({ half }: Cell, known: ShapedGame | undefined): ShapedGame | undefined {
    const order = this.#mixes
      .map((mix) => ({ mix, cost: this.#costOf(mix) }))
      .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.cost - b.cost);
    this.#stepsLeft = stepsMax;
    const best: Best = { game: undefined, limit: known?.imbalance ?? Number.POSITIVE_INFINITY };
    for (const { mix, cost } of order) {
      if (this.#isHopeless(cost, half, best)) break;
      this.#choose(mix, this.#near.length - 1, 0, 0, cost, 0, half, [], best);
    }
    return best.game;
  }

  #isHopeless(cost: number, half: number, { limit }: Best): boolean {
    return Math.sqrt(Math.max(0, cost / this.#n - half * half)) >= limit || this.#stepsLeft <= 0;
  }

  /**
   * Chooses ticket number `at` of a size from place `from` on. `cost` is that of the chosen tickets with the cheapest rest,
   * `sum` that of the chosen players' distances from the centre.
   */
  #choose(
    mix: Uint8Array,
    size: number,
    at: number,
    from: number,
    cost: number,
    sum: number,
    half: number,
    chosen: ShapeTicket[],
    best: Best,
  ): void {
    if (size === 0) {
      this.#offer(chosen, cost, sum, best);
      return;
    }
    const needed = mix[size] - at;
    if (needed <= 0) {
      this.#choose(mix, size - 1, 0, 0, cost, sum, half, chosen, best);
      return;
    }
    const { tickets, offsets, sums, count } = this.#near[size];
    for (let i = from; i + needed <= count; i++) {
      // The cheapest rest moves up by one ticket.
      const next = cost + sums[i + needed] - sums[i] - (sums[from + needed] - sums[from]);
      if (this.#isHopeless(next, half, best)) return;
      this.#stepsLeft--;
      chosen.push(tickets[i]);
      this.#choose(mix, size, at + 1, i + 1, next, sum + offsets[i], half, chosen, best);
      chosen.pop();
    }
  }

  #offer(chosen: readonly ShapeTicket[], cost: number, sum: number, best: Best): void {
    const n = this.#n;
    const v = Math.sqrt(Math.max(0, cost / n - (sum / n) ** 2));
    if (v >= best.limit) return;
    const divider = this.#divider;
    const stepsFrom = divider.steps;
    const gap = divider.divide(chosen, (best.limit - v) / this.#rules.alpha);
    this.#stepsLeft -= 4 + ((divider.steps - stepsFrom) >> 2);
    if (this.#clock.isOver()) this.#stepsLeft = 0;
    if (gap === Number.POSITIVE_INFINITY) return;
    best.limit = v + this.#rules.alpha * gap;
    best.game = { members: [...chosen], teams: divider.teams.slice(0, n), imbalance: best.limit };
  }
}

/** The games whose mean is within `half` of a centre. */
interface Cell {
  readonly centre: number;
  readonly half: number;
  /** The removals when `least`, the least costs of a game, was computed, and when games were searched; −1 before. */
  removals: number;
  least: number;
  searchedAt: number;
  /** The best game found. */
  game: ShapedGame | undefined;
}

interface Best {
  game: ShapedGame | undefined;
  limit: number;
}

/** The intervals with which it begins. */
const firstCells = 64;

/** A cell is halved while the square of its half is more than this part of N·v_2². */
const coarse = 0.01;

/** The tickets of each size beyond those that a game can have that are tried. */
const spare = 8;

/** The work of evaluating a cell, in steps of a `SearchClock`. */
const stepsPerCell = 16;

/** The steps of one search for games. */
const stepsMax = 8000;
