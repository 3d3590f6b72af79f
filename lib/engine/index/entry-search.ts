import { imbalancePerRange, lemma1 } from '../bounds/range-bounds.ts';
import { WindowCounter } from '../bounds/windows.ts';
import type { DividedGame } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { mixesOf } from '../model/party-mixes.ts';
import type { RoleTable } from '../model/roles.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Candidates } from '../search/chosen-tickets.ts';
import { TicketDive } from '../search/ticket-dive.ts';
import { TicketSearch } from '../search/ticket-search.ts';
import type { Forbids, GameRules } from '../types.ts';
import type { Entry } from './entry.ts';
import type { EntryList } from './entry-list.ts';
import { reachNeeded, windowAround } from './entry-window.ts';

/** Whether another ticket may be in the games of a search. */
export type Accepts = (other: Entry) => boolean;

/** Searches around one ticket of a queue: for the least range of its games, for the best game, or for any game. */
export class EntrySearch {
  /** The bound that the last `best` proved: no game costs less. */
  bound = 0;
  /** Whether the node budget ended the last `best`. */
  wasCut = false;

  readonly #rules: GameRules;
  readonly #list: EntryList;
  readonly #clock: SearchClock;
  readonly #perRange: number;
  readonly #search: TicketSearch;
  readonly #dive: TicketDive;
  readonly #counter: WindowCounter;
  /** The work outside the searches, in nodes. */
  #preparation = 0;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    list: EntryList,
    clock: SearchClock,
  ) {
    this.#rules = rules;
    this.#list = list;
    this.#clock = clock;
    this.#perRange = imbalancePerRange(rules);
    this.#search = new TicketSearch(rules, roles, forbids, clock);
    this.#dive = new TicketDive(rules, roles, forbids, clock);
    this.#counter = new WindowCounter(shapeOf(rules).seats, roles?.gameSeatsOf);
  }

  /** The nodes visited since construction, with other work converted to nodes. */
  get nodes(): number {
    return this.#search.nodes + this.#dive.nodes + this.#preparation;
  }

  /**
   * Above the imbalance of every game, whatever its range R: v_q ≤ R, and with the teams paired off
   * d_p ≤ (Σ|x_i − y_i|^p)^(1/p) ≤ k·R.
   */
  get highestImbalance(): number {
    const { alpha, teamSize } = this.#rules;
    const { low, high } = this.#list;
    return lemma1(Math.max(0, high - low), alpha * teamSize, high);
  }

  /**
   * The game of least cost below `limit` with this ticket and accepted others; `bound` and `wasCut` report what is
   * proved. A ticket that has waited longer than this one has a credit of β times the difference, at most `creditMax`.
   */
  best(
    entry: Entry,
    accepts: Accepts,
    limit: number,
    nodeBudget: number,
    creditMax = 0,
  ): DividedGame | undefined {
    const reach = (limit + creditMax) / this.#perRange;
    const below = gather(entry, 'before', accepts, reach);
    const above = gather(entry, 'after', accepts, reach);
    this.bound = limit;
    this.wasCut = false;
    const candidates = this.#candidates(entry, below, above, creditMax > 0);
    if (!candidates) return undefined;
    const game = this.#search.run(candidates, limit, nodeBudget);
    this.bound = this.#search.bound;
    this.wasCut = this.#search.wasCut;
    return game;
  }

  /** Any game of this ticket with accepted others, first near `known`, then at growing distances. */
  any(entry: Entry, accepts: Accepts, known: number): DividedGame | undefined {
    const highest = this.highestImbalance;
    for (let limit = known; limit < highest && !this.#clock.isOver(); ) {
      limit = Math.min(highest, 3 * Math.max(limit, 1e-9 * highest));
      let below = gather(entry, 'before', accepts, limit / this.#perRange);
      let above = gather(entry, 'after', accepts, limit / this.#perRange);
      if (below.length + above.length > diveCandidatesMax && this.#areFull(entry, below, above)) {
        // The nearest tickets are enough if a game can be formed of them.
        below = this.#nearest(below);
        above = this.#nearest(above);
      }
      const candidates = this.#candidates(entry, below, above, false);
      const game = candidates && this.#dive.run(candidates, limit, diveNodes);
      if (game) return game;
    }
    return undefined;
  }

  /** A lower bound on the range of a game of this ticket with accepted others, from windows; ∞ if there is none. */
  narrowest(entry: Entry, accepts: Accepts): number {
    const { range, looked } = windowAround(entry, accepts, this.#counter);
    this.#preparation += looked >> 3;
    this.#clock.isOver(1 + (looked >> 3));
    const { low, high } = entry.pooled;
    if (this.#list.parties === 0 || range === Number.POSITIVE_INFINITY) return Math.max(range, high - low);
    const unit = 1e-9 * this.highestImbalance;
    return Math.max(range, high - low, reachNeeded(entry, accepts, this.#counter, range, unit, this.#clock));
  }

  /** Whether this ticket's party and the accepted ones can add up to full teams. */
  hasMix(entry: Entry, accepts: Accepts): boolean {
    if (this.#list.parties === 0) return true;
    const shape = shapeOf(this.#rules);
    const { size } = entry.pooled;
    const available = new Uint32Array(this.#rules.teamSize + 1);
    available[size]++;
    const isEnough = () => mixesOf(available, size, shape).length > 0;
    let counted = 0;
    for (const other of this.#list) {
      if (!accepts(other)) continue;
      available[other.pooled.size]++;
      if (++counted % 64 === 0 && isEnough()) return true;
    }
    return isEnough();
  }

  /** The candidates of a search, from the nearest on each side; undefined if they form no full window. */
  #candidates(
    entry: Entry,
    below: readonly Entry[],
    above: readonly Entry[],
    withCredits: boolean,
  ): Candidates | undefined {
    // The search is fastest with most candidates after the anchor, and for p = ∞ with the most skilled first.
    const descends = this.#rules.p === Number.POSITIVE_INFINITY || below.length > above.length;
    const entries = [...below.toReversed(), entry, ...above];
    if (descends) entries.reverse();
    const counter = this.#counter;
    counter.clear();
    for (const { pooled } of entries) counter.add(pooled);
    if (!counter.isFull) return undefined;
    this.#preparation += searchCost + (entries.length >> 3);
    this.#clock.isOver(searchCost + (entries.length >> 3));
    const credits = new Float64Array(entries.length);
    if (withCredits) {
      for (let i = 0; i < entries.length; i++)
        credits[i] = Math.max(0, this.#rules.beta * (entry.seconds - entries[i].seconds));
    }
    const tickets = entries.map(({ pooled }) => pooled);
    return { tickets, anchor: descends ? above.length : below.length, credits };
  }

  /** Whether the nearest on both sides form a full window with this ticket. */
  #areFull(entry: Entry, below: readonly Entry[], above: readonly Entry[]): boolean {
    this.#counter.clear();
    this.#counter.add(entry.pooled);
    for (const side of [below, above]) {
      const nearest = Math.min(side.length, diveCandidatesMax / 2);
      for (let i = 0; i < nearest; i++) this.#counter.add(side[i].pooled);
    }
    return this.#counter.isFull;
  }

  /** The nearest of one side, with as many of each size as a game may need: the nearest may all be pairs. */
  #nearest(side: readonly Entry[]): Entry[] {
    const { seats } = shapeOf(this.#rules);
    const players = new Uint32Array(this.#rules.teamSize + 1);
    return side.filter(({ pooled: { size } }, i) => {
      const isNeeded = players[size] < seats;
      players[size] += size;
      return isNeeded || i < diveCandidatesMax / 2;
    });
  }
}

/** The accepted tickets on one side that are at most `reach` away, the nearest first. */
function gather(entry: Entry, side: 'before' | 'after', accepts: Accepts, reach: number): Entry[] {
  const { mean } = entry.pooled;
  const found: Entry[] = [];
  for (let other = entry[side]; other; other = other[side]) {
    if (Math.abs(other.pooled.mean - mean) > reach) break;
    if (accepts(other)) found.push(other);
  }
  return found;
}

/** The cost of preparing a search, in nodes. */
const searchCost = 5;

/** The most nodes for finding any game of an entry within one reach; 100 and 2,000 work about as well. */
const diveNodes = 500;

/** How many of the nearest tickets a dive examines. With 100, fewer parties are matched; with 1,600, their drain takes a quarter longer. */
const diveCandidatesMax = 400;
