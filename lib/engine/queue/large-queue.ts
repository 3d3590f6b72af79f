import { mayMeet } from '../model/forbids.ts';
import { sortBySkill } from '../model/pooled-ticket.ts';
import { SearchClock } from '../model/search-clock.ts';
import { Balancer } from '../shapes/balancer.ts';
import { Draft } from '../shapes/draft.ts';
import type { Layout } from '../shapes/layout.ts';
import type { Permit } from '../shapes/permit.ts';
import { permittedGame } from '../shapes/permitted-game.ts';
import { meanOf, type ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeAnswer, ShapeQueue } from '../shapes/shape-queue.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import { packTeams, solosNeeded } from '../shapes/team-packing.ts';
import type { Forbids, GameRules } from '../types.ts';
import { CentreBound } from './centre-bound.ts';
import { CheapestPlayers } from './cheapest-players.ts';
import { Line, type QueuedTicket } from './line.ts';

/** A ticket near a centre, with the mean squared distance of its players. */
interface Near {
  readonly ticket: ShapeTicket;
  readonly cost: number;
}

/** The waiting tickets since the last insert, and what bounds their games. */
interface Settled {
  /** In order of skill, with those that have left. */
  readonly tickets: readonly ShapeTicket[];
  readonly queued: ReadonlyMap<ShapeTicket, QueuedTicket>;
  readonly line: Line;
  readonly cheapest: CheapestPlayers;
  readonly centres: CentreBound;
}

/**
 * The game queue for shapes of more than 16 seats: the best game found, with a certified bound.
 *
 * Many players can nearly always be divided evenly, so the bound covers skillSpread alone, for q ≥ 2. The tickets around
 * the best centre (`CentreBound`) fill the teams, in small teams with parties in the proportion in which they wait: the best game of all
 * would often take solo players only, and leave parties that no ticket can complete. The teams are then balanced (`Balancer`).
 *
 * Under constraints tickets join a draft only if the constraints admit them beside those placed before, and what only a
 * whole game shows is mended at the end (`permittedGame`).
 */
export class LargeQueue implements ShapeQueue {
  epochMs = 0;

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #forbids: Forbids | undefined;
  readonly #permit: Permit | undefined;
  readonly #clock: SearchClock;
  readonly #balancer: Balancer;
  readonly #waiting = new Set<ShapeTicket>();
  /** How many parties of each size wait; those that may be divided count as solo players. */
  readonly #sizes: number[];
  /** How many full drafts could not be made permitted games. */
  #unpermitted = 0;
  #settled: Settled | undefined;

  /** @param permit the constraints on its games. @default none */
  constructor(
    rules: GameRules,
    layout: Layout,
    forbids: Forbids | undefined,
    permit?: Permit,
    clock = new SearchClock(),
  ) {
    this.#rules = rules;
    this.#layout = layout;
    this.#forbids = forbids;
    this.#permit = permit;
    this.#clock = clock;
    this.#balancer = new Balancer(rules, forbids, permit, clock);
    this.#sizes = new Array<number>(layout.partyMax + 1).fill(0);
  }

  insert(ticket: ShapeTicket): void {
    this.#waiting.add(ticket);
    this.#count(ticket, 1);
    this.#settled = undefined;
  }

