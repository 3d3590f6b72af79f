import { farthestBound, meanDeviationBound, ssd } from '../bounds/fill-bound.ts';
import { imbalancePerRange } from '../bounds/range-bounds.ts';
import type { Division } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { skillSpreadOfRelative } from '../model/imbalance.ts';
import { SearchClock } from '../model/search-clock.ts';
import { SoloDivider } from '../model/solo-divider.ts';
import type { GameRules } from '../types.ts';

/**
 * The exact search for the best game around one player, without roles and parties. It goes depth-first over
 * sets of 2k players in ascending order of skill and prunes by the bounds on v_q. Every complete set
 * is divided into teams.
 *
 * One instance serves one pool; it stores its candidates and its result in place so that a search
 * allocates nothing. Fill `value` with the candidates in ascending order, with the anchor 0 and first among its equals,
 * then call `run`. For p = ∞ the values are the negated skills: teamGap then depends only on the first two
 * players chosen, so it is known early.
 */
export class SoloSearch {
  /** The candidates' skills, ascending, relative to the anchor so that no precision is lost. */
  value = new Float64Array(64);
  /** The number of candidates in use. */
  count = 0;

  /** The indices of the players of the best game, ascending, and their division. */
  readonly members: Int32Array;
  division: Division = 0;
  /** The bound that `run` proved: no game has a lower imbalance. The game found has exactly this one unless cut short. */
  bound = 0;
  /** The nodes visited since construction. */
  nodes = 0;

  readonly #k: number;
  readonly #n: number;
  readonly #alpha: number;
  readonly #p: number;
  readonly #q: number;
  readonly #perRange: number;
  readonly #divider: SoloDivider;
  readonly #clock: SearchClock;
  readonly #chosen: Int32Array;
  readonly #chosenValue: Float64Array;
  /** `#sums[i]`, `#squares[i]`: of the first i candidates. */
  #sums = new Float64Array(65);
  #squares = new Float64Array(65);
  #anchor = 0;
  #anchorSkill = 0;
  #found = false;
  #limit = 0;
  #nodesLeft = 0;
  #isTimed = true;
  #cutBound = 0;

