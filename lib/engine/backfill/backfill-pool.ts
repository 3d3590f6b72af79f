import { lemma6 } from '../bounds/range-bounds.ts';
import { firstPlace } from '../collections/first-place.ts';
import { sortBySkill } from '../model/pooled-ticket.ts';
import { SearchClock } from '../model/search-clock.ts';
import { GameSearch } from '../queue/game-search.ts';
import type { QueuedTicket } from '../queue/line.ts';
import { exactSeatsMax, layoutOf } from '../shapes/layout.ts';
import { byId, membersOf, type ShapedGame, type Side, seatsOf } from '../shapes/shape-game.ts';
import { poolShapeTicket, type ShapeTicket } from '../shapes/shape-ticket.ts';
import { shapeImbalance } from '../shapes/team-values.ts';
import type { Constraints, Forbids, GameRules, Ruling, Ticket } from '../types.ts';
import { draftFilling } from './draft-filling.ts';
import { leastFree } from './least-free.ts';
import { canPlay, fitsSomewhere, type Opening, openingOf } from './opening.ts';
import type { Filling, RunningGame } from './running-game.ts';

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
 * A filling takes all empty seats, or fewer where the rules let teams start short and all have waited long enough. Of the
 * largest fillings it is the one with the least imbalance of the whole game. Rules, roles and parties count the players who
 * are there, but no rule is checked between these: they are one party. Equal imbalances are decided by the order of the pool.
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
  /** In order of skill. */
  readonly #tickets: readonly QueuedTicket[];
  readonly #numbers: Int32Array;
  readonly #byId: ReadonlyMap<string, QueuedTicket>;
  readonly #openings = new Map<string, Opening>();
  readonly #invalid = new Map<string, string>();
  #players = 0;

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
    const sorted = sortBySkill(Array.from(tickets, (ticket) => poolShapeTicket(ticket, layout)));
    this.#tickets = sorted.map((ticket) => this.#queuedOf(ticket));
    this.#numbers = Int32Array.from(this.#tickets, ({ number }) => number);
    this.#byId = new Map(this.#tickets.map((queued) => [queued.ticket.ticket.ticketId, queued]));
    for (const { size } of sorted) this.#players += size;
  }

  /** Takes a ticket out. Whether it was waiting. */
  remove(ticketId: string): boolean {
    const queued = this.#byId.get(ticketId);
    if (!queued?.isHere) return false;
    queued.isHere = false;
    this.#players -= queued.ticket.size;
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
    const { open, fewest } = opening;
    const most = Math.min(open, this.#players);
    if (most < fewest || !canPlay(opening)) return undefined;
    return this.#asJoined(opening, (anchor) => {
      const admitted = this.#admitted();
      const mayCome = (newcomers: number) => (queued: QueuedTicket) =>
        this.#mayCome(queued, opening, newcomers, isFree);
      if (open > exactSeatsMax) {
        for (const newcomers of most < open ? [most] : fewest < open ? [open, most - 1] : [open]) {
          const filling = this.#drafted(opening, newcomers, admitted.filter(mayCome(newcomers)));
          if (filling) return filling;
        }
        return undefined;
      }
      for (let newcomers = most; newcomers >= fewest && !this.#clock.isOver(); newcomers--) {
        const filling = this.#searched(opening, anchor, newcomers, admitted, mayCome(newcomers));
        if (filling) return filling;
      }
      return undefined;
    });
  }

  /** Explains in one sentence why a running game is not filled now. The same pool gives the same sentence. */
  obstacle(backfillId: string): string | undefined {
    const invalid = this.#invalid.get(backfillId);
    if (invalid !== undefined) return invalid;
    const opening = this.#openings.get(backfillId);
    if (!opening) return 'This running match is not known here.';
    const { open, fewest } = opening;
    const { orFewer, minimums } = this.#shortOf(opening);
    if (open === 0) return 'No seat of the match is empty.';
    if (!canPlay(opening) || !this.#asJoined(opening, () => true))
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
      this.#constraints?.enter(opening.seated.ticket);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#invalid.set(game.backfillId, error.message);
    }
  }

  #queuedOf(ticket: ShapeTicket): QueuedTicket {
    return { ticket, credit: 0, number: this.#constraints?.enter(ticket.ticket) ?? 0, isHere: true };
  }

  /**
   * What `find` returns while those who are there have joined the constraints; undefined if these do not admit them. `find` may
   * begin the constraints again, as a draft does, so nobody leaves them afterwards.
   */
  #asJoined<Found>({ seated }: Opening, find: (anchor: QueuedTicket) => Found): Found | undefined {
    const anchor = this.#queuedOf(seated);
    const constraints = this.#constraints;
    constraints?.start();
    if (constraints && !constraints.admits(anchor.number)) return undefined;
    constraints?.join(anchor.number);
    return find(anchor);
  }

  /** The tickets that the constraints admit beside those who have joined. Cost: linear under constraints. */
  #admitted(): readonly QueuedTicket[] {
    if (!this.#constraints) return this.#tickets;
    const kept = new Int32Array(this.#tickets.length);
    const count = this.#constraints.keep(this.#numbers, 0, this.#tickets.length, kept);
    return Array.from(kept.subarray(0, count), (place) => this.#tickets[place]);
  }

  /** Whether a ticket may be one of this number of newcomers, whatever other tickets come. */
  #mayCome(
    { ticket, isHere }: QueuedTicket,
    opening: Opening,
    newcomers: number,
    isFree: ((ticketId: string) => boolean) | undefined,
  ): boolean {
    if (!isHere || ticket.size > newcomers || !fitsSomewhere(ticket, opening)) return false;
    const { playerIds, open } = opening;
    if (isFree && !isFree(ticket.ticket.ticketId)) return false;
    const waitedMs = this.#nowMs - ticket.ticket.enqueuedAtMs;
    if (newcomers < open && waitedMs < 1000 * this.#rules.short!.afterSeconds) return false;
    return ticket.ticket.players.every(({ playerId }) => !playerIds.has(playerId));
  }

  /** The first filling that is found says how far to look: from close to what is possible at all, in growing steps. */
  #searched(
    opening: Opening,
    anchor: QueuedTicket,
    newcomers: number,
    tickets: readonly QueuedTicket[],
    mayCome: (queued: QueuedTicket) => boolean,
  ): Filling | undefined {
    const { layout, seated, room } = opening;
    const forbids = this.#forbids;
    // Those who are there are one party: nothing that they do is refused.
    const mayMeet: Forbids | undefined =
      forbids && ((a, b) => (a === seated.ticket || b === seated.ticket ? undefined : forbids(a, b)));
    const search = new GameSearch(this.#rules, layout, mayMeet, this.#constraints, this.#clock, room);
    const n = seated.size + newcomers;
    const first = { anchor, others: nearest(tickets, seated.mean, nearestMax, mayCome) };
    let best = search.first(first, n, Math.min(firstNodes, this.#nodeBudget));
    if (!best) {
      const all = { anchor, others: tickets.filter(mayCome) };
      const found = search.best(all, n, Number.POSITIVE_INFINITY, this.#nodeBudget);
      best = found.game;
      if (!best && found.wasCut) best = search.first(all, n, this.#nodeBudget);
      if (!best && found.wasCut) this.#clock.giveUp();
      if (!best) return undefined;
    }
    const { floor, certain, leastSpread } = this.#leastOf(opening, newcomers);
    const most = best.imbalance;
    let lowerBound = certain + leastSpread;
    const nodesFrom = search.nodes;
    for (const share of [1 / 256, 1 / 32, 1 / 8, 1 / 3, 1]) {
      const limit = share === 1 ? most : floor + share * (most - floor);
      if (limit < lowerBound) continue;
      const reach = this.#reach(limit - certain, opening, n);
      const from = firstPlace(tickets, ({ ticket }) => ticket.mean >= seated.mean - reach);
      const to = firstPlace(tickets, ({ ticket }) => ticket.mean > seated.mean + reach);
      const scope = { anchor, others: tickets.slice(from, to).filter(mayCome) };
      // A search that is cut short leaves as many nodes to one that looks farther.
      const left = (this.#nodeBudget - (search.nodes - nodesFrom)) / 2;
      const { game, bound } = search.best(scope, n, limit, Math.max(0, Math.floor(left)));
      lowerBound = Math.max(lowerBound, Math.min(limit, bound));
      if (!game) continue;
      best = game;
      break;
    }
    const { queued, teams, imbalance } = best;
    const members = queued.map(({ ticket }) => ticket);
    return this.#fillingOf(opening, { members, teams, imbalance }, floor, lowerBound);
  }

  /** Beyond 16 empty seats nothing is searched: the filling of a draft. */
  #drafted(opening: Opening, newcomers: number, tickets: readonly QueuedTicket[]): Filling | undefined {
    const { seated, open } = opening;
    const near = nearest(tickets, seated.mean, tickets.length, () => true);
    const game = draftFilling(
      opening,
      near.map(({ ticket }) => ticket),
      newcomers < open,
      this.#forbids,
      this.#constraints,
      this.#clock,
    );
    if (!game) {
      this.#clock.giveUp();
      return undefined;
    }
    const came = game.teams.length - seated.size;
    const { floor, certain, leastSpread } = this.#leastOf(opening, came);
    return this.#fillingOf(opening, game, floor, Math.min(game.imbalance, certain + leastSpread));
  }

  /** What a filling with this number of newcomers costs at least besides its imbalance, its v_q at least, and with any newcomers. */
  #leastOf(opening: Opening, newcomers: number): { floor: number; certain: number; leastSpread: number } {
    const { open, layout, seated } = opening;
    const cost = this.#constraints?.hasCosts ? this.#constraints.cost() : 0;
    const certain = (open - newcomers) * layout.emptySeatCost + cost;
    const square = this.#rules.q < 2 ? 0 : seated.spread / (seated.size + newcomers);
    return {
      floor: leastFree(opening, newcomers) + certain,
      certain,
      leastSpread: Math.sqrt(square) * (1 - 1e-9),
    };
  }

  /** A game of n players with a newcomer who is farther than this from the mean of those who are there has a v_q above `limit`. */
  #reach(limit: number, { seated: { size, spread } }: Opening, n: number): number {
    const { q } = this.#rules;
    if (q < 2) return limit / lemma6(n / 2, q);
    return Math.sqrt((Math.max(0, limit * limit * n - spread) * (size + 1)) / size) * (1 + 1e-9);
  }

  #fillingOf(
    opening: Opening,
    { members, teams: teamOf, imbalance }: ShapedGame,
    floor: number,
    lowerBound: number,
  ): Filling {
    const { game, layout, teams, there, seated } = opening;
    const sides = teams.map(
      ({ kind, places }): Side => ({
        kind,
        seated: places.map((place) => ({ ticket: there[place], at: 0 })),
      }),
    );
    const players = members.flatMap((ticket) => Array.from(ticket.skills, (_, at) => ({ ticket, at })));
    const placed = players.map((player, i) => ({ player, team: teamOf[i] }));
    placed.sort((a, b) => byId(a.player, b.player));
    for (const { player, team } of placed) if (player.ticket !== seated) sides[team].seated.push(player);
    const skills = sides.map((side) => side.seated.map(({ ticket, at }) => ticket.skills[at]));
    const exact = shapeImbalance(skills, layout, this.#rules);
    let ruling: Ruling | undefined;
    if (this.#constraints) {
      const numbers = members.map(({ ticket }) => this.#constraints!.enter(ticket));
      ruling = this.#constraints.judge(membersOf(members, numbers, teamOf, layout.teams), true);
      if (!ruling) throw new Error(`Expected a filling that the constraints permit, got ${game.backfillId}`);
      exact.imbalance += ruling.cost;
    }
    const bound = lowerBound >= imbalance ? exact.imbalance : Math.min(lowerBound, exact.imbalance);
    const newcomers = members.filter((ticket) => ticket !== seated);
    return {
      backfillId: game.backfillId,
      ticketIds: newcomers.map(({ ticket }) => ticket.ticketId).sort(),
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

/** The tickets nearest to a skill, at most `most` of them, the nearest first. */
function nearest(
  tickets: readonly QueuedTicket[],
  skill: number,
  most: number,
  mayCome: (queued: QueuedTicket) => boolean,
): QueuedTicket[] {
  const found: QueuedTicket[] = [];
  let up = firstPlace(tickets, ({ ticket }) => ticket.mean >= skill);
  let down = up - 1;
  while (found.length < most && (down >= 0 || up < tickets.length)) {
    const toUp = up < tickets.length ? tickets[up].ticket.mean - skill : Number.POSITIVE_INFINITY;
    const toDown = down >= 0 ? skill - tickets[down].ticket.mean : Number.POSITIVE_INFINITY;
    const next = tickets[toUp <= toDown ? up++ : down--];
    if (mayCome(next)) found.push(next);
  }
  return found;
}

/** The nodes of the search for a first filling, and the tickets among which it is looked for first. */
const firstNodes = 200;
const nearestMax = 64;
