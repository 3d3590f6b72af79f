import { skillSpreadBound } from '../bounds/fill-bound.ts';
import { type ChosenAround, deficitOf, jointBound } from '../bounds/joint-bound.ts';
import { imbalancePerRange } from '../bounds/range-bounds.ts';
import type { DividedGame } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { RoleSeating } from '../model/role-seating.ts';
import type { RoleTable } from '../model/roles.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { Forbids, GameRules } from '../types.ts';
import { type Candidates, ChosenTickets } from './chosen-tickets.ts';
import { Incumbent } from './incumbent.ts';
import { Lineup } from './lineup.ts';
import { exchangeTickets } from './ticket-exchanges.ts';

/**
 * The exact search for the best game around one ticket, with parties, roles, refused pairs and waiting
 * times. It goes depth-first over sets of tickets: first the anchor, then the others in ascending order of mean skill. In
 * the bounds each player counts as its party's mean. It minimises the cost, f minus a game's credit (`Incumbent`).
 *
 * The fill of the bounds is not simply the next r players but the next r that can be seated together
 * with the chosen: the greedy basis of the roles' matroid, which is element by element the least of all
 * completions. So the bound includes a distant player of a rare role from the start.
 */
export class TicketSearch {
  /** The bound that `run` proved: no game costs less. */
  bound = 0;
  /** Whether the node budget ended the last `run`. */
  wasCut = false;
  /** The nodes visited since construction, with other work converted to nodes. */
  nodes = 0;

  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #forbids: Forbids | undefined;
  readonly #clock: SearchClock;
  readonly #n: number;
  readonly #perRange: number;
  /** Whether the bounds include teamGap from the start: the joint bound needs p = 1. */
  readonly #isJoint: boolean;

  readonly #lineup = new Lineup();
  readonly #chosen: ChosenTickets;
  /** The values of the chosen tickets that the bounds need, by the number of tickets. */
  readonly #levels: Level[];
  readonly #fill: Float64Array;
  readonly #fillSeating: RoleSeating;