  remove(ticket: ShapeTicket): boolean {
    if (!this.#waiting.delete(ticket)) return false;
    this.#count(ticket, -1);
    const queued = this.#settled?.queued.get(ticket);
    if (queued) queued.isHere = false;
    return true;
  }

  best(): ShapeAnswer {
    if (!this.#hasSolosToFill()) return none;
    const least = this.#settle().centres.least();
    if (!least) return none;
    let game = this.#around(least.cell.centre, undefined);
    if (this.#rules.beta > 0) game = this.#cheaper(game, this.#withOldest());
    game ??= this.#anyGame();
    return this.#answer(game, this.#costBound(least.bound));
  }

  bestWith(ticket: ShapeTicket): ShapeAnswer {
    const bound = this.#boundOfAll();
    if (!this.#waiting.has(ticket)) return { ...none, costBound: bound };
    if (!this.#hasSolosToFill()) return none;
    return this.#answer(this.#with(ticket), bound);
  }

  /** A bound on the cost of every game, without a search. */
  outlook(): { cost: number; costBound: number } {
    return { cost: Number.POSITIVE_INFINITY, costBound: this.#boundOfAll() };
  }

  /** The game of a full draft, balanced; undefined when no permitted one was found. */
  #finish(draft: Draft, near: readonly ShapeTicket[]): ShapedGame | undefined {
    const game = this.#balancer.balance(draft, near);
    if (!this.#permit) return game;
    const permitted = permittedGame(draft, near, this.#rules, this.#forbids, this.#permit, this.#clock);
    if (!permitted) this.#unpermitted++;
    return permitted;
  }

  #boundOfAll(): number {
    const least = this.#settle().centres.least();
    return least ? this.#costBound(least.bound) : Number.POSITIVE_INFINITY;
  }

  /** A bound on the cost of every game, from one on their v_2. */
  #costBound(spread: number): number {
    return (this.#rules.q < 2 ? 0 : spread) - this.#greatestCredit();
  }

  /**
   * A good game around a centre, with this ticket if one is given: full, else the largest that is found, or as short as allowed
   * where that costs less.
   */
  #around(centre: number, forced: ShapeTicket | undefined): ShapedGame | undefined {
    const { seats, seatsMin } = this.#layout;
    const isHard = this.#permit !== undefined || this.#areHardToPack();
    const near = this.#near(centre, (isHard ? 5 : 2) * seats + 40);
    const sizes = sizesOf(this.#layout);
    const game = this.#players() >= seats ? this.#drafted(centre, near, forced, sizes) : undefined;
    if (seatsMin === seats) return game;
    return this.#cheaper(
      game ?? this.#short(centre, near, forced),
      this.#drafted(centre, near, forced, sizesOf(this.#layout, 0)),
    );
  }

  /** A game with as many players as are found for it. */
  #short(centre: number, near: readonly Near[], forced: ShapeTicket | undefined): ShapedGame | undefined {
    const most = this.#drafted(centre, near, forced, sizesOf(this.#layout), true);
    // Where rules judge teams, their sizes may have to be equal, and as many as fit are not.
    return this.#permit?.judgesTeams ? this.#cheaper(most, this.#largest(centre, near, forced)) : most;
  }

  /** The game with the most players over its minimum in each team that is found by bisection; undefined when none has more. */
  #largest(centre: number, near: readonly Near[], forced: ShapeTicket | undefined): ShapedGame | undefined {
    const { kinds } = this.#layout;
    const waiting = this.#players();
    const total = (more: number) => sizesOf(this.#layout, more).reduce((a, b) => a + b, 0);
    let found: ShapedGame | undefined;
    let least = 0;
    let most = Math.max(...kinds.map(({ size, minSize }) => size - minSize)) - 1;
    while (most > 0 && total(most) > waiting) most--;
    // As many as there are players for is most often possible.
    for (let more = most; more > least && !this.#clock.isOver(); more = (least + most + 1) >> 1) {
      const game = this.#drafted(centre, near, forced, sizesOf(this.#layout, more));
      if (game) {
        found = game;
        least = more;
      } else most = more - 1;
    }
    return found;
  }

  #drafted(
    centre: number,
    near: readonly Near[],
    forced: ShapeTicket | undefined,
    sizes: readonly number[],
    mayBeShort = false,
  ): ShapedGame | undefined {
    const game = this.#draftedWith(centre, near, forced, undefined, sizes, mayBeShort);
    if (game || !this.#permit || forced) return game;
    // The first ticket decides who may join, so others are tried as the first.
    const failedBefore = this.#unpermitted;
    for (const { ticket } of near.slice(1, firstTickets)) {
      if (this.#clock.isOver()) break;
      if (this.#unpermitted - failedBefore >= unpermittedMax) break;
      const other = this.#draftedWith(centre, near, undefined, ticket, sizes, mayBeShort);
      if (other) return other;
    }
    return undefined;
  }

  /**
   * A game with the forced ticket, which has to be in it, or begun with the first one.
   *
   * @param mayBeShort whether seats beyond the minimum of each team may stay empty
   */
  #draftedWith(
    centre: number,
    near: readonly Near[],
    forced: ShapeTicket | undefined,
    first: ShapeTicket | undefined,
    sizes: readonly number[],
    mayBeShort: boolean,
  ): ShapedGame | undefined {
    const permit = this.#permit;
    const mayBeMates = permit?.judgesTeams ? permit.mayBeMates.bind(permit) : undefined;
    let best: ShapedGame | undefined;
    for (const way of [
      'cheapest',
      'in proportion',
      'nearest first',
      'largest first',
      'without cost',
    ] as const) {
      if (this.#clock.isOver()) break;
      if (way === 'without cost' && !permit?.hasCosts) continue;
      if (way === 'cheapest' && (permit || forced || this.#forbids || this.#areHardToPack())) continue;
      const draft = new Draft(this.#layout, centre, sizes, way === 'largest first', mayBeMates);
      permit?.begin([]);
      const begun = forced ?? first;
      if (begun && !this.#place(draft, begun)) return undefined;
      if (way === 'cheapest') {
        if (!this.#placeCheapest(draft)) continue;
      } else if (way === 'in proportion') {
        if (!this.#areHardToPack()) continue;
        this.#placeParties(draft, near);
        this.#placeSolos(draft, near);
      } else if (way === 'nearest first') this.#placeNearest(draft, near);
      else if (way === 'without cost') this.#placeFree(draft, near);
      const order = way === 'largest first' ? near.toSorted((a, b) => b.ticket.size - a.ticket.size) : near;
      this.#placeAll(draft, order);
      if (!draft.isFull && near.length < this.#waiting.size) {
        const all = this.#near(centre, Number.POSITIVE_INFINITY);
        this.#placeAll(
          draft,
          way === 'largest first' ? all.sort((a, b) => b.ticket.size - a.ticket.size) : all,
        );
      }
      const isFull = draft.isFull;
      if (mayBeShort && draft.hasMinimum) draft.close();
      if (!draft.isFull) continue;
      const others = near.filter(({ ticket }) => !draft.members.has(ticket) && ticket !== forced);
      // The ticket that has to be in the game may not be replaced.
      const count = this.#areHardToPack() ? replacementsOfParties : replacements;
      const spare = forced ? [] : others.slice(0, count).map(({ ticket }) => ticket);
      const game = this.#finish(draft, spare);
      best = this.#cheaper(best, game);
      if (game) best = this.#cheaper(best, this.#toppedUp(draft, order, spare));
      if (best && isFull && !permit?.hasCosts) return best;
    }
    return best;
  }

  /** The game of a finished draft with further players in the seats that its teams have beyond; undefined if there are none. */
  #toppedUp(draft: Draft, order: readonly Near[], spare: readonly ShapeTicket[]): ShapedGame | undefined {
    draft.open();
    const { players } = draft;
    this.#permit?.begin(draft.members);
    this.#placeAll(draft, order);
    if (draft.players === players) return undefined;
    // The seats that stay empty are not there to balance teams with: a team could fall below its minimum.
    draft.close();
    return this.#finish(
      draft,
      spare.filter((ticket) => !draft.members.has(ticket)),
    );
  }

  /** Fills the teams with the whole parties of least cost; false, and nothing changes, if they were not packed into them. */
  #placeCheapest(draft: Draft): boolean {
    const { kindOf, kinds } = this.#layout;
    const { members } = this.#settle().cheapest.around(draft.centre, undefined);
    const tickets = members.map(({ ticket }) => ticket);
    const isWhole = this.#layout.seatsMin === this.#layout.seats && !this.#layout.classes;
    if (!isWhole || tickets.length === 0 || tickets.some(({ isSplit }) => isSplit)) return false;
    const mix = new Int32Array(this.#sizes.length);
    for (const { size } of tickets) mix[size]++;
    const packed = packTeams(
      mix,
      kindOf.map((kind) => kinds[kind].size),
    );
    if (packed) draft.placePacked(tickets, packed);
    return packed !== undefined;
  }

  /** The waiting tickets nearest to a centre, until they have this number of players, those of least cost first. */
  #near(centre: number, players: number): Near[] {
    const { line } = this.#settle();
    const near: Near[] = [];
    let up = line.firstFrom(centre);
    let down = up === -1 ? line.lastBelow(centre) : line.waitingBefore(up);
    for (let left = players; left > 0 && (up !== -1 || down !== -1); ) {
      const isUp = down === -1 || (up !== -1 && line.means[up] - centre <= centre - line.means[down]);
      const { ticket } = line.tickets[isUp ? up : down];
      if (isUp) up = line.waitingAfter(up);
      else down = line.waitingBefore(down);
      near.push({ ticket, cost: (ticket.mean - centre) ** 2 + ticket.spread / ticket.size });
      left -= ticket.size;
    }
    return near.sort(
      (a, b) => a.cost - b.cost || (a.ticket.ticket.ticketId < b.ticket.ticket.ticketId ? -1 : 1),
    );
  }

  /** Places parties of each size in the proportion in which they wait, the largest first. */
  #placeParties(draft: Draft, near: readonly Near[]): void {
    const seats = draft.free.reduce((sum, free) => sum + free, 0);
    const players = this.#players();
    // A party moves the sum of its team as a whole, so its distance from the centre counts more than what differs in it.
    const { centre } = draft;
    const weights = new Map(
      near.map((one) => [
        one,
        one.cost + (partyDistance * one.ticket.size * (one.ticket.mean - centre)) ** 2,
      ]),
    );
    const order = near.toSorted((a, b) => weights.get(a)! - weights.get(b)!);
    for (let size = this.#sizes.length - 1; size > 1; size--) {
      let wanted = Math.round((this.#sizes[size] * seats) / players);
      for (const { ticket } of order) {
        if (wanted === 0 || this.#clock.isOver()) break;
        if (ticket.size === size && !ticket.isSplit && this.#place(draft, ticket)) wanted--;
      }
    }
  }

  /** Fills the free seats with the solo players of least cost, the most skilled first, where all can take every seat. */
  #placeSolos(draft: Draft, near: readonly Near[]): void {
    if (this.#layout.classes) return;
    const seats = draft.free.reduce((sum, free) => sum + free, 0);
    const solos = near
      .filter(({ ticket }) => ticket.size === 1 && !draft.members.has(ticket))
      .slice(0, seats);
    solos.sort((a, b) => b.ticket.mean - a.ticket.mean);
    for (const { ticket } of solos) this.#place(draft, ticket);
  }

  /** Chooses the tickets of least cost that fill the seats, and places the largest first, the most skilled of one size. */
  #placeNearest(draft: Draft, near: readonly Near[]): void {
    if (this.#layout.classes) return;
    let seats = draft.free.reduce((sum, free) => sum + free, 0);
    const chosen: ShapeTicket[] = [];
    const permit = this.#permit;
    for (const { ticket } of near) {
      if (ticket.size > seats || draft.members.has(ticket)) continue;
      if (permit) {
        if (!permit.admits(ticket)) continue;
        permit.join(ticket);
      }
      chosen.push(ticket);
      seats -= ticket.size;
    }
    const sizeOf = ({ size, isSplit }: ShapeTicket) => (isSplit ? 1 : size);
    chosen.sort((a, b) => sizeOf(b) - sizeOf(a) || b.mean - a.mean);
    permit?.begin(draft.members);
    for (const ticket of chosen) this.#place(draft, ticket);
  }

  /** Places the nearest tickets that add nothing to the cost of those before. */
  #placeFree(draft: Draft, near: readonly Near[]): void {
    for (const { ticket } of near) {
      if (draft.isFull || this.#clock.isOver(1 + (draft.members.size >> 3))) return;
      if (!this.#permit!.raisesCost(ticket)) this.#place(draft, ticket);
    }
  }

  #placeAll(draft: Draft, order: readonly Near[]): void {
    let free = draft.free.reduce((sum, seats) => sum + seats, 0);
    for (const { ticket } of order) {
      if (free === 0 || this.#clock.isOver(1 + (draft.members.size >> 3))) return;
      if (ticket.size <= free && !draft.members.has(ticket) && this.#place(draft, ticket))
        free -= ticket.size;
    }
  }

  #place(draft: Draft, ticket: ShapeTicket): boolean {
    if (draft.members.has(ticket)) return false;
    if (!mayMeet(ticket, draft.members, this.#forbids)) return false;
    if (this.#permit && !this.#permit.admits(ticket)) return false;
    if (!draft.place(ticket)) return false;
    this.#permit?.join(ticket);
    return true;
  }

  /**
   * Whether parties have to play in the proportion in which they wait. Otherwise games would take the solo players, and
   * leave parties that no ticket can complete. In large teams there is nearly always a place for a party.
   */
  #areHardToPack(): boolean {
    const smallest = Math.min(...this.#layout.kinds.map(({ size }) => size));
    return this.#sizes.some((count, size) => size > 1 && count > 0 && hardToPack * size > smallest);
  }

  /** Whether as many solo players wait as the parties need beside them to fill the teams. */
  #hasSolosToFill(): boolean {
    return this.#sizes[1] >= solosNeeded(this.#sizes, this.#layout);
  }

  /** A good game with a ticket: around itself, then around the means of the games found. */
  #with(ticket: ShapeTicket): ShapedGame | undefined {
    let centre = ticket.mean;
    let best: ShapedGame | undefined;
    for (let turn = 0; turn < 3 && !this.#clock.isOver(); turn++) {
      const game = this.#around(centre, ticket);
      if (!game) break;
      if (best && this.#costOf(game) >= this.#costOf(best)) break;
      best = game;
      centre = meanOf(game.members);
    }
    if (!best) this.#clock.giveUp();
    return best;
  }

  /** With β: a good game of the longest-waiting ticket. */
  #withOldest(): ShapedGame | undefined {
    let oldest: ShapeTicket | undefined;
    for (const ticket of this.#inOrder())
      if (!oldest || ticket.ticket.enqueuedAtMs < oldest.ticket.enqueuedAtMs) oldest = ticket;
    return oldest && this.#with(oldest);
  }

  /** Any game at all: with each ticket in turn. */
  #anyGame(): ShapedGame | undefined {
    for (const ticket of this.#inOrder().slice(0, anyGameTickets)) {
      if (this.#clock.isOver()) break;
      const game = this.#with(ticket);
      if (game) return game;
    }
    return undefined;
  }

  #cheaper(a: ShapedGame | undefined, b: ShapedGame | undefined): ShapedGame | undefined {
    if (!a || !b) return a ?? b;
    return this.#costOf(b) < this.#costOf(a) ? b : a;
  }

  #answer(game: ShapedGame | undefined, bound: number): ShapeAnswer {
    const cost = game ? this.#costOf(game) : Number.POSITIVE_INFINITY;
    return { game, cost, costBound: Math.min(cost, bound) };
  }

  #costOf(game: ShapedGame): number {
    if (this.#rules.beta === 0) return game.imbalance;
    return game.imbalance - Math.max(...game.members.map((member) => this.#creditOf(member)));
  }

  #creditOf({ ticket }: ShapeTicket): number {
    return (this.#rules.beta * (this.epochMs - ticket.enqueuedAtMs)) / 1000;
  }

  #greatestCredit(): number {
    if (this.#rules.beta === 0) return 0;
    return this.#inOrder().reduce((most, ticket) => Math.max(most, this.#creditOf(ticket)), 0);
  }

  /** The waiting tickets in order of skill. */
  #inOrder(): ShapeTicket[] {
    return this.#settle().tickets.filter((ticket) => this.#waiting.has(ticket));
  }

  /** The players who wait. */
  #players(): number {
    return this.#sizes.reduce((sum, count, size) => sum + count * size, 0);
  }

  #count({ size, isSplit }: ShapeTicket, times: 1 | -1): void {
    if (isSplit) this.#sizes[1] += times * size;
    else this.#sizes[size] += times;
  }

  /** Orders the tickets when some have been inserted since the last query. */
  #settle(): Settled {
    if (this.#settled) return this.#settled;
    const tickets = sortBySkill([...this.#waiting]);
    const queued = tickets.map((ticket): QueuedTicket => ({ ticket, credit: 0, number: 0, isHere: true }));
    const cheapest = new CheapestPlayers(queued, this.#layout, true);
    const low = tickets[0]?.mean ?? 0;
    const high = tickets[tickets.length - 1]?.mean ?? 0;
    this.epochMs = tickets.reduce((latest, { ticket }) => Math.max(latest, ticket.enqueuedAtMs), 0);
    this.#settled = {
      tickets,
      queued: new Map(queued.map((one) => [one.ticket, one])),
      line: new Line(queued),
      cheapest,
      centres: new CentreBound(cheapest, this.#layout.seatsMin, low, high, this.#clock),
    };
    return this.#settled;
  }
}

/** The players of each team: all, or its minimum and `more`. */
function sizesOf({ kindOf, kinds }: Layout, more = Number.POSITIVE_INFINITY): number[] {
  return kindOf.map((kind) => Math.min(kinds[kind].size, kinds[kind].minSize + more));
}

const none: ShapeAnswer = {
  game: undefined,
  cost: Number.POSITIVE_INFINITY,
  costBound: Number.POSITIVE_INFINITY,
};

/** How much the distance of a party from the centre counts, times its size, beside what it adds to skillSpread. */
const partyDistance = 3;

/** Parties of more than this part of the smallest team are hard to pack. */
const hardToPack = 4;

/** The tickets in no game that may replace others. */
const replacements = 24;

/** The same where parties are hard to pack: few of the nearest have the size of the one that is replaced. */
const replacementsOfParties = 200;

/** The tickets that are tried as the first of a game under constraints. */
const firstTickets = 12;

/** The full drafts that may fail before no further first tickets are tried. */
const unpermittedMax = 3;

/** The tickets that are tried when no game was found around the best centre. */
const anyGameTickets = 200;