  constructor(rules: GameRules, clock = new SearchClock()) {
    this.#k = rules.teamSize;
    this.#n = shapeOf(rules).seats;
    this.#alpha = rules.alpha;
    this.#p = rules.p;
    this.#q = rules.q;
    this.#perRange = imbalancePerRange(rules);
    this.#divider = new SoloDivider(rules);
    this.#clock = clock;
    this.members = new Int32Array(this.#n);
    this.#chosen = new Int32Array(this.#n);
    this.#chosenValue = new Float64Array(this.#n);
  }

  /** Makes room for `count` candidates. */
  reserve(count: number): void {
    if (count <= this.value.length) return;
    const room = 2 ** Math.ceil(Math.log2(count));
    const value = new Float64Array(room);
    value.set(this.value);
    this.value = value;
    this.#sums = new Float64Array(room + 1);
    this.#squares = new Float64Array(room + 1);
  }

  /**
   * Searches for the best game that contains candidate `anchor` and has an imbalance below `limit`. Returns its
   * imbalance, or ∞ if there is none; `bound` is the proved bound in both cases. Visits at most
   * `nodeBudget` nodes. The values are relative to `anchorSkill`.
   */
  run(anchor: number, anchorSkill: number, limit: number, nodeBudget: number): number {
    const { value, count } = this;
    for (let i = 0, sum = 0, squares = 0; i < count; i++) {
      this.#sums[i + 1] = sum += value[i];
      this.#squares[i + 1] = squares += value[i] * value[i];
    }
    this.#anchor = anchor;
    this.#anchorSkill = anchorSkill;
    this.#limit = limit;
    this.#found = false;
    this.#nodesLeft = nodeBudget;
    // The only game of as many players as it has seats is searched in any case.
    this.#isTimed = count > this.#n;
    this.#cutBound = Number.POSITIVE_INFINITY;
    this.#extend(0, 0, 0, 0);
    this.nodes += nodeBudget - this.#nodesLeft;
    this.bound = Math.min(this.#limit, this.#cutBound);
    return this.#found ? this.#limit : Number.POSITIVE_INFINITY;
  }

  /** Tries every next player from `from` on, with m chosen of the given sum and sum of squares. */
  #extend(m: number, from: number, sum: number, squares: number): void {
    if (m === this.#n) {
      this.#divide();
      return;
    }
    const { value } = this;
    const r = this.#n - m;
    const awaitsAnchor = m === 0 || this.#chosen[m - 1] < this.#anchor;
    let last = this.count - r;
    if (awaitsAnchor) {
      if (r === 1) from = this.#anchor;
      if (this.#anchor < last) last = this.#anchor;
    }
    const squared = this.#q === 2 && this.#k > 1;
    let top = Math.min(r, this.#k);
    if (this.#isTimed && this.#clock.isOver()) this.#nodesLeft = 0;
    for (let j = from; j <= last; j++) {
      // A player with the same skill as one just skipped would form the same games again.
      if (j > from && value[j] === value[j - 1]) continue;
      let bound = 0;
      if (m > 0) {
        const room = this.#limit - this.#certain(m, j);
        if (squared) {
          top = this.#dominated(m, r, j, sum, top);
          const first = j + r - top;
          bound = ssd(
            m + top,
            sum + this.#sums[j + r] - this.#sums[first],
            squares + this.#squares[j + r] - this.#squares[first],
          );
          if (room <= 0 || bound >= room * room * this.#n) break;
        } else {
          bound = this.#bound(m, r, j, sum, squares);
          if (bound >= room) break;
        }
      }
      if (this.#nodesLeft === 0) {
        // Cut short: games that this level has not tried lie above its bound; the levels above add their bounds.
        const v = squared ? Math.sqrt(Math.max(0, bound) / this.#n) : bound;
        this.#cutBound = Math.min(this.#cutBound, v + (m > 0 ? this.#certain(m, j) : 0));
        return;
      }
      this.#nodesLeft--;
      this.#chosen[m] = j;
      this.#chosenValue[m] = value[j];
      this.#extend(m + 1, j + 1, sum + value[j], squares + value[j] * value[j]);
    }
  }

  /** For the dominance bound: the largest u near `top` for which the top u of the fill from j are at or above the mean of the chosen and the top u. */
  #dominated(m: number, r: number, j: number, sum: number, top: number): number {
    const { value } = this;
    const end = this.#sums[j + r];
    let u = top;
    while (u < r && value[j + r - u - 1] * (m + u) >= sum + end - this.#sums[j + r - u]) u++;
    while (u > 1 && value[j + r - u] * (m + u) < sum + end - this.#sums[j + r - u]) u--;
    return u;
  }

  /** A lower bound on v_q, for q ≠ 2 (and on f for teams of one). */
  #bound(m: number, r: number, j: number, sum: number, squares: number): number {
    const { value } = this;
    const lowest = this.#chosenValue[0];
    const fillLast = value[j + r - 1];
    const bound = this.#perRange * (fillLast - lowest);
    if (this.#k === 1) return bound;
    const meanWithFill = (sum + this.#sums[j + r] - this.#sums[j]) / this.#n;
    if (this.#q === Number.POSITIVE_INFINITY) return farthestBound(lowest, meanWithFill, fillLast);
    if (this.#q < 2) return Math.max(bound, meanDeviationBound(this.#chosenValue, m, meanWithFill, this.#n));
    const top = this.#dominated(m, r, j, sum, Math.min(r, this.#k));
    const first = j + r - top;
    const v2 = ssd(
      m + top,
      sum + this.#sums[j + r] - this.#sums[first],
      squares + this.#squares[j + r] - this.#squares[first],
    );
    return Math.max(bound, Math.sqrt(Math.max(0, v2) / this.#n));
  }

  /** The part α·d_p of the imbalance that is already certain: for p = ∞ the gap between the two most skilled players. */
  #certain(m: number, j: number): number {
    if (this.#p !== Number.POSITIVE_INFINITY || this.#k === 1) return 0;
    return this.#alpha * ((m > 1 ? this.#chosenValue[1] : this.value[j]) - this.#chosenValue[0]);
  }

  /** A full set: computes its exact v_q and, if that is below the limit, its fairest division. */
  #divide(): void {
    const v = skillSpreadOfRelative(this.#chosenValue, this.#q);
    const room = (this.#limit - v) / this.#alpha;
    if (room <= 0) return;
    const d = this.#divider.divide(this.#chosenValue, this.#anchorSkill);
    this.#clock.isOver(this.#divider.steps);
    const f = this.#alpha * d + v;
    if (f >= this.#limit) return;
    this.#limit = f;
    this.#found = true;
    this.division = this.#divider.division;
    this.members.set(this.#chosen);
  }
}
