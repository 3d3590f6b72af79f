import { sortBySkill } from '../model/pooled-ticket.ts';
import { SearchClock } from '../model/search-clock.ts';
import { layoutOf } from '../shapes/layout.ts';
import { byId, seatsOf } from '../shapes/shape-game.ts';
import { poolShapeTicket, type ShapeTicket } from '../shapes/shape-ticket.ts';
import { shapeImbalance } from '../shapes/team-values.ts';
import type { Constraints, Forbids, GameRules, Ruling, Ticket } from '../types.ts';
import { leastFree } from './least-free.ts';
import { filledTeams, type Opening, openingOf } from './opening.ts';
import type { Filling, RunningGame } from './running-game.ts';
import type { SeatLine } from './seat-line.ts';
import { type Seated, SeatSearch } from './seat-search.ts';

/** How the empty seats of running games are filled. */
export interface BackfillPoolOptions {
  /** Pairs of tickets that may not be in one game. @default no pair is refused */
  readonly forbids?: Forbids | undefined;
  /** What games have to fulfil besides their shape, at the moment of all queries. No other pool may use the same object. */
  readonly constraints?: Constraints | undefined;
  /**
   * Nodes that the search for one running game may visit, 1 to 2 million per second; after that it returns the best filling
   * found with a valid bound. One to three seats among 10,000 tickets take 10 to 1000. @default 20,000
   */
  readonly nodeBudget?: number | undefined;
  /** Asked during each query: when it returns true the query ends with the best filling found. @default never out of time */
  readonly outOfTime?: (() => boolean) | undefined;
}

/**
 * Running games with empty seats, and the waiting tickets that can fill them.
 *
 * A filling takes as many seats as can be filled, and of those fillings the one with the least imbalance of the whole game:
 * all empty seats, or fewer where the rules let teams start short and all have waited long enough. Rules, roles and parties
 * count those who are there. They are one party to the rules: nothing that they do to each other is refused.
 * Equal imbalances are decided by the order of the pool.
 *
 * @example
 * ```ts
 * import { BackfillPool } from './backfill-pool.ts';
 *
 * const waiting = [['cy', 1480], ['dee', 1520], ['eve', 1900]] as const;
 * const tickets = waiting.map(([ticketId, skill]) => ({
 *   ticketId,
 *   enqueuedAtMs: 0,
 *   players: [{ playerId: ticketId, skill }],
 * }));
 * const there = [
 *   { playerId: 'ann', skill: 1500, team: 0 },
 *   { playerId: 'bob', skill: 1520, team: 0 },
 *   { playerId: 'flo', skill: 1500, team: 1 },
 * ];
 * const game = { backfillId: 'b1', requestedAtMs: 0, players: there };
 * const pool = new BackfillPool({ teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 }, tickets, [game], 0);
 * const filling = pool.fill('b1');
 * filling?.ticketIds; // => ['dee']
 * filling?.teamGap; // => 0
 * filling?.imbalance; // => 10
 * ```
 */
export class BackfillPool {
  readonly #rules: GameRules;
  readonly #nowMs: number;
  readonly #constraints: Constraints | undefined;
  readonly #forbids: Forbids | undefined;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #lines: readonly SeatLine[];
  /** Where each ticket stands. */
  readonly #places = new Map<string, { line: SeatLine; place: number }>();
  readonly #openings = new Map<string, Opening>();
  readonly #invalid = new Map<string, string>();
  #players = 0;
  #searches = 0;