  readonly #incumbent: Incumbent;
  #nodesLeft = 0;
  #cutBound = 0;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    clock = new SearchClock(),
  ) {
    this.#rules = rules;
    this.#roles = roles;
    this.#forbids = forbids;
    this.#clock = clock;
    this.#n = shapeOf(rules).seats;
    this.#perRange = imbalancePerRange(rules);
    this.#isJoint = rules.p === 1 && rules.teamSize > 1;
    this.#chosen = new ChosenTickets(rules, roles, forbids);
    const values = new Float64Array(this.#n);
    this.#levels = Array.from({ length: this.#n + 1 }, () => levelOf(values));
    this.#fill = new Float64Array(this.#n);
    this.#fillSeating = new RoleSeating(roles);
    this.#incumbent = new Incumbent(rules, roles, clock);
  }

  /**
   * The best game with the anchor that costs less than `limit`, undefined if none was found.
   * The bounds prune best when most candidates come after the anchor, and for p = ∞ in descending order, because
   * teamGap is then certain early.
   * Visits at most `nodeBudget` nodes; `bound` is the proved bound in both cases.
   */
  run(candidates: Candidates, limit: number, nodeBudget: number): DividedGame | undefined {
    const incumbent = this.#incumbent;
    incumbent.start(limit);
    this.#lineup.prepare(candidates);
    this.#cutBound = Number.POSITIVE_INFINITY;
    if (this.#chosen.start(candidates)) this.#searchFrom(this.#start(), nodeBudget);
    this.bound = Math.min(incumbent.limit, this.#cutBound);
    this.wasCut = this.#cutBound < Number.POSITIVE_INFINITY;
    if (this.wasCut && incumbent.game && nodeBudget <= shortSearch)
      this.nodes += exchangeTickets(candidates, incumbent, this.#roles, this.#forbids, this.#clock);
    return incumbent.game;
  }

  /** All games of the anchor, if the budget allows: a short search, or a descent and a long one. */
  #searchFrom(anchor: Level, nodeBudget: number): void {
    const lineup = this.#lineup;
    const short = Math.min(nodeBudget, shortSearch);
    this.#nodesLeft = short;
    this.#extend(0, anchor);
    this.nodes += short - this.#nodesLeft;
    if (this.#cutBound === Number.POSITIVE_INFINITY || nodeBudget <= shortSearch) return;
    // The short search did not end. Find a good game first, then search all that may be better.
    this.#nodesLeft = nodeBudget - short;
    this.#cutBound = Number.POSITIVE_INFINITY;
    this.#descend(0, anchor);
    // Few candidates come before the anchor, so try games without them.
    if (lineup.anchor > 0 && 4 * lineup.anchor < lineup.tickets.length)
      this.#descend(lineup.anchor + 1, anchor);
    this.#extend(0, anchor);
    this.nodes += nodeBudget - short - this.#nodesLeft;
  }

  /** The level with the anchor alone, whose value is the origin. */
  #start(): Level {
    const lineup = this.#lineup;
    const level = this.#levels[1];
    level.values.fill(0, 0, lineup.anchorSize);
    level.m = lineup.anchorSize;
    level.within = lineup.tickets[lineup.anchor].spread;
    level.credit = lineup.credits[lineup.anchor];
    level.sum = level.squares = level.lead = 0;
    return level;
  }

  /** Tries every next ticket from `from` on. */
  #extend(from: number, level: Level): void {
    const r = this.#n - level.m;
    const chosen = this.#chosen;
    const incumbent = this.#incumbent;
    if (r === 0) {
      incumbent.offer(chosen.tickets, level.credit, this.#unfairness(level));
      return;
    }
    const lineup = this.#lineup;
    const { tickets } = lineup;
    if (this.#clock.isOver(1 + ((tickets.length - from) >> 6))) this.#nodesLeft = 0;
    for (let j = from; j < tickets.length; j++) {
      const pooled = tickets[j];
      if (pooled.size > r || j === lineup.anchor) continue;
      // Identical candidates form the same games again, except where one of them is refused.
      if (j > from && !this.#forbids && lineup.isTwin(j)) continue;
      if (!chosen.fitsSize(pooled.size)) continue;
      if (!chosen.seating.hasSeat(pooled.masks)) {
        j = lineup.nextOther[j] - 1;
        continue;
      }
      if (!this.#fillFrom(j, r)) break;
      const bound = this.#bound(j, level) + this.#certain(j) - Math.max(level.credit, lineup.creditFrom[j]);
      if (bound >= incumbent.limit) break;
      if (this.#nodesLeft === 0) {
        // Cut short: games that this level has not tried cost at least its bound; the levels above add their bounds.
        this.#cutBound = Math.min(this.#cutBound, bound);
        return;
      }
      this.#nodesLeft--;
      if (chosen.refuses(pooled)) continue;
      const next = this.#choose(j, level);
      if (next) this.#extend(j + 1, next);
      chosen.leave();
    }
  }

  /**
   * Goes straight down to one game and takes the next ticket with the least bound at each step. It examines some tickets
   * after the best so far; at the last step it examines their games.
   */
  #descend(from: number, level: Level): void {
    const r = this.#n - level.m;
    const lineup = this.#lineup;
    const { tickets } = lineup;
    const chosen = this.#chosen;
    const incumbent = this.#incumbent;
    let least = incumbent.limit;
    let best = -1;
    for (let j = from, worse = 0; j < tickets.length && worse < patience; j++) {
      const pooled = tickets[j];
      if (this.#clock.isOver()) this.#nodesLeft = 0;
      const { size } = pooled;
      if (size > r || j === lineup.anchor || !chosen.fitsSize(size)) continue;
      if (!chosen.seating.hasSeat(pooled.masks)) continue;
      if (this.#nodesLeft === 0) return;
      this.#nodesLeft--;
      if (chosen.refuses(pooled)) continue;
      worse++;
      const next = this.#choose(j, level);
      if (next && size === r) {
        const unfairness = this.#unfairness(next);
        if (incumbent.offer(chosen.tickets, next.credit, unfairness) || unfairness > 0) worse = 0;
      } else if (next && this.#fillFrom(j + 1, r - size)) {
        const bound = this.#bound(j + 1, next) - Math.max(next.credit, lineup.creditFrom[j + 1]);
        if (bound < least) {
          least = bound;
          best = j;
          worse = 0;
        }
      }
      chosen.leave();
    }
    if (best === -1) return;
    this.#descend(best + 1, this.#choose(best, level)!);
    chosen.leave();
  }

  /** Also chooses candidate j; undefined if not all can be seated then. The caller has to call `leave` in both cases. */
  #choose(j: number, level: Level): Level | undefined {
    const chosen = this.#chosen;
    const lineup = this.#lineup;
    const pooled = lineup.tickets[j];
    if (!chosen.join(pooled)) return undefined;
    const { size } = pooled;
    const { m } = level;
    const value = lineup.value[j];
    const next = this.#levels[chosen.tickets.length];
    for (let i = 0; i < size; i++) next.values[m + i] = value;
    next.m = m + size;
    next.sum = level.sum + size * value;
    next.squares = level.squares + size * value * value;
    next.within = level.within + pooled.spread;
    next.lead = this.#leadWith(level, j);
    next.credit = Math.max(level.credit, lineup.credits[j]);
    return next;
  }

  /** `lead` with candidate j added, who comes after the m chosen or at least before the anchor, whose own values are 0. */
  #leadWith({ lead, m }: Level, j: number): number {
    const lineup = this.#lineup;
    const before = j < lineup.anchor ? m - lineup.anchorSize : m;
    const places = Math.min(lineup.tickets[j].size, this.#rules.teamSize + 1 - before);
    return places > 0 ? lead + places * lineup.value[j] : lead;
  }

  /** The least cost of teamGap in a game of the chosen. */
  #unfairness(level: Level): number {
    if (!this.#isJoint) return 0;
    return this.#rules.alpha * Math.max(0, deficitOf(level.lead, level.sum, this.#extreme(level)));
  }

  /** A lower bound on the imbalance of the chosen with any rest that dominates the fill, which starts with candidate j. */
  #bound(j: number, level: Level): number {
    const { alpha, q, teamSize } = this.#rules;
    const { anchor, anchorSize } = this.#lineup;
    const { m } = level;
    const r = this.#n - m;
    const fill = this.#fill;
    const v = skillSpreadBound(level, fill, r, q, this.#perRange);
    if (!this.#isJoint || v >= this.#incumbent.limit) return v;
    const extreme = this.#extreme(level);
    const jointly = (opponents: number) => jointBound(v, level, extreme, fill, r, opponents, alpha, q);
    const leads = teamSize + 1;
    if (j > anchor) return jointly(Math.max(0, leads - m));
    if (m === anchorSize || m > leads) return v;
    // If others come before the anchor, the anchor is an opponent or, if its team has room, a mate of the extreme.
    const asOpponent = jointly(leads - m);
    return anchorSize === teamSize ? asOpponent : Math.min(asOpponent, jointly(leads - m + anchorSize));
  }

  /** The lowest of the chosen: the first of the others, or the anchor at 0. */
  #extreme({ m, values }: Level): number {
    const { anchorSize } = this.#lineup;
    return m > anchorSize ? Math.min(0, values[anchorSize]) : 0;
  }

  /**
   * Puts into `#fill` the r least values of players from candidate j on that could be seated together with the
   * chosen, whether or not their parties fit; returns false if there are fewer.
   */
  #fillFrom(j: number, r: number): boolean {
    const lineup = this.#lineup;
    const { tickets } = lineup;
    const fill = this.#fill;
    let filled = 0;
    if (!this.#roles) {
      for (let i = j; i < tickets.length; i++) {
        const { size } = tickets[i];
        if (size > r || i === lineup.anchor) continue;
        for (let s = 0; s < size; s++) {
          fill[filled++] = lineup.value[i];
          if (filled === r) return true;
        }
      }
      return false;
    }
    const seating = this.#fillSeating;
    seating.copy(this.#chosen.seating);
    for (let i = j; i < tickets.length; i++) {
      const { size, masks } = tickets[i];
      if (size > r || i === lineup.anchor) continue;
      for (let s = 0; s < size; s++) {
        if ((masks[s] & ~seating.full) === 0) {
          // All players with the same role set cannot be seated either. (For a party this is the party itself.)
          i = lineup.nextOther[i] - 1;
          continue;
        }
        seating.join(masks[s]);
        fill[filled++] = lineup.value[i];
        if (filled === r) return true;
      }
    }
    return false;
  }

  /**
   * The part α·d_p that is already certain. For p = ∞: once the most skilled player is chosen, the other team has at
   * best the most skilled player of another ticket.
   */
  #certain(j: number): number {
    if (this.#rules.p !== Number.POSITIVE_INFINITY || this.#rules.teamSize === 1) return 0;
    let first = 0;
    let second = this.#lineup.highFrom[j];
    for (const { high } of this.#chosen.tickets) {
      if (high > first) {
        second = Math.max(second, first);
        first = high;
      } else second = Math.max(second, high);
    }
    return this.#rules.alpha * Math.max(0, first - second);
  }
}

/** The chosen tickets in the form that the bounds need, with their greatest credit. */
interface Level extends ChosenAround {
  m: number;
  sum: number;
  squares: number;
  within: number;
  lead: number;
  credit: number;
}

function levelOf(values: Float64Array): Level {
  return { values, m: 0, sum: 0, squares: 0, within: 0, lead: 0, credit: 0 };
}

/**
 * A search that visits more nodes than this restarts after it has found a good game. Most searches end within it. Values
 * from 75 to 300 make no measurable difference.
 */
const shortSearch = 150;

/** How many tickets a descent examines after the best so far. Values from 4 to 64 make no measurable difference. */
const patience = 16;
