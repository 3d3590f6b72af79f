import { imbalancePerRange, uniformityBound } from './bounds.ts';
import type { Forbids } from './forbids.ts';
import { uniformity } from './imbalance.ts';
import { deficitOf, jointBound } from './joint-bound.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';
import { fitsShape, shapesOf } from './shapes.ts';
import { Splitter } from './split.ts';
import type { GameRules } from './types.ts';

/** A candidate of a search: a waiting ticket. */
export interface Candidate {
  readonly pooled: PooledTicket;
}

/**
 * The exact search for the best game around one ticket, with parties, roles, refused pairs and waiting
 * times: depth-first over sets of tickets, first the anchor, then the others in ascending order of mean skill, each player counting as
 * its party's mean in the bounds. What it minimises is the **cost** f − credit, where the credit of a game
 * is the greatest of its tickets (what β gives for a wait longer than the anchor's).
 *
 * The fill of the bounds is not simply the next r players but the next r that can be seated together
 * with the chosen: the greedy basis of the roles' matroid, which is element by element the least of all
 * completions. So a rare role far away is in the bound from the start.
 */
export class TicketSearch {
  /** The candidates in ascending or descending order of mean skill, the anchor among them. */
  readonly candidates: Candidate[] = [];
  /** What a candidate's wait takes off the cost of a game with it, ≥ 0. */
  readonly credits: number[] = [];

  /** The best game found: its tickets, its first team as a bit set over them, and its imbalance. */
  readonly members: PooledTicket[] = [];
  firstTeam = 0;
  imbalance = 0;
  /** What `run` proved: no game costs less than this. */
  bound = 0;
  /** Whether the node budget ended the last `run`. */
  wasCut = false;
  /** The nodes visited since construction, with other work counted as so many nodes. */
  nodes = 0;

  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #forbids: Forbids | undefined;
  readonly #n: number;
  readonly #perRange: number;
  readonly #splitter: Splitter;
  /** Whether fairness is in the bounds from the start: the joint bound is one on d_1. */
  readonly #isJoint: boolean;

  /** Of each candidate: its mean relative to the anchor, its SSD around it, and of it and all behind it the greatest credit and skill. */
  #value = new Float64Array(64);
  #within = new Float64Array(64);
  #creditFrom = new Float64Array(64);
  #highFrom = new Float64Array(64);
  /** Of each candidate: the next that is not a solo player who accepts just the same roles. */
  #nextOther = new Int32Array(64);

  /** The path: candidates chosen, and per player of theirs the value. */
  readonly #path: number[] = [];
  readonly #chosen: Float64Array;
  readonly #fill: Float64Array;
  readonly #skills: Float64Array;
  readonly #team: PooledTicket[] = [];
  /** How many of the chosen accept nothing outside each role set, and the union of the sets that are full. */
  readonly #confined: Uint8Array;
  readonly #fillConfined: Uint8Array;
  #full = 0;

  /** The chosen tickets by size, and the shapes of games that the candidates can make. */
  readonly #sizes: Uint8Array;
  #shapes: readonly Uint8Array[] = [];
  #hasParties = false;

  #anchor = 0;
  #limit = 0;
  #found = false;
  #nodesLeft = 0;
  #cutBound = 0;

  constructor(rules: GameRules, roles: RoleTable | undefined, forbids: Forbids | undefined) {
    this.#rules = rules;
    this.#roles = roles;
    this.#forbids = forbids;
    this.#n = 2 * rules.teamSize;
    this.#perRange = imbalancePerRange(rules);
    this.#splitter = new Splitter(rules, roles);
    this.#isJoint = rules.p === 1 && rules.teamSize > 1;
    this.#chosen = new Float64Array(this.#n);
    this.#sizes = new Uint8Array(rules.teamSize + 1);
    this.#fill = new Float64Array(this.#n);
    this.#skills = new Float64Array(this.#n);
    this.#confined = new Uint8Array(roles ? roles.all + 1 : 1);
    this.#fillConfined = new Uint8Array(this.#confined.length);
  }

