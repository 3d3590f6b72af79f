import { skillSpreadBound } from '../bounds/fill-bound.ts';
import { deficitOf, jointBound } from '../bounds/joint-bound.ts';
import { lemma6 } from '../bounds/range-bounds.ts';
import { skillSpreadOfRelative } from '../model/imbalance.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import { PermittedDivider } from '../shapes/permitted-divider.ts';
import type { Room } from '../shapes/size-mixes.ts';
import type { Constraints, Forbids, GameRules } from '../types.ts';
import { Candidates } from './candidates.ts';
import type { QueuedTicket } from './line.ts';
import { type LoneTeam, loneTeamOf } from './lone-team.ts';
import { PartialGame } from './partial-game.ts';

/** Tickets divided into the teams of a game. */
export interface FoundGame {
  readonly queued: readonly QueuedTicket[];
  /** The team of each player, in the order of the tickets and their players. */
  readonly teams: Uint8Array;
  /** f, with the costs of empty seats and constraints. */
  readonly imbalance: number;
}

/** A ticket, or the seated players of a running game, and the others among which games with it are searched. */
export interface Scope {
  readonly anchor: QueuedTicket;
  /** Ascending by mean skill, without the anchor. */
  readonly others: readonly QueuedTicket[];
  /** Whether a longer wait than the anchor's lowers the cost of a game. @default false */
  readonly countsWaits?: boolean;
}

/** What a search found and proved. */
export interface SearchResult {
  /** The game of least cost below the limit; undefined if there is none, or none was found. */
  readonly game: FoundGame | undefined;
  /** Its imbalance less its credit beyond the anchor's; the limit without a game. */
  readonly cost: number;
  /** No game in the scope costs less. It may be above the limit if there is no game. */
  readonly bound: number;
  /** Whether the search ended because its nodes or its time were spent. */
  readonly wasCut: boolean;
}

/**
 * The exact search around a ticket, for every layout of up to 16 seats, with parties, seats, refused pairs, constraints and
 * waits.
 *
 * It goes depth first through sets of tickets in order of skill relative to the anchor. Bounds hold for every later start of
 * the fill, so each loop ends at the first candidate that fails one. After a ticket joins that makes others impossible, the
 * candidates are filtered, so the fill consists of tickets that may still join.
 */
export class GameSearch {
  /** The nodes visited since construction. */
  nodes = 0;

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #hasForbids: boolean;
  readonly #constraints: Constraints | undefined;
  readonly #clock: SearchClock;
  readonly #partial: PartialGame;
  readonly #divider: PermittedDivider;
  readonly #fill: Float64Array;
  /** The candidates after each ticket that had them filtered. */
  readonly #levels: Candidates[] = [];
  #leaf = new Float64Array(0);

  // The search that runs.
  #n = 0;
  /** c of Lemma 6. */
  #perRange = 0;
  /** The imbalance of the seats that stay empty. */
  #empty = 0;
  #countsWaits = false;
  #hasParties = false;
  /** −1 while candidates descend. */
  #sign = 1;
  #lone: LoneTeam | undefined;
  /** Whether the joint bound holds: two equal full teams, p = 1. */
  #isJoint = false;
  /** Whether the games are teams of two solo players, so that the first half of a game decides the second. */
  #arePairs = false;
  #nodesLeft = 0;
  /** The cost below which a game counts. */
  #limit = 0;
  /** The least bounds that ended a loop, and at which the nodes ran out. */
  #pruned = 0;
  #cutBound = 0;
  #game: FoundGame | undefined;

  /** @param room the seats for tickets, where the anchor is seated. @default those of the layout */
  constructor(
    rules: GameRules,
    layout: Layout,
    forbids: Forbids | undefined,
    constraints: Constraints | undefined,
    clock: SearchClock,
    room: Room = layout,
  ) {
    this.#rules = rules;
    this.#layout = layout;
    this.#hasForbids = forbids !== undefined;
    this.#constraints = constraints;
    this.#clock = clock;
    this.#partial = new PartialGame(layout, forbids, constraints, room);
    this.#divider = new PermittedDivider(rules, layout, constraints, clock);
    this.#fill = new Float64Array(layout.seats);
  }

