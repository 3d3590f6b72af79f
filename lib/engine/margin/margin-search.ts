import { skillSpread } from '../model/imbalance.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import { SeatCounts } from '../shapes/seat-counts.ts';
import { ShapeDivider } from '../shapes/shape-divider.ts';
import type { ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Forbids, GameRules } from '../types.ts';
import { ChosenTickets } from './chosen-tickets.ts';
import { type SeatClasses, seatClassesOf } from './seat-classes.ts';

/** The scope of a search: games of one ticket, the anchor, with others of these. */
export interface LimitedCandidates {
  /** In ascending order of mean skill. */
  readonly tickets: readonly ShapeTicket[];
  /** The anchor's place. */
  readonly anchor: number;
  readonly limits: TicketLimits;
}

/**
 * What each ticket allows for each of its players, in the unit of skill: the sum of two parts. A game's limit is the mean over
 * its players.
 */
export interface TicketLimits {
  /** The part that grows with the wait: its value now, and when the ticket was new. Values after the last ticket are ignored. */
  readonly now: Float64Array;
  readonly atFirst: Float64Array;
  /** The part that does not grow: v_q of the ticket's own players, and what else a policy adds. Above −`atFirst`. */
  readonly fixed: Float64Array;
}

/**
 * Searches for the game of a ticket with the widest **margin**: its limit less its imbalance, 0 or more.
 *
 * N times the limit is a sum over the players. N·v_2 can be written almost as such a sum:
 *
 * N·v_2 = min over μ and τ of Σ (s − μ)²/2τ + N·τ/2, where μ is their mean and τ their v_2.
 *
 * In a **cell**, a pair of μ and τ, a player is worth what it allows less (s − μ)²/2τ. Without teams, the players worth most
 * are the best game of the cell. Their own mean and v_2 are a better cell; a few of these steps lead to one that is its own
 * best. There each set that is worth more than the margin of the best game so far is divided into teams. A branch ends when
 * the best rest that can be seated is not worth enough.
 *
 * The first search starts at the anchor with large τ. If it leaves a wide margin, that is the result. Otherwise a grid of
 * cells is searched, with all τ that can be a limit: a game whose imbalance is within its limit L is worth 0 or more at
 * τ = L. With 25 to 60 candidates it finds nearly all games within their limits, but it proves nothing.
 *
 * A long wait allows much more than what other players are worth. So waits count for little at first, and for more as long
 * as no game is found.
 */
export class MarginSearch {
  readonly #rules: GameRules;
  readonly #n: number;
  readonly #classes: SeatClasses | undefined;
  /** v_q of typical players in units of their v_2, for q < 2. (Of a normal distribution v_1 is 0.80 of it.) */
  readonly #scale: number;
  readonly #clock: SearchClock;
  readonly #chosen: ChosenTickets;
  readonly #divider: ShapeDivider;
  readonly #seats: SeatCounts | undefined;
  /** The skills of the players chosen. */
  readonly #skills: Float64Array;

  #tickets: readonly ShapeTicket[] = [];
  #anchor = 0;
  #anchorSize = 1;
  /** By place: skill relative to the anchor, mean square within the party (both scaled), what it allows, worth. */
  #x = new Float64Array(64);
  #within = new Float64Array(64);
  #allows = new Float64Array(64);
  #worth = new Float64Array(64);
  /** The places of all but the anchor that are near enough, ascending and those worth most first; and their number. */
  #near = new Int32Array(64);
  #order = new Int32Array(64);
  #count = 0;
  readonly #top: Float64Array;
  /** The players of all but the anchor, ascending: their number and skills, and the sums of the first of them and of their squares. */
  #players = 0;
  #line = new Float64Array(64);
  #sums = new Float64Array(65);
  #squares = new Float64Array(65);
  /** Where in this line the players nearest to μ begin. */
  #nearestFrom = 0;

  /** The current cell. */
  #mu = 0;
  #tau = 1;
  /** What the best set of the cell is worth, less N·τ/2; its mean and v_2. */
  #surplus = 0;
  #bestMean = 0;
  #bestSpread = 0;
  /** The cells whose sets were searched: μ and τ in turn. */
  readonly #searched: number[] = [];