  /**
   * Searches for a game with candidate `anchor` in it that costs less than `limit`; whether there is one.
   * The bounds cut best when most candidates stand behind the anchor, and for p = ∞ in descending order: fairness
   * then is certain early.
   * Visits at most `nodeBudget` nodes; `bound` says what is proved either way.
   */
  run(anchor: number, limit: number, nodeBudget: number): boolean {
    this.#prepare(anchor);
    this.#anchor = anchor;
    this.#limit = limit;
    this.#found = false;
    this.#nodesLeft = nodeBudget;
    this.#cutBound = Number.POSITIVE_INFINITY;
    this.#path.length = 0;
    this.#confined.fill(0);
    this.#full = 0;
    const { pooled } = this.candidates[anchor];
    // The anchor's value is the origin.
    this.#chosen.fill(0, 0, pooled.size);
    this.#path.push(anchor);
    if (!this.#roles || this.#join(pooled)) {
      const within = this.#within[anchor];
      const credit = this.credits[anchor];
      this.#nodesLeft = Math.min(nodeBudget, shortSearch);
      this.#extend(0, pooled.size, 0, 0, within, 0, credit);
      if (this.#cutBound < Number.POSITIVE_INFINITY && nodeBudget > shortSearch) {
        // Not soon done: a good game first, then all that may be better.
        this.#nodesLeft = nodeBudget - shortSearch;
        this.#cutBound = Number.POSITIVE_INFINITY;
        this.#descend(0, pooled.size, 0, 0, within, 0, credit);
        // Few stand before it: perhaps it plays without them.
        if (anchor > 0 && 4 * anchor < this.candidates.length)
          this.#descend(anchor + 1, pooled.size, 0, 0, within, 0, credit);
        this.#extend(0, pooled.size, 0, 0, within, 0, credit);
      } else this.#nodesLeft += Math.max(0, nodeBudget - shortSearch);
    }
    this.nodes += nodeBudget - this.#nodesLeft;
    this.bound = Math.min(this.#limit, this.#cutBound);
    this.wasCut = this.#cutBound < Number.POSITIVE_INFINITY;
    if (this.wasCut && this.#found && nodeBudget <= shortSearch) this.#polish();
    return this.#found;
  }

  /**
   * Looks for any game with candidate `anchor` that costs less than `limit`, nearest tickets and narrowest parties first, and
   * improves the first by exchanges; whether there is one. Visits at most `nodeBudget` nodes. Proves nothing.
   */
  dive(anchor: number, limit: number, nodeBudget: number): boolean {
    this.#prepare(anchor);
    this.#anchor = anchor;
    this.#limit = limit;
    this.#found = false;
    this.#path.length = 0;
    this.#confined.fill(0);
    this.#full = 0;
    const { mean } = this.candidates[anchor].pooled;
    const needs = this.candidates.map(({ pooled }) =>
      Math.max(Math.abs(pooled.mean - mean), pooled.high - pooled.low),
    );
    const order = this.candidates.flatMap((_, i) => (i === anchor ? [] : [i]));
    order.sort((a, b) => needs[a] - needs[b] || a - b);
    let nodesLeft = nodeBudget;
    const extend = (from: number, players: number): void => {
      if (players === this.#n) {
        this.#divide(this.#path.reduce((most, i) => Math.max(most, this.credits[i]), 0));
        return;
      }
      for (let at = from; at < order.length && !this.#found && nodesLeft > 0; at++) {
        const { pooled } = this.candidates[order[at]];
        if (players + pooled.size > this.#n || !this.#fitsSize(pooled.size)) continue;
        if (this.#roles && !this.#mayJoin(pooled)) continue;
        nodesLeft--;
        if (this.#forbids && this.#isRefused(pooled)) continue;
        const full = this.#full;
        if (!this.#roles || this.#join(pooled)) {
          this.#path.push(order[at]);
          this.#sizes[pooled.size]++;
          extend(at + 1, players + pooled.size);
          this.#sizes[pooled.size]--;
          this.#path.pop();
        }
        if (this.#roles) this.#leave(pooled, full);
      }
    };
    const { pooled } = this.candidates[anchor];
    this.#path.push(anchor);
    if (!this.#roles || this.#join(pooled)) extend(0, pooled.size);
    // Sorting the candidates counts as well.
    this.nodes += nodeBudget - nodesLeft + (this.candidates.length >> 2);
    if (this.#found) this.#polish();
    return this.#found;
  }

  /**
   * Improves the game of a search that was cut short: exchanges one ticket for another of its size as long as that
   * makes a better game, at most `swapsMax` divisions long. The bound stays what was proved.
   */
  #polish(): void {
    const inGame = new Set(this.members);
    const path = this.candidates.flatMap(({ pooled }, i) => (inGame.has(pooled) ? [i] : []));
    let divisions = 0;
    let attempts = 0;
    for (let improved = true; improved; ) {
      improved = false;
      for (let slot = 0; slot < path.length; slot++) {
        if (path[slot] === this.#anchor) continue;
        for (let i = 0; i < this.candidates.length && divisions < swapsMax && attempts < 4 * swapsMax; i++) {
          const { pooled } = this.candidates[i];
          if (pooled.size !== this.candidates[path[slot]].pooled.size || path.includes(i)) continue;
          const kept = path[slot];
          path[slot] = i;
          this.#path.length = 0;
          for (const j of path) this.#path.push(j);
          const limit = this.#limit;
          attempts++;
          if (this.#mayPlay(path, slot)) {
            divisions++;
            this.#divide(path.reduce((most, j) => Math.max(most, this.credits[j]), 0));
          }
          if (this.#limit < limit) improved = true;
          else path[slot] = kept;
        }
      }
    }
    this.#path.length = 0;
    this.nodes += attempts + 3 * divisions;
  }

  /** Whether the ticket in this place of the path may meet the others, and all can be seated. */
  #mayPlay(path: readonly number[], slot: number): boolean {
    const { pooled } = this.candidates[path[slot]];
    if (this.#forbids) {
      for (const i of path) {
        if (i !== path[slot] && this.#forbids(this.candidates[i].pooled.ticket, pooled.ticket) !== undefined)
          return false;
      }
    }
    return (
      !this.#roles ||
      this.#roles.canSeat(
        path.flatMap((i) => [...this.candidates[i].pooled.masks]),
        2,
      )
    );
  }

  #prepare(anchor: number): void {
    const count = this.candidates.length;
    const available = new Uint32Array(this.#rules.teamSize + 1);
    for (const { pooled } of this.candidates) available[pooled.size]++;
    this.#hasParties = available[1] < count;
    this.#shapes = this.#hasParties
      ? shapesOf(available, this.candidates[anchor].pooled.size, this.#rules.teamSize)
      : noShapes;
    this.#sizes.fill(0);
    this.#sizes[this.candidates[anchor].pooled.size] = 1;
    if (count > this.#value.length) {
      const room = 2 * count;
      this.#value = new Float64Array(room);
      this.#within = new Float64Array(room);
      this.#creditFrom = new Float64Array(room);
      this.#highFrom = new Float64Array(room);
      this.#nextOther = new Int32Array(room);
    }
    const origin = this.candidates[anchor].pooled.mean;
    const sign = this.candidates[0].pooled.mean <= this.candidates[count - 1].pooled.mean ? 1 : -1;
    let credit = 0;
    let high = 0;
    for (let i = count - 1; i >= 0; i--) {
      const { pooled } = this.candidates[i];
      this.#value[i] = sign * (pooled.mean - origin);
      this.#within[i] = pooled.spread;
      this.#creditFrom[i] = credit = Math.max(credit, this.credits[i]);
      this.#highFrom[i] = high = Math.max(high, pooled.high);
      this.#nextOther[i] = this.#isLike(i, i + 1) ? this.#nextOther[i + 1] : i + 1;
    }
  }

  /**
   * Tries every next ticket from `from` on. Chosen are m players of the given sum, sum of squares and SSD within
   * parties; `lead` is the sum of those that are among the k + 1 lowest, `credit` the greatest so far.
   */
  #extend(
    from: number,
    m: number,
    sum: number,
    squares: number,
    within: number,
    lead: number,
    credit: number,
  ): void {
    const r = this.#n - m;
    if (r === 0) {
      this.#divide(credit, this.#unfairness(lead, sum, m));
      return;
    }
    const { candidates } = this;
    for (let j = from; j < candidates.length; j++) {
      const { pooled } = candidates[j];
      const size = pooled.size;
      if (size > r || j === this.#anchor) continue;
      if (j > from && this.#isTwin(j)) continue;
      if (!this.#fitsSize(size)) continue;
      if (this.#roles && !this.#mayJoin(pooled)) {
        j = this.#nextOther[j] - 1;
        continue;
      }
      if (!this.#fillFrom(j, r)) break;
      const bound =
        this.#bound(j, m, sum, squares, within, lead, r) +
        this.#certain(j) -
        Math.max(credit, this.#creditFrom[j]);
      if (bound >= this.#limit) break;
      if (this.#nodesLeft === 0) {
        // Cut short: what this level has not tried costs at least its bound; the levels above add theirs.
        this.#cutBound = Math.min(this.#cutBound, bound);
        return;
      }
      this.#nodesLeft--;
      if (this.#forbids && this.#isRefused(pooled)) continue;

      const full = this.#full;
      if (this.#roles && !this.#join(pooled)) {
        this.#leave(pooled, full);
        continue;
      }
      const value = this.#value[j];
      for (let i = 0; i < size; i++) this.#chosen[m + i] = value;
      this.#path.push(j);
      this.#sizes[size]++;
      this.#extend(
        j + 1,
        m + size,
        sum + size * value,
        squares + size * value * value,
        within + this.#within[j],
        this.#leadWith(lead, j, m),
        Math.max(credit, this.credits[j]),
      );
      this.#path.pop();
      this.#sizes[size]--;
      if (this.#roles) this.#leave(pooled, full);
    }
  }

  /** Whether two candidates are solo players who accept the same roles. */
  #isLike(i: number, j: number): boolean {
    if (!this.#roles || j === this.candidates.length) return false;
    const a = this.candidates[i].pooled;
    const b = this.candidates[j].pooled;
    return a.size === 1 && b.size === 1 && a.masks[0] === b.masks[0];
  }

  /**
   * Goes straight down to one game, each time to the next ticket with which the bound is least. Looks at some more than
   * the best so far, and at the last step at their games.
   */
  #descend(
    from: number,
    m: number,
    sum: number,
    squares: number,
    within: number,
    lead: number,
    credit: number,
  ): void {
    const r = this.#n - m;
    let least = this.#limit;
    let next = -1;
    for (let j = from, worse = 0; j < this.candidates.length && worse < patience; j++) {
      const { pooled } = this.candidates[j];
      const { size } = pooled;
      if (size > r || j === this.#anchor || !this.#fitsSize(size)) continue;
      if (this.#roles && !this.#mayJoin(pooled)) continue;
      if (this.#nodesLeft === 0) return;
      this.#nodesLeft--;
      if (this.#forbids && this.#isRefused(pooled)) continue;
      const full = this.#full;
      worse++;
      if (!this.#roles || this.#join(pooled)) {
        const value = this.#value[j];
        const leadNow = this.#leadWith(lead, j, m);
        const creditNow = Math.max(credit, this.credits[j]);
        this.#chosen.fill(value, m, m + size);
        this.#path.push(j);
        if (size === r) {
          const limit = this.#limit;
          const unfairness = this.#unfairness(leadNow, sum + size * value, this.#n);
          this.#divide(creditNow, unfairness);
          if (this.#limit < limit || unfairness > 0) worse = 0;
        } else if (this.#fillFrom(j + 1, r - size)) {
          const bound =
            this.#bound(
              j + 1,
              m + size,
              sum + size * value,
              squares + size * value * value,
              within + this.#within[j],
              leadNow,
              r - size,
            ) - Math.max(creditNow, this.#creditFrom[j + 1]);
          if (bound < least) {
            least = bound;
            next = j;
            worse = 0;
          }
        }
        this.#path.pop();
      }
      if (this.#roles) this.#leave(pooled, full);
    }
    if (next === -1) return;
    const { pooled } = this.candidates[next];
    const value = this.#value[next];
    const full = this.#full;
    if (this.#roles) this.#join(pooled);
    this.#chosen.fill(value, m, m + pooled.size);
    this.#path.push(next);
    this.#sizes[pooled.size]++;
    this.#descend(
      next + 1,
      m + pooled.size,
      sum + pooled.size * value,
      squares + pooled.size * value * value,
      within + this.#within[next],
      this.#leadWith(lead, next, m),
      Math.max(credit, this.credits[next]),
    );
    this.#path.pop();
    this.#sizes[pooled.size]--;
    if (this.#roles) this.#leave(pooled, full);
  }

  /** `lead` with candidate j as well, who comes after the m chosen or at least before the anchor, whose own values are 0. */
  #leadWith(lead: number, j: number, m: number): number {
    const before = j < this.#anchor ? m - this.candidates[this.#anchor].pooled.size : m;
    const places = Math.min(this.candidates[j].pooled.size, this.#rules.teamSize + 1 - before);
    return places > 0 ? lead + places * this.#value[j] : lead;
  }

  /** The least that fairness costs in a game of the chosen. */
  #unfairness(lead: number, sum: number, m: number): number {
    return this.#isJoint ? this.#rules.alpha * Math.max(0, deficitOf(lead, sum, this.#extreme(m))) : 0;
  }

  /** A lower bound on the imbalance of the m chosen with any rest that dominates the fill, which starts with candidate j. */
  #bound(
    j: number,
    m: number,
    sum: number,
    squares: number,
    within: number,
    lead: number,
    r: number,
  ): number {
    const { alpha, q } = this.#rules;
    const chosen = this.#chosen;
    const fill = this.#fill;
    const v = uniformityBound(chosen, m, sum, squares, within, fill, r, q, this.#perRange);
    if (!this.#isJoint || v >= this.#limit) return v;
    const extreme = this.#extreme(m);
    const jointly = (opponents: number) =>
      jointBound(v, chosen, m, sum, squares, within, lead, extreme, fill, r, opponents, alpha, q);
    const leads = this.#rules.teamSize + 1;
    if (j > this.#anchor) return jointly(Math.max(0, leads - m));
    // Whoever comes before the anchor, it is an opponent or a mate of the extreme.
    const { size } = this.candidates[this.#anchor].pooled;
    if (m === size || m > leads) return v;
    return Math.min(jointly(leads - m), jointly(leads - m + size));
  }

  /** The lowest of the m chosen: the first of the others, or the anchor at 0. */
  #extreme(m: number): number {
    const { size } = this.candidates[this.#anchor].pooled;
    return m > size ? Math.min(0, this.#chosen[size]) : 0;
  }

  /** Whether with one more party of this size the chosen can still be completed to two full teams. */
  #fitsSize(size: number): boolean {
    if (!this.#hasParties) return true;
    this.#sizes[size]++;
    const fits = fitsShape(this.#sizes, this.#shapes);
    this.#sizes[size]--;
    return fits;
  }

  /** Whether candidate j makes just the games that its predecessor, which was tried at this level, has made. */
  #isTwin(j: number): boolean {
    if (this.#forbids || this.#value[j] !== this.#value[j - 1] || this.credits[j] !== this.credits[j - 1])
      return false;
    const a = this.candidates[j].pooled;
    const b = this.candidates[j - 1].pooled;
    return j - 1 !== this.#anchor && a.size === 1 && b.size === 1 && a.masks[0] === b.masks[0];
  }

  #isRefused(pooled: PooledTicket): boolean {
    for (const i of this.#path) {
      if (this.#forbids!(this.candidates[i].pooled.ticket, pooled.ticket) !== undefined) return true;
    }
    return false;
  }

  /**
   * Puts into `#fill` the r least values of players from candidate j on that could be seated together with the
   * chosen, whether or not their parties fit; false if there are not that many.
   */
  #fillFrom(j: number, r: number): boolean {
    const { candidates } = this;
    const fill = this.#fill;
    let filled = 0;
    if (!this.#roles) {
      for (let i = j; i < candidates.length; i++) {
        const { size } = candidates[i].pooled;
        if (size > r || i === this.#anchor) continue;
        for (let s = 0; s < size; s++) {
          fill[filled++] = this.#value[i];
          if (filled === r) return true;
        }
      }
      return false;
    }
    const { all, placesOf } = this.#roles;
    const confined = this.#fillConfined;
    confined.set(this.#confined);
    let full = this.#full;
    for (let i = j; i < candidates.length; i++) {
      const { size, masks } = candidates[i].pooled;
      if (size > r || i === this.#anchor) continue;
      for (let s = 0; s < size; s++) {
        const mask = masks[s];
        if ((mask & ~full) === 0) {
          // All like it have no place either. (Of a party this is the party itself.)
          i = this.#nextOther[i] - 1;
          continue;
        }
        const free = all & ~mask;
        for (let extra = free; ; extra = (extra - 1) & free) {
          const set = mask | extra;
          if (++confined[set] === 2 * placesOf[set]) full |= set;
          if (extra === 0) break;
        }
        fill[filled++] = this.#value[i];
        if (filled === r) return true;
      }
    }
    return false;
  }

  /**
   * Whether the first player of the ticket could be seated with the chosen. The full role sets are closed under
   * union (counts of confined players are supermodular), so one union of them decides.
   */
  #mayJoin(pooled: PooledTicket): boolean {
    for (const mask of pooled.masks) if ((mask & ~this.#full) === 0) return false;
    return true;
  }

  /** Counts the ticket's players in; whether all chosen can still be seated. */
  #join(pooled: PooledTicket): boolean {
    const { all, placesOf } = this.#roles!;
    let fits = true;
    for (const mask of pooled.masks) {
      const free = all & ~mask;
      for (let extra = free; ; extra = (extra - 1) & free) {
        const set = mask | extra;
        const count = ++this.#confined[set];
        if (count === 2 * placesOf[set]) this.#full |= set;
        else if (count > 2 * placesOf[set]) fits = false;
        if (extra === 0) break;
      }
    }
    return fits;
  }

  #leave(pooled: PooledTicket, full: number): void {
    const { all } = this.#roles!;
    for (const mask of pooled.masks) {
      const free = all & ~mask;
      for (let extra = free; ; extra = (extra - 1) & free) {
        this.#confined[mask | extra]--;
        if (extra === 0) break;
      }
    }
    this.#full = full;
  }

  /**
   * The part α·d_p that is certain already. For p = ∞: when the most skilled of all is chosen, the other team has at
   * best the most skilled player of another ticket.
   */
  #certain(j: number): number {
    if (this.#rules.p !== Number.POSITIVE_INFINITY || this.#rules.teamSize === 1) return 0;
    let first = 0;
    let second = this.#highFrom[j];
    for (const i of this.#path) {
      const { high } = this.candidates[i].pooled;
      if (high > first) {
        second = Math.max(second, first);
        first = high;
      } else second = Math.max(second, high);
    }
    return this.#rules.alpha * Math.max(0, first - second);
  }

  /** A full set: its exact v_q, and if that and the least that fairness costs leave room, its fairest division. */
  #divide(credit: number, unfair = 0): void {
    const team = this.#team;
    team.length = 0;
    let filled = 0;
    for (const i of this.#path) {
      const { pooled } = this.candidates[i];
      team.push(pooled);
      for (const skill of pooled.skills) this.#skills[filled++] = skill;
    }
    const v = uniformity(this.#skills, this.#rules.q);
    if (v + unfair - credit >= this.#limit) return;
    const f = this.#rules.alpha * this.#splitter.split(team) + v;
    if (f - credit >= this.#limit) return;
    this.#limit = f - credit;
    this.#found = true;
    this.imbalance = f;
    this.firstTeam = this.#splitter.firstTeam;
    this.members.length = 0;
    for (const member of team) this.members.push(member);
  }
}

const noShapes: readonly Uint8Array[] = [];

/** A search that visits more nodes than this starts again with a good game in hand. */
const shortSearch = 150;

/** How many tickets a descent looks at after the best so far. */
const patience = 16;

/** The divisions that polishing one game may cost: about a millisecond. */
const swapsMax = 400;