  /**
   * @param tickets with distinct ticket ids, at least as valid as in a `GamePool`
   * @param games with distinct backfill ids; invalid ones are never filled, and `obstacle` says what is wrong
   */
  constructor(
    rules: GameRules,
    tickets: Iterable<Ticket>,
    games: Iterable<RunningGame>,
    nowMs: number,
    { forbids, constraints, nodeBudget = 20_000, outOfTime }: BackfillPoolOptions = {},
  ) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#forbids = forbids;
    this.#constraints = constraints;
    this.#nodeBudget = nodeBudget;
    this.#clock = new SearchClock(outOfTime);
    for (const game of games) this.#open(game);
    const layout = layoutOf(rules);
    const pooled = Array.from(tickets, (ticket) => poolShapeTicket(ticket, layout));
    this.#lines = this.#lineUp(sortBySkill(pooled) as ShapeTicket[]);
  }

  /** Takes a ticket out. Whether it was waiting. */
  remove(ticketId: string): boolean {
    const at = this.#places.get(ticketId);
    if (!at) return false;
    this.#places.delete(ticketId);
    at.line.isAlive[at.place] = 0;
    this.#players -= at.line.size;
    return true;
  }

  /**
   * The best filling of a running game, or undefined if none is possible or none was found within the node budget.
   * @param isFree whether a ticket may come. @default every ticket
   */
  fill(backfillId: string, isFree?: (ticketId: string) => boolean): Filling | undefined {
    const opening = this.#openings.get(backfillId);
    if (!opening) return undefined;
    this.#clock.start();
    for (let newcomers = opening.open; newcomers >= opening.fewest && !this.#clock.isOver(); newcomers--) {
      const filling = newcomers <= this.#players && this.#fillWith(opening, newcomers, isFree);
      if (filling) return filling;
    }
    return undefined;
  }

  /** Explains in one sentence why a running game is not filled now. The same pool gives the same sentence. */
  obstacle(backfillId: string): string | undefined {
    const invalid = this.#invalid.get(backfillId);
    if (invalid !== undefined) return invalid;
    const opening = this.#openings.get(backfillId);
    if (!opening) return 'No such running match is known here.';
    const { open, fewest } = opening;
    const { orFewer, minimums } = this.#shortOf(opening);
    if (open === 0) return 'No seat of the match is empty.';
    if (!this.#searchFor(opening, open, []).canStart)
      return 'The players who are there violate the rules of the queue themselves, or do not accept the roles that they have to play.';
    if (this.#players < fewest)
      return `Too few players: the match needs ${orFewer === '' ? `${fewest},` : `${open}${orFewer};`} ${this.#players} ${this.#players === 1 ? 'is' : 'are'} waiting.`;
    if (this.fill(backfillId)) return undefined;
    return this.#clock.wasCut
      ? 'No waiting tickets that fill its seats were found within the limit of the search.'
      : `No waiting tickets can fill its ${open} empty ${open === 1 ? 'seat' : 'seats'}${orFewer}${minimums}.`;
  }

  /** How the game may stay short, as text: with how many newcomers, and which teams need some of them. */
  #shortOf({ game, open }: Opening): { readonly orFewer: string; readonly minimums: string } {
    const { afterSeconds } = this.#rules.short ?? {};
    if (afterSeconds === undefined) return { orFewer: '', minimums: '' };
    const layout = layoutOf(this.#rules, true);
    const { fewest, teams } = openingOf(game, this.#rules, layout, true);
    const needs = teams.flatMap((team, t) =>
      team.fewest > 0 ? `team ${layout.names?.[t] ?? t} needs ${team.fewest} of the newcomers` : [],
    );
    return {
      orFewer:
        fewest === open || afterSeconds === 0 ? '' : `, or ${fewest} when all have waited ${afterSeconds} s`,
      minimums: needs.length === 0 ? '' : `: ${needs.join(', ')}`,
    };
  }

  #open(game: RunningGame): void {
    const { short } = this.#rules;
    const mayBeShort = short !== undefined && this.#nowMs - game.requestedAtMs >= 1000 * short.afterSeconds;
    try {
      const opening = openingOf(game, this.#rules, layoutOf(this.#rules, mayBeShort), mayBeShort);
      this.#openings.set(game.backfillId, opening);
      this.#constraints?.enter(opening.together);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#invalid.set(game.backfillId, error.message);
    }
  }

  #lineUp(sorted: readonly ShapeTicket[]): SeatLine[] {
    const groups = new Map<string, ShapeTicket[]>();
    for (const ticket of sorted) {
      this.#players += ticket.size;
      const key = `${ticket.size} ${ticket.isSplit}`;
      const group = groups.get(key);
      if (group) group.push(ticket);
      else groups.set(key, [ticket]);
    }
    return [...groups.values()].map((tickets) => {
      const line: SeatLine = {
        size: tickets[0].size,
        isSplit: tickets[0].isSplit,
        tickets,
        means: Float64Array.from(tickets, ({ mean }) => mean),
        numbers: Int32Array.from(tickets, ({ ticket }) => this.#constraints?.enter(ticket) ?? -1),
        isAlive: new Uint8Array(tickets.length).fill(1),
        asked: new Int32Array(tickets.length),
      };
      tickets.forEach(({ ticket }, place) => {
        this.#places.set(ticket.ticketId, { line, place });
      });
      return line;
    });
  }

  #searchFor(
    opening: Opening,
    newcomers: number,
    wanted: readonly number[],
    isFree?: (ticketId: string) => boolean,
  ): SeatSearch {
    const seekers = {
      lines: this.#lines,
      constraints: this.#constraints,
      forbids: this.#forbids,
      search: ++this.#searches,
      nowMs: this.#nowMs,
      clock: this.#clock,
      isFree,
    };
    return new SeatSearch(opening, seekers, newcomers, wanted);
  }

  /** The first filling that is found says how far to look: from close to what is possible at all, in growing steps. */
  #fillWith(
    opening: Opening,
    newcomers: number,
    isFree: ((ticketId: string) => boolean) | undefined,
  ): Filling | undefined {
    const free = leastFree(opening, newcomers);
    const search = this.#searchFor(opening, newcomers, free.wanted, isFree);
    if (!search.canStart) return undefined;
    const { costs } = search;
    const floor = free.imbalance + costs;
    let lowerBound = search.leastSpread + costs;
    search.run(Number.POSITIVE_INFINITY, Math.min(firstNodes, this.#nodeBudget), true);
    if (!search.found && search.wasCut) search.run(Number.POSITIVE_INFINITY, this.#nodeBudget, true);
    if (search.wasCut) this.#clock.giveUp();
    let best = search.found;
    if (!best) return undefined;
    const first = best.imbalance;
    search.nodes = 0;
    for (const share of [1 / 256, 1 / 32, 1 / 8, 1 / 3, 1]) {
      const limit = share === 1 ? first : floor + share * (first - floor);
      if (limit < lowerBound) continue;
      search.run(limit, this.#nodeBudget - search.nodes);
      if (search.found) best = search.found;
      if (search.wasCut) break;
      lowerBound = search.found ? search.found.imbalance : limit;
      if (search.found) break;
    }
    return this.#fillingOf(opening, best, floor, lowerBound);
  }

  #fillingOf(
    opening: Opening,
    { tickets, teams: teamOf, ...found }: Seated,
    floor: number,
    lowerBound: number,
  ): Filling {
    const { game, layout, teams, there, together } = opening;
    const constraints = this.#constraints;
    const sides = teams.map(({ kind, places }) => ({
      kind,
      seated: places.map((place) => ({ ticket: there[place], at: 0 })),
    }));
    const newcomers = tickets.flatMap((ticket) => Array.from(ticket.skills, (_, at) => ({ ticket, at })));
    const placed = newcomers.map((seated, i) => ({ seated, team: teamOf[i] }));
    placed.sort((a, b) => byId(a.seated, b.seated));
    for (const { seated, team } of placed) sides[team].seated.push(seated);
    const skills = sides.map(({ seated }) => seated.map(({ ticket, at }) => ticket.skills[at]));
    const exact = shapeImbalance(skills, layout, this.#rules);
    let ruling: Ruling | undefined;
    if (constraints) {
      const numbers = tickets.map(({ ticket }) => constraints.enter(ticket));
      ruling = constraints.judge(filledTeams(opening, constraints.enter(together), tickets, numbers, teamOf));
      if (!ruling) throw new Error(`Expected a filling that the constraints permit, got ${game.backfillId}`);
      exact.imbalance += ruling.cost;
    }
    const isOptimal = lowerBound >= found.imbalance;
    const bound = isOptimal ? exact.imbalance : Math.min(lowerBound, exact.imbalance);
    return {
      backfillId: game.backfillId,
      ticketIds: tickets.map(({ ticket }) => ticket.ticketId).sort(),
      teams: sides.map((side) => seatsOf(side, layout)),
      ...(layout.names && { teamNames: layout.names }),
      ...exact,
      increment: Math.max(0, exact.imbalance - floor),
      lowerBound: bound,
      optimal: bound === exact.imbalance,
      ...(ruling && { ruling }),
    };
  }
}

/** The nodes of the search for a first filling. */
const firstNodes = 200;
