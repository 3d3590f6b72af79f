import { KeyHeap } from '../collections/key-heap.ts';
import type { RoleTable } from '../model/roles.ts';
import type { GameRules } from '../types.ts';
import { CentreBasis } from './centre-basis.ts';

/**
 * The centre bound, for pools with roles in which no search ends in time because the players of each role are at
 * different levels of skill or only a few players of a rare role are left.
 *
 * For a centre c let h(c) be the least (mean |z − c|^q)^(1/q) over all sets of 2k players that can be seated. The sets form
 * the bases of a matroid, so the greedy by |z − c| finds it. A game with mean μ has f ≥ v_q ≥ h(μ), hence f ≥ min h. The
 * values of h at two centres bound it between them (`leastBetween`). The interval with the least bound is split until its
 * bound is tight. Parties and refused pairs only rule out games.
 *
 * Removals only raise h, so a proved bound stays valid. Only centres whose basis has lost a player are re-evaluated.
 */
export class CentreBound {
  /** No game has an imbalance below this. Set by `prove`. */
  bound = 0;
  /** The places of players that can be seated and have about the least h: a starting point for a game. */
  basis: readonly number[] = [];
  #centre = 0;

  readonly #q: number;
  readonly #greedy: CentreBasis;
  readonly #intervals: Interval[] = [];
  readonly #heap = new KeyHeap();
  readonly #isGone: Uint8Array;

  /**
   * @param sorted skills in ascending order, at least one
   * @param masks the roles that each player accepts
   */
  constructor(sorted: Float64Array, masks: Uint8Array, roles: RoleTable, rules: GameRules) {
    this.#q = rules.q;
    this.#greedy = new CentreBasis(sorted, masks, roles, rules);
    this.#isGone = new Uint8Array(sorted.length);
    const low = this.#evaluate(sorted[0]);
    const high = this.#evaluate(sorted[sorted.length - 1]);
    this.#file({ low, high, least: leastBetween(low, high, this.#q) }, 0);
  }

  /** Removes the player at this place. */
  remove(place: number): void {
    this.#isGone[place] = 1;
    this.#greedy.remove(place);
  }

  /**
   * Sets `bound` and `basis`. Returns whether a game could be formed, ignoring parties and refused pairs.
   * Stops when the bound is at least `enough` or within 0.1% of the basis.
   */
  prove(enough: number): boolean {
    for (let left = evaluationsMax; ; ) {
      const id = this.#heap.topId;
      const interval = this.#intervals[id];
      const { low, high, least } = interval;
      const best = low.cost < high.cost ? low : high;
      if (best.cost === Number.POSITIVE_INFINITY) return false;
      const isStale = this.#hasLost(low) || this.#hasLost(high);
      if (!isStale && (least.bound >= Math.min(enough, best.cost * (1 - tolerance)) || left <= 0)) {
        this.bound = least.bound;
        this.basis = best.basis;
        this.#centre = best.at;
        return true;
      }
      this.#heap.pop();
      if (isStale) {
        left -= this.#renew(low) + this.#renew(high);
        interval.least = leastBetween(low, high, this.#q);
        this.#file(interval, id);
        continue;
      }
      const middle = this.#evaluate(least.at);
      left--;
      this.#file({ low, high: middle, least: leastBetween(low, middle, this.#q) }, id);
      this.#file({ low: middle, high, least: leastBetween(middle, high, this.#q) }, this.#intervals.length);
    }
  }

  /** The places of players around the centre of the basis, near and far; some may replace players of the basis. */
  others(): number[] {
    const inBasis = new Set(this.basis);
    return this.#greedy.around(this.#centre).filter((place) => !inBasis.has(place));
  }

  #file(interval: Interval, id: number): void {
    this.#intervals[id] = interval;
    this.#heap.push(interval.least.bound, id);
  }

  #evaluate(at: number): Centre {
    const cost = this.#greedy.costAt(at);
    return { at, cost, basis: this.#greedy.basis() };
  }

  #hasLost(centre: Centre): boolean {
    return centre.basis.some((place) => this.#isGone[place] === 1);
  }

  /** Re-evaluates a centre if its basis has lost players. Returns the number of evaluations. */
  #renew(centre: Centre): number {
    if (!this.#hasLost(centre)) return 0;
    centre.cost = this.#greedy.costAt(centre.at);
    centre.basis = this.#greedy.basis();
    return 1;
  }
}

/** The most centres that one call may evaluate. */
const evaluationsMax = 4000;

/** The relative gap allowed between the bound and the cost of its basis. */
const tolerance = 1e-3;

/** A centre that was evaluated. */
interface Centre {
  readonly at: number;
  /** h; ∞ when no game can be formed. */
  cost: number;
  basis: readonly number[];
}

interface Interval {
  readonly low: Centre;
  readonly high: Centre;
  least: { readonly bound: number; readonly at: number };
}

/**
 * A lower bound on h between two centres, and the point where it is reached.
 *
 * For every q it is (h₁ + h₂ − w)/2 on an interval of width w. For q = 2 it is tighter:
 * h² ≥ (1 − t)·h₁² + t·h₂² − t·(1 − t)·w² at c₁ + t·w. docs/engine-proofs.md has the proofs.
 */
function leastBetween(low: Centre, high: Centre, q: number): { bound: number; at: number } {
  const width = high.at - low.at;
  const least = low.cost < high.cost ? low : high;
  if (!(least.cost < Number.POSITIVE_INFINITY) || width === 0) return { bound: least.cost, at: least.at };
  let t: number;
  let bound: number;
  if (q === 2) {
    const a = low.cost ** 2;
    const b = high.cost ** 2;
    const square = width * width;
    t = Math.min(1, Math.max(0, 0.5 - (b - a) / (2 * square)));
    bound = Math.sqrt(Math.max(0, a + t * (b - a) - t * (1 - t) * square - rounding * (a + b + square)));
  } else {
    t = Math.min(1, Math.max(0, 0.5 + (low.cost - high.cost) / (2 * width)));
    bound = Math.max(0, (low.cost + high.cost - width) / 2);
  }
  // An interval that is too narrow to split, or whose least value is at an end, needs no further work.
  const at = low.at + t * width;
  return { bound: bound * (1 - rounding), at: at > low.at && at < high.at ? at : (low.at + high.at) / 2 };
}

/** More than the relative rounding error of the sums. */
const rounding = 1e-13;
