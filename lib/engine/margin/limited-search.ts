import { narrowestWindows, seatsOfSets, WindowCounter, type WindowPlayers } from '../bounds/windows.ts';
import { SearchClock } from '../model/search-clock.ts';
import { type Layout, layoutOf } from '../shapes/layout.ts';
import { makeShapedGame } from '../shapes/shape-game.ts';
import { poolShapeTicket, type ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Forbids, Game, GameRules, Ticket } from '../types.ts';
import { MarginSearch, type TicketLimits } from './margin-search.ts';
import { type SeatClasses, seatClassesOf } from './seat-classes.ts';

/** What searches within limits are made for. */
export interface LimitedSearchOptions {
  /** Of games of up to 16 seats. */
  readonly rules: GameRules;
  readonly forbids: Forbids | undefined;
  /** The nodes that one search may visit. */
  readonly nodeBudget: number;
  /** Asked during each search: when it returns true the search ends with the best game found. @default never */
  readonly outOfTime?: (() => boolean) | undefined;
}

/** A shortest run of tickets that could fill a game if parties could be split, given by two positions in a list of places. */
export interface TicketWindow {
  readonly first: number;
  readonly last: number;
}

/**
 * Searches for games within limits, for release policies: at one moment after another, among tickets that are known by their
 * places. Other than a `GamePool` it does not keep which tickets still wait: the caller lists the candidates of each search.
 */
export class LimitedSearch {
  readonly #options: LimitedSearchOptions;
  readonly #layout: Layout;
  readonly #classes: SeatClasses | undefined;
  readonly #search: MarginSearch;
  readonly #clock: SearchClock;
  /** The tickets of the current moment. Those that were there before are not prepared again. */
  #known = new Map<Ticket, ShapeTicket>();
  #tickets: readonly ShapeTicket[] = [];
  #limits: TicketLimits = limitsFor(0);
  #nowMs = 0;
  /** Those of the candidates of a search. */
  #chosen = limitsFor(64);

  constructor(options: LimitedSearchOptions) {
    const { rules, forbids, outOfTime } = options;
    this.#options = options;
    this.#clock = new SearchClock(outOfTime);
    this.#layout = layoutOf(rules);
    this.#classes = seatClassesOf(this.#layout);
    this.#search = new MarginSearch(rules, this.#layout, forbids, this.#clock);
  }

  /** The seats of each class in a game; undefined where all players seem to accept all seats. See `seatClassesOf`. */
  get seats(): readonly number[] | undefined {
    return this.#classes?.seats;
  }

  /** The classes of seats, as a bit set, that each player of the ticket at a place accepts; empty without classes. */
  masksAt(place: number): ArrayLike<number> {
    return this.#classes ? this.#classes.masksOf(this.#tickets[place]) : [];
  }

  /** The number of tickets. */
  get size(): number {
    return this.#tickets.length;
  }

  /**
   * Replaces the tickets.
   *
   * @param tickets ascending by mean skill
   * @param limits by place; the caller may change them between searches
   * @throws RangeError for a party that fits no team, or an invalid skill
   */
  begin(tickets: readonly Ticket[], limits: TicketLimits, nowMs: number): void {
    const known = new Map<Ticket, ShapeTicket>();
    this.#tickets = tickets.map((ticket) => {
      const pooled = this.#known.get(ticket) ?? poolShapeTicket(ticket, this.#layout);
      known.set(ticket, pooled);
      return pooled;
    });
    this.#known = known;
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /**
   * The game with the widest margin to its limit among those of one ticket, as far as `MarginSearch` finds it. Undefined when
   * none is within its limit. Its `lowerBound` says nothing.
   *
   * @param places of the candidates
   * @param anchor the position of the ticket in `places`
   * @param raise the factor by which the growing part of all limits is raised, 1 or above
   * @param above only games with a wider margin are considered, in which long waits count for little. @default all
   */
  game(
    places: readonly number[],
    anchor: number,
    raise: number,
    above?: number,
  ): { readonly game: Game; readonly margin: number } | undefined {
    const { now, atFirst, fixed } = this.#limits;
    const count = places.length;
    if (count > this.#chosen.now.length) this.#chosen = limitsFor(2 * count);
    const limits = this.#chosen;
    const tickets: ShapeTicket[] = [];
    for (let i = 0; i < count; i++) {
      const at = places[i];
      tickets.push(this.#tickets[at]);
      limits.now[i] = raise * now[at];
      limits.atFirst[i] = atFirst[at];
      limits.fixed[i] = fixed[at];
    }
    const { rules, nodeBudget } = this.#options;
    this.#clock.start();
    const found = this.#search.run({ tickets, anchor, limits }, nodeBudget, above);
    if (!found) return undefined;
    const game = makeShapedGame(found, rules, this.#layout, this.#nowMs, Number.NEGATIVE_INFINITY);
    return { game, margin: this.#search.margin };
  }

  /** The shortest windows of these places that could fill a game, one for each first ticket. Cost: linear. */
  windows(places: readonly number[]): TicketWindow[] {
    const tickets = places.map((at) => ({ pooled: this.#playersAt(at) }));
    const windows: TicketWindow[] = [];
    narrowestWindows(tickets, this.#counter()).forEach((last, first) => {
      if (last < places.length) windows.push({ first, last });
    });
    return windows;
  }

  /** Whether these places could fill a game if parties could be split. Cost: as many places as it takes to be sure. */
  canFill(places: readonly number[]): boolean {
    const counter = this.#counter();
    return places.some((at) => {
      counter.add(this.#playersAt(at));
      return counter.isFull;
    });
  }

  #playersAt(at: number): WindowPlayers {
    return { size: this.#tickets[at].size, masks: this.masksAt(at) };
  }

  #counter(): WindowCounter {
    return new WindowCounter(this.#layout.seats, seatsOfSets(this.#classes?.seats ?? []));
  }
}

function limitsFor(count: number): TicketLimits {
  return { now: new Float64Array(count), atFirst: new Float64Array(count), fixed: new Float64Array(count) };
}