  #nodesLeft = 0;
  #game: ShapedGame | undefined;
  /** The margin of `#game`; before one is found, the one that it has to exceed. */
  #margin = 0;

  /** @param layout of games of up to 16 seats */
  constructor(rules: GameRules, layout: Layout, forbids: Forbids | undefined, clock = new SearchClock()) {
    this.#rules = rules;
    this.#clock = clock;
    this.#n = layout.seats;
    this.#classes = seatClassesOf(layout);
    this.#scale = Math.min(1, 0.6 + 0.2 * rules.q);
    this.#top = new Float64Array(this.#n);
    this.#chosen = new ChosenTickets(layout, this.#classes, forbids);
    this.#divider = new ShapeDivider(rules, layout);
    this.#seats = this.#classes && new SeatCounts(this.#classes.seats);
    this.#skills = new Float64Array(this.#n);
  }

  /** The margin of the last game found. */
  get margin(): number {
    return this.#margin;
  }

  /**
   * The game found; undefined if none is within its limit, or none was found among `nodeBudget` nodes.
   *
   * @param above only games with a wider margin are searched, in which waits count for as little as at first. @default all
   */
  run(candidates: LimitedCandidates, nodeBudget: number, above?: number): ShapedGame | undefined {
    this.#game = undefined;
    this.#margin = above ?? 0;
    this.#nodesLeft = nodeBudget;
    const { tickets, anchor } = candidates;
    if (!this.#chosen.start(tickets[anchor], tickets)) return undefined;
    this.#prepare(candidates);
    const { now, atFirst, fixed } = candidates.limits;
    for (let growthMax = firstGrowthMax; !this.#game; growthMax *= growthStep) {
      let isAll = true;
      for (let i = 0; i < candidates.tickets.length; i++) {
        const most = growthMax * atFirst[i];
        if (now[i] > most) isAll = false;
        this.#allows[i] = Math.min(now[i], most) + fixed[i];
      }
      if (!this.#scan() || isAll || above !== undefined || this.#nodesLeft === 0) break;
    }
    return this.#game;
  }

  #prepare({ tickets, anchor }: LimitedCandidates): void {
    const count = tickets.length;
    if (count > this.#x.length) {
      this.#x = new Float64Array(2 * count);
      this.#within = new Float64Array(2 * count);
      this.#allows = new Float64Array(2 * count);
      this.#worth = new Float64Array(2 * count);
      this.#near = new Int32Array(2 * count);
      this.#order = new Int32Array(2 * count);
    }
    this.#tickets = tickets;
    this.#anchor = anchor;
    this.#anchorSize = tickets[anchor].size;
    const origin = tickets[anchor].mean;
    let players = 0;
    for (let i = 0; i < count; i++) {
      const { mean, spread, size } = tickets[i];
      const x = this.#scale * (mean - origin);
      this.#x[i] = x;
      this.#within[i] = (this.#scale * this.#scale * spread) / size;
      if (i === anchor) continue;
      if (players + size > this.#line.length) this.#reserve(2 * (players + size));
      for (let left = size; left > 0; left--, players++) {
        this.#line[players] = x;
        this.#sums[players + 1] = this.#sums[players] + x;
        this.#squares[players + 1] = this.#squares[players] + x * x;
      }
    }
    this.#players = players;
  }

  /** Makes room for more players, and keeps those there are. */
  #reserve(players: number): void {
    const [line, sums, squares] = [this.#line, this.#sums, this.#squares];
    this.#line = new Float64Array(players);
    this.#sums = new Float64Array(players + 1);
    this.#squares = new Float64Array(players + 1);
    this.#line.set(line);
    this.#sums.set(sums);
    this.#squares.set(squares);
  }

  /** Searches from the anchor, then the grid. Returns false when the candidates cannot fill a game. */
  #scan(): boolean {
    const n = this.#n;
    this.#searched.length = 0;
    const { lowest, highest } = this.#limits();
    this.#leaveOutFar(highest);
    this.#enter(0, highest);
    if (this.#surplus === Number.NEGATIVE_INFINITY) return this.#count < this.#tickets.length - 1;
    this.#climb();
    if (this.#margin >= wideMargin * highest) return true;
    // The mean of a game is at most √(N/size)·v_2 away from the anchor.
    const steps = Math.ceil(Math.sqrt(n / this.#anchorSize) / muStep);
    for (let tau = Math.max(lowest, tauRange * highest); ; tau *= tauStep) {
      const atMu = this.#worthOfTop(0, tau, 0);
      this.#nearestFrom = 0;
      for (let at = -steps; at <= steps && this.#nodesLeft > 0; at++) {
        // A cell looks at all candidates.
        if (this.#clock.isOver(1 + (this.#count >> 3))) this.#nodesLeft = 0;
        const mu = at * muStep * tau;
        const needed = n * (this.#margin - slack * tau);
        if (this.#surplusNear(mu, tau, atMu) <= needed || this.#surplusAtMost(mu, tau) <= needed) continue;
        this.#enter(mu, tau);
        if (this.#surplus > needed) this.#climb();
      }
      if (tau >= highest || this.#nodesLeft === 0) return true;
    }
  }

  /** The least and the greatest limit of a game of the anchor. */
  #limits(): { lowest: number; highest: number } {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let i = 0; i < this.#tickets.length; i++) {
      if (i === this.#anchor) continue;
      least = Math.min(least, this.#allows[i]);
      most = Math.max(most, this.#allows[i]);
    }
    const own = this.#anchorSize * this.#allows[this.#anchor];
    const missing = this.#n - this.#anchorSize;
    // It fills the game by itself, and nobody else may be there.
    if (missing === 0) return { lowest: own / this.#n, highest: own / this.#n };
    return { lowest: (own + missing * least) / this.#n, highest: (own + missing * most) / this.#n };
  }

  /**
   * Leaves out who is too far from the anchor for any game within the highest limit. Parties of m and k players whose means
   * are d apart make the sum of squares of a game, N·v_2² ≤ N·v_q² for q ≥ 2, at least d²·mk/(m + k).
   */
  #leaveOutFar(highest: number): void {
    const squares = this.#rules.q < 2 ? Number.POSITIVE_INFINITY : this.#n * highest * highest * (1 + 1e-9);
    const own = this.#anchorSize;
    let count = 0;
    for (let i = 0; i < this.#tickets.length; i++) {
      if (i === this.#anchor) continue;
      const { size } = this.#tickets[i];
      if (this.#x[i] * this.#x[i] * own * size > squares * (own + size)) continue;
      this.#near[count] = i;
      this.#order[count++] = i;
    }
    this.#count = count;
  }

  /**
   * No set of the cell has a larger surplus. It takes those who would be worth most if all were at μ, and the distances of
   * those who are nearest. μ ascends from call to call.
   *
   * @param atMu `#worthOfTop` if all were at μ
   */
  #surplusNear(mu: number, tau: number, atMu: number): number {
    const missing = this.#n - this.#anchorSize;
    if (atMu === Number.NEGATIVE_INFINITY) return atMu;
    const line = this.#line;
    let from = this.#nearestFrom;
    while (from + missing < this.#players && Math.abs(line[from + missing] - mu) <= Math.abs(line[from] - mu))
      from++;
    this.#nearestFrom = from;
    const sum = this.#sums[from + missing] - this.#sums[from];
    const squares = this.#squares[from + missing] - this.#squares[from];
    const away = squares - mu * (2 * sum - missing * mu);
    return this.#worthOfAnchor(mu, tau) + atMu - away / (2 * tau) - (this.#n * tau) / 2;
  }

  /** No set of the cell has a larger surplus. It lets parties be split and ignores roles, and needs no order. */
  #surplusAtMost(mu: number, tau: number): number {
    return this.#worthOfAnchor(mu, tau) + this.#worthOfTop(mu, tau, 1) - (this.#n * tau) / 2;
  }

  /** What the players of the anchor are worth in a cell. */
  #worthOfAnchor(mu: number, tau: number): number {
    const anchor = this.#anchor;
    return this.#anchorSize * (this.#allows[anchor] - (this.#within[anchor] + mu * mu) / (2 * tau));
  }

  /** What the other players are worth who are worth most, as many as a game needs; −∞ when there are too few. */
  #worthOfTop(mu: number, tau: number, distanceCounts: 0 | 1): number {
    const half = 1 / (2 * tau);
    const top = this.#top;
    const missing = this.#n - this.#anchorSize;
    let filled = 0;
    let least = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < this.#count; at++) {
      const i = this.#near[at];
      const away = distanceCounts * (this.#x[i] - mu);
      const worth = this.#allows[i] - half * (this.#within[i] + away * away);
      if (filled === missing && worth <= least) continue;
      for (let left = this.#tickets[i].size; left > 0; left--) {
        if (filled < missing) filled++;
        else if (worth <= top[missing - 1]) break;
        let to = filled - 1;
        for (; to > 0 && top[to - 1] < worth; to--) top[to] = top[to - 1];
        top[to] = worth;
      }
      least = top[missing - 1];
    }
    if (filled < missing) return Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let i = 0; i < missing; i++) sum += top[i];
    return sum;
  }

  /** Goes to the cell of the best set as long as that is better, and searches the last one. */
  #climb(): void {
    const tauMin = 1e-3 * this.#tau;
    for (let step = 0; step < climbStepsMax; step++) {
      const before = this.#surplus;
      this.#enter(this.#bestMean, Math.max(this.#bestSpread, tauMin));
      if (!(this.#surplus > before + 1e-3 * Math.abs(before))) break;
    }
    if (this.#surplus <= this.#n * (this.#margin - slack * this.#tau) || this.#wasSearched()) return;
    this.#searched.push(this.#mu, this.#tau);
    const size = this.#anchorSize;
    const anchor = this.#anchor;
    this.#extend(
      0,
      size,
      size * this.#worth[anchor],
      0,
      size * this.#within[anchor],
      size * this.#allows[anchor],
    );
  }

  /** Whether the sets of nearly the same cell were searched. */
  #wasSearched(): boolean {
    const near = 0.05 * this.#tau;
    for (let i = 0; i < this.#searched.length; i += 2) {
      if (Math.abs(this.#searched[i] - this.#mu) < near && Math.abs(this.#searched[i + 1] - this.#tau) < near)
        return true;
    }
    return false;
  }

  /** Computes what each player is worth in a cell, sorts them, and takes the best that can be seated. */
  #enter(mu: number, tau: number): void {
    this.#mu = mu;
    this.#tau = tau;
    const tickets = this.#tickets;
    const worth = this.#worth;
    const half = 1 / (2 * tau);
    for (let at = 0; at < this.#count; at++) {
      const i = this.#near[at];
      const away = this.#x[i] - mu;
      worth[i] = this.#allows[i] - half * (this.#within[i] + away * away);
    }
    this.#sort();
    this.#seats?.copy(this.#chosen.seats!);
    const n = this.#n;
    const anchor = this.#anchor;
    worth[anchor] = this.#allows[anchor] - half * (this.#within[anchor] + mu * mu);
    let left = n - this.#anchorSize;
    let sum = this.#anchorSize * worth[anchor];
    let total = 0;
    let squares = this.#anchorSize * this.#within[anchor];
    for (let at = 0; at < this.#count && left > 0; at++) {
      const place = this.#order[at];
      const taken = this.#seat(tickets[place], left);
      const x = this.#x[place];
      sum += taken * worth[place];
      total += taken * x;
      squares += taken * (x * x + this.#within[place]);
      left -= taken;
    }
    this.#surplus = left > 0 ? Number.NEGATIVE_INFINITY : sum - (n * tau) / 2;
    this.#bestMean = total / n;
    this.#bestSpread = Math.sqrt(Math.max(0, squares - (total * total) / n) / n);
  }

  /** Adds the players of a ticket to `#seats` who have one, at most `left`. Returns how many. */
  #seat(ticket: ShapeTicket, left: number): number {
    const most = Math.min(left, ticket.size);
    const seats = this.#seats;
    if (seats === undefined) return most;
    const masks = this.#classes!.masksOf(ticket);
    let taken = 0;
    for (let i = 0; i < masks.length && taken < most; i++) if (seats.joinOne(masks[i])) taken++;
    return taken;
  }

  /** Sorts by insertion: from cell to cell the order hardly changes. */
  #sort(): void {
    const order = this.#order;
    const worth = this.#worth;
    for (let at = 1; at < this.#count; at++) {
      const place = order[at];
      const value = worth[place];
      let to = at;
      for (; to > 0 && worth[order[to - 1]] < value; to--) order[to] = order[to - 1];
      order[to] = place;
    }
  }

  /**
   * Tries every next ticket, those worth most first.
   *
   * @param m the players chosen, with the sums of their worth, skills, squares and what they allow
   */
  #extend(from: number, m: number, sum: number, total: number, squares: number, allowed: number): void {
    const n = this.#n;
    const r = n - m;
    if (r === 0) {
      this.#offer(total, squares, allowed);
      return;
    }
    const chosen = this.#chosen;
    const tickets = this.#tickets;
    if (this.#clock.isOver(1 + (this.#count >> 6))) this.#nodesLeft = 0;
    for (let at = from; at < this.#count; at++) {
      const place = this.#order[at];
      const ticket = tickets[place];
      const { size } = ticket;
      if (size > r || !chosen.hasSeat(ticket)) continue;
      const needed = n * (this.#margin - slack * this.#tau + this.#tau / 2);
      if (sum + this.#worthOfRest(at, r) <= needed) break;
      if (!chosen.fits(ticket)) continue;
      if (this.#nodesLeft === 0) return;
      this.#nodesLeft--;
      if (chosen.refuses(ticket)) continue;
      const x = this.#x[place];
      if (!chosen.join(ticket)) continue;
      this.#extend(
        at + 1,
        m + size,
        sum + size * this.#worth[place],
        total + size * x,
        squares + size * (x * x + this.#within[place]),
        allowed + size * this.#allows[place],
      );
      chosen.leave();
    }
  }

  /** What the best r players from this place in the order on are worth that can be seated with the chosen. */
  #worthOfRest(from: number, r: number): number {
    const tickets = this.#tickets;
    this.#seats?.copy(this.#chosen.seats!);
    let sum = 0;
    let left = r;
    for (let at = from; at < this.#count; at++) {
      const place = this.#order[at];
      if (tickets[place].size > r) continue;
      const taken = this.#seat(tickets[place], left);
      sum += taken * this.#worth[place];
      left -= taken;
      if (left === 0) return sum;
    }
    return Number.NEGATIVE_INFINITY;
  }

  /** Divides the chosen and keeps the game if its margin is the widest so far. */
  #offer(total: number, squares: number, allowed: number): void {
    const n = this.#n;
    const { alpha, q } = this.#rules;
    const limit = allowed / n;
    if (q >= 2 && limit - Math.sqrt(Math.max(0, squares - (total * total) / n) / n) <= this.#margin) return;
    const members = this.#chosen.tickets;
    const spread = this.#skillSpread(members);
    const room = limit - spread - this.#margin;
    if (room <= 0) return;
    const stepsBefore = this.#divider.steps;
    const unfair = alpha * this.#divider.divide(members, room / alpha);
    const nodes = Math.floor((this.#divider.steps - stepsBefore) / stepsPerNode);
    this.#nodesLeft = this.#clock.isOver(nodes) ? 0 : Math.max(0, this.#nodesLeft - nodes);
    if (unfair >= room) return;
    this.#margin = limit - spread - unfair;
    const teams = this.#divider.teams.slice();
    this.#game = { members: [...members], teams, imbalance: spread + unfair };
  }

  #skillSpread(members: readonly ShapeTicket[]): number {
    let player = 0;
    for (const { skills } of members)
      for (let i = 0; i < skills.length; i++) this.#skills[player++] = skills[i];
    return skillSpread(this.#skills, this.#rules.q);
  }
}

/** By how many times at most a wait raises what a ticket allows, at first; and the factor to the next value. */
const firstGrowthMax = 2;
const growthStep = 3;
/** A game whose margin is this share of the highest limit is not improved by searches at other cells. */
const wideMargin = 0.5;
/** The grid: the distance of two μ as a share of τ, and the ratio of two τ. Finer ones find hardly more games. */
const muStep = 0.7;
const tauStep = 1.5;
/** No τ is below this part of the highest limit: games of a lower one are climbed to. */
const tauRange = 1e-6;
/** The share of τ by which a set may be worth less in a cell near its own. */
const slack = 0.04;
const climbStepsMax = 6;
/** The steps of a division that count as a node; small games have fewer. */
const stepsPerNode = 128;