  /**
   * The game of n players with the anchor that costs least below `limit`. Constraints have been begun for the scope, and the
   * anchor has joined them.
   */
  best(scope: Scope, n: number, limit: number, nodeBudget: number): SearchResult {
    const { anchor, others, countsWaits = false } = scope;
    this.#begin(n, limit, nodeBudget);
    this.#countsWaits = countsWaits;
    if (this.#partial.start(anchor, others, n)) {
      this.#chooseBounds(scope);
      this.#searchFrom(this.#load(anchor, others));
    }
    this.nodes += nodeBudget - this.#nodesLeft;
    const wasCut = this.#cutBound < Number.POSITIVE_INFINITY;
    const proved = this.#game ? this.#limit : Math.max(this.#limit, this.#pruned * rounded);
    return { game: this.#game, cost: this.#limit, bound: Math.min(proved, this.#cutBound), wasCut };
  }

  /** The first game of n players with the anchor that it comes upon, the nearest tickets first. Proves nothing. */
  first({ anchor, others }: Scope, n: number, nodeBudget: number): FoundGame | undefined {
    const { mean } = anchor.ticket;
    const distance = ({ ticket }: QueuedTicket) =>
      Math.max(Math.abs(ticket.mean - mean), ticket.high - ticket.low);
    const nearest = [...others].sort((a, b) => distance(a) - distance(b));
    this.#begin(n, Number.POSITIVE_INFINITY, nodeBudget);
    this.#countsWaits = false;
    const canStart = this.#partial.start(anchor, others, n);
    if (canStart && this.#partial.couldFill(nearest, n - anchor.ticket.size)) this.#dive(nearest, 0);
    this.nodes += nodeBudget - this.#nodesLeft + (others.length >> 2);
    return this.#game;
  }

  /** The least imbalance of a full game of a ticket with the first of these, none of them of less skill. */
  leastAbove({ ticket }: QueuedTicket, above: readonly QueuedTicket[]): number {
    const n = this.#layout.seats;
    const r = n - ticket.size;
    if (r === 0) return 0;
    const fill = this.#fill;
    let filled = 0;
    for (let i = 0; i < above.length && filled < r; i++)
      for (let left = above[i].ticket.size; left > 0 && filled < r; left--)
        fill[filled++] = above[i].ticket.mean - ticket.mean;
    const values = this.#partial.values.fill(0, 0, ticket.size);
    const chosen = { values, m: ticket.size, sum: 0, squares: 0, within: ticket.spread };
    return skillSpreadBound(chosen, fill, r, this.#rules.q, lemma6(n / 2, this.#rules.q)) * rounded;
  }

  #begin(n: number, limit: number, nodeBudget: number): void {
    const { seats, emptySeatCost } = this.#layout;
    this.#n = n;
    this.#perRange = lemma6(n / 2, this.#rules.q);
    this.#empty = (seats - n) * emptySeatCost;
    this.#limit = limit;
    this.#nodesLeft = nodeBudget;
    this.#pruned = this.#cutBound = Number.POSITIVE_INFINITY;
    this.#game = undefined;
    if (this.#leaf.length !== n) this.#leaf = new Float64Array(n);
  }

  /** Which bounds on teamGap hold for these games. */
  #chooseBounds({ anchor, others }: Scope): void {
    const { kinds, teams, classes, seats } = this.#layout;
    const { ticket } = anchor;
    const isFull = this.#n === seats;
    const areAlike = kinds.length === 1 && isFull && this.#rules.p === 1;
    this.#hasParties = ticket.size > 1 || others.some((other) => other.ticket.size > 1);
    // Pairs know the whole teamGap. They need all others above the anchor.
    const areAbove = others.length > 0 && others[0].ticket.mean >= ticket.mean;
    this.#arePairs = areAlike && kinds[0].size === 2 && !classes && areAbove && !this.#hasParties;
    // The joint bound counts a party by its mean, on one team.
    const isSplit = this.#hasParties && (ticket.isSplit || others.some((other) => other.ticket.isSplit));
    this.#isJoint = areAlike && teams === 2 && kinds[0].size > 1 && !isSplit && !this.#arePairs;
    this.#lone = isFull ? loneTeamOf(this.#layout, this.#rules, ticket, others) : undefined;
  }

  /** The candidates around the anchor; in descending order where more of them are below it than above. */
  #load(anchor: QueuedTicket, others: readonly QueuedTicket[]): Candidates {
    const { mean } = anchor.ticket;
    let below = 0;
    let players = 0;
    for (const { ticket } of others) {
      if (ticket.mean < mean) below++;
      players += ticket.size;
    }
    this.#sign = !this.#arePairs && 2 * below > others.length ? -1 : 1;
    const level = this.#level(0);
    level.clear(others.length, players);
    for (let i = 0; i < others.length; i++) {
      const queued = others[this.#sign === 1 ? i : others.length - 1 - i];
      if (this.#partial.mayFollow(queued)) level.add(queued, this.#sign * (queued.ticket.mean - mean));
    }
    if (this.#countsWaits) level.readCredits(anchor.credit);
    return level;
  }

  /** All games of the anchor, if the nodes suffice: a short search, or a descent to a good game and a long search. */
  #searchFrom(level: Candidates): void {
    const later = Math.max(0, this.#nodesLeft - shortSearch);
    this.#nodesLeft -= later;
    this.#extend(level, 0, 0);
    const isCut = this.#cutBound < Number.POSITIVE_INFINITY;
    this.#nodesLeft += later;
    if (!isCut || later === 0) return;
    this.#cutBound = Number.POSITIVE_INFINITY;
    this.#descend(level, 0, 0);
    this.#extend(level, 0, 0);
  }

  /** Goes straight down to one game: takes the ticket with the least bound of some at each step. */
  #descend(level: Candidates, depth: number, from: number): void {
    const partial = this.#partial;
    const r = this.#n - partial.m;
    let least = this.#limit;
    let best = -1;
    for (let j = from, worse = 0; j < level.count && worse < patience; j++) {
      const { ticket } = level.tickets[j];
      if (ticket.size > r || !partial.fits(ticket)) continue;
      if (this.#nodesLeft <= 0 || this.#clock.isOver()) return;
      this.#nodesLeft--;
      worse++;
      const { full } = partial;
      if (!partial.join(level.tickets[j], level.valueOf(j))) continue;
      if (ticket.size === r) {
        const { limit, game } = { limit: this.#limit, game: this.#game };
        this.#offer();
        if (this.#limit < limit || this.#game !== game) worse = 0;
      } else {
        const next = this.#after(level, depth, j, full);
        const bound = this.#boundAt(next.level, next.from);
        if (bound < least) {
          least = bound;
          best = j;
          worse = 0;
        }
      }
      partial.leave();
    }
    if (best === -1) return;
    const { full } = partial;
    partial.join(level.tickets[best], level.valueOf(best));
    const next = this.#after(level, depth, best, full);
    this.#descend(next.level, depth + 1, next.from);
    partial.leave();
  }

  /** A lower bound on the cost of the games of the chosen with candidates from `from` on. */
  #boundAt(level: Candidates, from: number): number {
    const partial = this.#partial;
    const r = this.#n - partial.m;
    if (from >= level.count || level.first[from] + r > level.players) return Number.POSITIVE_INFINITY;
    if (!partial.fillSeats(level, from, r, this.#fill)) return Number.POSITIVE_INFINITY;
    const { q } = this.#rules;
    let spread = skillSpreadBound(partial, this.#fill, r, q, this.#perRange);
    const isAfterAnchor = level.valueOf(from) >= 0;
    if (this.#isJoint && spread < this.#limit) spread = this.#jointly(spread, isAfterAnchor, r);
    const waits = this.#countsWaits ? Math.max(partial.credit, level.creditFrom[from]) : 0;
    return spread + this.#empty - waits;
  }

  /** The candidates after j, which has joined, and the first of them; `full` is what was full before. */
  #after(level: Candidates, depth: number, j: number, full: number): { level: Candidates; from: number } {
    const mustFilter = this.#partial.full !== full || this.#hasForbids || this.#constraints?.hasNarrowed();
    return mustFilter ? { level: this.#filtered(level, depth + 1, j + 1), from: 0 } : { level, from: j + 1 };
  }

  /** Tries each candidate of a level from `from` on as the next ticket. */
  #extend(level: Candidates, depth: number, from: number): void {
    const partial = this.#partial;
    const { m, sum, squares, within, credit } = partial;
    const n = this.#n;
    const r = n - m;
    if (r === 0) {
      if (depth === 0) this.#offer();
      return;
    }
    const { tickets, first, count, players, values, sums, squares: squareSums } = level;
    const { q } = this.#rules;
    const constraints = this.#constraints;
    const cost = constraints?.hasCosts ? constraints.cost() * rounded : 0;
    const certain = cost + this.#empty;
    const canTwin = !this.#hasForbids && !constraints;
    // These bounds are quick.
    const knowsGap = this.#layout.isFreeForAll || this.#lone !== undefined;
    const pairs = this.#arePairs && m > r ? this.#pairsOf(m) : undefined;
    let top = Math.min(r, n >> 1);
    for (let j = from; j < count; j++) {
      const at = first[j];
      const last = at + r;
      if (last > players) break;
      const { ticket } = tickets[j];
      if (this.#hasParties && (ticket.size > r || !partial.fits(ticket))) continue;
      if (canTwin && j > from && level.isTwin(j)) continue;
      let spread: number;
      if (q === 2) {
        // The dominance bound of `fill-bound.ts`, from running sums.
        const end = sums[last];
        while (top < r && values[last - top - 1] * (m + top) >= sum + end - sums[last - top]) top++;
        while (top > 1 && values[last - top] * (m + top) < sum + end - sums[last - top]) top--;
        let deviations: number;
        if (values[last - 1] * m < sum) deviations = squares - (sum * sum) / m;
        else {
          const total = sum + end - sums[last - top];
          deviations = squares + squareSums[last] - squareSums[last - top] - (total * total) / (m + top);
        }
        spread = Math.sqrt(Math.max(0, deviations + within - lost * squareSums[last]) / n);
      } else {
        for (let i = 0; i < r; i++) this.#fill[i] = values[at + i];
        spread = skillSpreadBound(partial, this.#fill, r, q, this.#perRange);
      }
      const waits = this.#countsWaits ? Math.max(credit, level.creditFrom[j]) : 0;
      let bound = spread * rounded + certain - waits;
      if (knowsGap || bound < this.#limit) bound = this.#sharpened(bound, level, j, r, certain - waits);
      if (bound >= this.#limit) {
        if (bound < this.#pruned) this.#pruned = bound;
        break;
      }
      if (pairs) {
        const pair = values[at] + partial.values[n - 1 - m];
        const gap = Math.max(pairs.high, pair) - Math.min(pairs.low, pair);
        if (this.#prunes(bound + this.#rules.alpha * gap * rounded)) {
          if (pair > pairs.high) break;
          continue;
        }
      }
      if (constraints?.hasCosts) {
        const withIt = constraints.costWith(tickets[j].number) * rounded;
        if (this.#prunes(bound - cost + withIt)) continue;
      }
      if (this.#nodesLeft <= 0 || this.#clock.isOver()) {
        this.#nodesLeft = Math.min(0, this.#nodesLeft);
        if (bound < this.#cutBound) this.#cutBound = bound;
        return;
      }
      this.#nodesLeft--;
      this.#choose(level, depth, j);
    }
  }

  /** Whether a bound of one candidate is not below the limit. */
  #prunes(bound: number): boolean {
    if (bound < this.#limit) return false;
    if (bound < this.#pruned) this.#pruned = bound;
    return true;
  }

  /** The bound with teamGap and the seats, which hold for every later candidate, too. ∞ if the seats cannot be filled. */
  #sharpened(bound: number, level: Candidates, j: number, r: number, certain: number): number {
    const { values, first, sums, players } = level;
    const partial = this.#partial;
    const at = first[j];
    if (this.#layout.isFreeForAll) {
      const range = Math.max(0, values[at + r - 1]) - Math.min(0, this.#lowest());
      return bound + this.#rules.alpha * range * rounded;
    }
    if (this.#lone) {
      // The sum of the rest is between that of the fill and that of the last players of the list.
      const least = partial.sum + sums[at + r] - sums[at];
      const most = partial.sum + sums[players] - sums[players - r];
      const gap = this.#lone.gapOf(this.#sign * least, this.#sign * most) * this.#rules.alpha * rounded;
      return Math.max(bound + gap, this.#spreadWhenFairest(this.#lone, least, most, r) + gap + certain);
    }
    if (!partial.hasSeats && !this.#isJoint) return bound;
    if (!partial.fillSeats(level, j, r, this.#fill)) return Number.POSITIVE_INFINITY;
    let sharp = skillSpreadBound(partial, this.#fill, r, this.#rules.q, this.#perRange);
    if (this.#isJoint && sharp + certain < this.#limit) sharp = this.#jointly(sharp, values[at] >= 0, r);
    return Math.max(bound, sharp * rounded + certain);
  }

  /**
   * With a lone player: at most v_q plus what teamGap exceeds its bound, q ≥ 2. As the sum of the others moves by d, v_2 moves by
   * at most d/√(N·r), because the r players to come can share it. Where teamGap grows faster than that, the fairest sum is
   * the best one, and v_2 is least there when those players are equal.
   */
  #spreadWhenFairest({ slope, fairestOf }: LoneTeam, least: number, most: number, r: number): number {
    const { alpha, q } = this.#rules;
    const n = this.#n;
    if (q < 2 || (alpha * slope) ** 2 * n * r < 1) return 0;
    const { sum, squares, within } = this.#partial;
    const total = this.#sign * fairestOf(this.#sign * least, this.#sign * most);
    const rest = total - sum;
    const all = squares + within + (rest * rest) / r;
    return Math.sqrt(Math.max(0, (all - (total * total) / n) / n - lost * all)) * rounded;
  }

  /** The joint bound of two equal teams. */
  #jointly(spread: number, isAfterAnchor: boolean, r: number): number {
    const { alpha, q } = this.#rules;
    const partial = this.#partial;
    const anchorSize = partial.tickets[0].size;
    const extreme = Math.min(0, this.#lowest());
    const leads = this.#layout.kinds[0].size + 1;
    const by = (opponents: number) =>
      jointBound(spread, partial, extreme, this.#fill, r, opponents, alpha, q);
    if (isAfterAnchor) return by(Math.max(0, leads - partial.m));
    if (partial.m === anchorSize || partial.m > leads) return spread;
    const asOpponent = by(leads - partial.m);
    return anchorSize === leads - 1 ? asOpponent : Math.min(asOpponent, by(leads - partial.m + anchorSize));
  }

  /** The least value of the chosen other than the anchor's, or 0. */
  #lowest(): number {
    const { chosen, values } = this.#partial;
    return chosen.length > 1 ? values[chosen[0].ticket.size] : 0;
  }

  /** The least and the greatest sum of the pairs that m chosen players decide: the last of them plays with the next one. */
  #pairsOf(m: number): { low: number; high: number } {
    const n = this.#n;
    const { values } = this.#partial;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = n >> 1; i < m; i++) {
      const pair = values[i] + values[n - 1 - i];
      low = Math.min(low, pair);
      high = Math.max(high, pair);
    }
    return { low, high };
  }

  #choose(level: Candidates, depth: number, j: number): void {
    const partial = this.#partial;
    const { full } = partial;
    if (!partial.join(level.tickets[j], level.valueOf(j))) return;
    if (partial.m === this.#n) this.#offer();
    else {
      const next = this.#after(level, depth, j, full);
      if (next.level.players >= this.#n - partial.m) this.#extend(next.level, depth + 1, next.from);
    }
    partial.leave();
  }

  /** The candidates from `from` on that may still join. */
  #filtered(level: Candidates, depth: number, from: number): Candidates {
    const partial = this.#partial;
    const next = this.#level(depth);
    const constraints = this.#constraints;
    const { tickets } = level;
    const to = this.#nearEnough(level, from);
    next.clear(to - from, level.players);
    this.#clock.isOver((to - from) >> 4);
    const add = (j: number) => {
      if (partial.mayFollow(tickets[j])) next.add(tickets[j], level.valueOf(j));
    };
    if (constraints) {
      const kept = constraints.keep(level.numbers, from, to, next.kept);
      this.#nodesLeft -= (to - from) >> 6;
      for (let k = 0; k < kept; k++) add(next.kept[k]);
    } else for (let j = from; j < to; j++) add(j);
    if (this.#countsWaits) next.readCredits(partial.chosen[0].credit);
    return next;
  }

  /** Under constraints, where filtering is slow: the end of the candidates that are not too far from the chosen, q = 2. */
  #nearEnough({ count, values, first }: Candidates, from: number): number {
    const limit = this.#limit;
    if (!this.#constraints || this.#rules.q !== 2 || this.#countsWaits || limit <= 0) return count;
    const { m, sum, squares } = this.#partial;
    const deviations = squares - (sum * sum) / m;
    const most = limit * limit * this.#n * (1 + 1e-9);
    let to = count;
    for (; to > from; to--) {
      const far = values[first[to - 1]] - sum / m;
      if (far <= 0 || deviations + (far * far * m) / (m + 1) < most) break;
    }
    if (to < count) this.#pruned = Math.min(this.#pruned, limit);
    return to;
  }

  /** Goes on with the tickets from `from` on until the first game is whole. */
  #dive(nearest: readonly QueuedTicket[], from: number): void {
    const partial = this.#partial;
    if (partial.m === this.#n) {
      this.#offer();
      return;
    }
    for (let at = from; at < nearest.length && !this.#game && this.#nodesLeft > 0; at++) {
      const queued = nearest[at];
      if (partial.m + queued.ticket.size > this.#n || !partial.mayJoin(queued)) continue;
      this.#nodesLeft = this.#clock.isOver() ? 0 : this.#nodesLeft - 1;
      if (!partial.join(queued, 0)) continue;
      this.#dive(nearest, at + 1);
      partial.leave();
    }
  }

  /** The chosen are as many as a game needs: keeps their fairest division if it costs less than the limit. */
  #offer(): void {
    const { tickets, numbers, chosen } = this.#partial;
    const leaf = this.#leaf;
    const origin = tickets[0].mean;
    let players = 0;
    for (const { skills } of tickets)
      for (let i = 0; i < skills.length; i++) leaf[players++] = skills[i] - origin;
    const spread = skillSpreadOfRelative(leaf, this.#rules.q) + this.#empty;
    const cost = this.#constraints?.hasCosts ? this.#constraints.cost() : 0;
    const credit = this.#countsWaits ? this.#partial.credit : 0;
    const least = spread + cost - credit;
    const { lead, sum } = this.#partial;
    const unfair = this.#isJoint ? Math.max(0, deficitOf(lead, sum, Math.min(0, this.#lowest()))) : 0;
    if (this.#prunes(least + this.#rules.alpha * unfair * rounded)) return;
    const divider = this.#divider;
    const f = divider.divide(tickets, numbers, spread, cost, this.#limit + credit);
    this.#nodesLeft -= divider.takeWork();
    if (divider.wasCut && least < this.#cutBound) this.#cutBound = least;
    if (this.#prunesLeaf(f - credit)) return;
    this.#limit = f - credit;
    this.#game = { queued: [...chosen], teams: divider.division.slice(0, players), imbalance: f };
  }

  /** A set of tickets without a division below the limit may have one at the limit. */
  #prunesLeaf(cost: number): boolean {
    if (cost < this.#limit) return false;
    if (this.#limit < this.#pruned) this.#pruned = this.#limit;
    return true;
  }

  #level(depth: number): Candidates {
    this.#levels[depth] ??= new Candidates();
    return this.#levels[depth];
  }
}

/** A search that visits more nodes than this starts again after it has found a good game. */
const shortSearch = 150;
/** How many tickets a descent looks at after the best so far. */
const patience = 16;
/** Bounds are lowered by this part, and v_2 by `lost` of the squares that it was computed from: more than rounding can add. */
const rounded = 1 - 1e-9;
const lost = 1e-12;
