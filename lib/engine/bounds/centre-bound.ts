import { KeyHeap } from '../collections/key-heap.ts';
import { shapeOf } from '../model/game-shape.ts';
import type { RoleTable } from '../model/roles.ts';
import { SearchClock } from '../model/search-clock.ts';
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
 * For q = 2 the least h is the least v_2. For q = 1 and q = ∞ it is far below, because the centre of a set of least cost is
 * not its mean. There h also uses that the deviations of a game from its mean sum to 0: with q = 1 by a multiplier θ, which
 * tilts the costs to |z − c| + θ·(z − c); with q = ∞ a set within c ± R counts only if its sum can be 2k·c.
 *
 * Removals only raise h, so a proved bound stays valid. Only centres whose basis has lost a player are re-evaluated.
 */
export class CentreBound {
  /** No game has an imbalance below this. Set by `prove`. */
  bound = 0;
  /** The places of players that can be seated and have about the least h: a starting point for a game. None when cut short. */
  basis: readonly number[] = [];
  #centre = 0;

  readonly #q: number;
  /** The players of a game, and the range of all skills. */
  readonly #n: number;
  readonly #low: number;
  readonly #high: number;
  readonly #greedy: CentreBasis;
  readonly #intervals: Interval[] = [];
  readonly #heap = new KeyHeap();
  readonly #isGone: Uint8Array;
  readonly #clock: SearchClock;

  /**
   * @param sorted skills in ascending order, at least one
   * @param masks the roles that each player accepts
   */
  constructor(
    sorted: Float64Array,
    masks: Uint8Array,
    roles: RoleTable,
    rules: GameRules,
    clock = new SearchClock(),
  ) {
    this.#clock = clock;
    this.#q = rules.q;
    this.#n = shapeOf(rules).seats;
    this.#low = sorted[0];
    this.#high = sorted[sorted.length - 1];
    this.#greedy = new CentreBasis(sorted, masks, roles, rules);
    this.#isGone = new Uint8Array(sorted.length);
    const low = this.#evaluate(sorted[0]);
    const high = this.#evaluate(sorted[sorted.length - 1]);
    this.#file({ low, high, least: this.#leastBetween(low, high) }, 0);
  }

  /** Removes the player at this place. */
  remove(place: number): void {
    this.#isGone[place] = 1;
    this.#greedy.remove(place);
  }

  /**
   * Sets `bound` and `basis`. Returns whether a game could be formed, ignoring parties and refused pairs.
   * Stops when the bound is at least `enough` or within 0.1% of the basis, or when the time is over.
   */
  prove(enough: number): boolean {
    for (let left = this.#q === 1 || this.#q === Number.POSITIVE_INFINITY ? costlyMax : evaluationsMax; ; ) {
      const id = this.#heap.topId;
      const interval = this.#intervals[id];
      const { low, high, least } = interval;
      const best = low.cost < high.cost ? low : high;
      if (best.nearest === Number.POSITIVE_INFINITY) {
        this.basis = [];
        return false;
      }
      if (this.#clock.isOver(stepsPerCentre)) {
        this.bound = least.bound;
        this.basis = [];
        return true;
      }
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
        interval.least = this.#leastBetween(low, high);
        this.#file(interval, id);
        continue;
      }
      const middle = this.#evaluate(least.at);
      left--;
      this.#file({ low, high: middle, least: this.#leastBetween(low, middle) }, id);
      this.#file({ low: middle, high, least: this.#leastBetween(middle, high) }, this.#intervals.length);
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
    const centre: Centre = { at, cost: 0, nearest: 0, tilt: 0, basis: [] };
    this.#value(centre);
    return centre;
  }

  #value(centre: Centre): void {
    const greedy = this.#greedy;
    centre.cost = centre.nearest = greedy.costAt(centre.at);
    centre.basis = greedy.basis();
    centre.tilt = 0;
    if (centre.cost === Number.POSITIVE_INFINITY) return;
    if (this.#q === 1) this.#tilt(centre);
    else if (this.#q === Number.POSITIVE_INFINITY) this.#balance(centre);
  }

  /** q = ∞: the least distance within which a set can have this mean, and of the sets of extreme sums there that nearest to it. */
  #balance(centre: Centre): void {
    const { at } = centre;
    const reach = this.#leastReach(at, at, centre.nearest);
    centre.cost = reach;
    if (reach === Number.POSITIVE_INFINITY) return;
    const greedy = this.#greedy;
    const wider = reach * (1 + reachTolerance);
    const most = greedy.sumBetween(at - wider, at + wider, at, true);
    if (Math.abs(most) === Number.POSITIVE_INFINITY) return;
    const basis = greedy.basis();
    const least = greedy.sumBetween(at - wider, at + wider, at, false);
    centre.basis = Math.abs(least) < Math.abs(most) ? greedy.basis() : basis;
  }

  /** q = 1: finds the tilt of greatest cost, which is concave in it; its slope is the excess of the set of least cost. */
  #tilt(centre: Centre): void {
    const greedy = this.#greedy;
    let low = -tiltMax;
    let high = tiltMax;
    let tilt = 0;
    for (let i = 0; i < tiltsMax && greedy.excess !== 0; i++) {
      if (greedy.excess > 0) low = tilt;
      else high = tilt;
      tilt = (low + high) / 2;
      const cost = greedy.costAt(centre.at, tilt);
      if (cost <= centre.cost) continue;
      centre.cost = cost;
      centre.tilt = tilt;
      centre.basis = greedy.basis();
    }
  }

  /**
   * q = ∞: below this distance R no set with a mean from `low` to `high` has all players within `low` − R and `high` + R. ∞ if
   * there is none at all.
   *
   * @param least a distance below which there is none
   */
  #leastReach(low: number, high: number, least: number): number {
    const n = this.#n;
    // The errors of ends and sums depend on the skills, however near these are to each other.
    const error = rounding * Math.max(Math.abs(this.#low), Math.abs(this.#high));
    const slack = n * (high - low) + n * n * error;
    const isPossible = (reach: number) =>
      this.#greedy.sumBetween(low - reach - error, high + reach + error, low, false) <= slack &&
      this.#greedy.sumBetween(low - reach - error, high + reach + error, high, true) >= -slack;
    const most = Math.max(this.#high - low, high - this.#low);
    if (!isPossible(most)) return Number.POSITIVE_INFINITY;
    let below = least * (1 - rounding);
    if (isPossible(below)) return below;
    let above = most;
    for (let i = 0; i < reachesMax && above - below > reachTolerance * above; i++) {
      const middle = (below + Math.min(above, 4 * below + reachTolerance * above)) / 2;
      if (isPossible(middle)) above = middle;
      else below = middle;
    }
    return below;
  }

  #leastBetween(low: Centre, high: Centre): { bound: number; at: number } {
    if (this.#q !== Number.POSITIVE_INFINITY) return leastBetween(low, high, this.#q);
    const at = (low.at + high.at) / 2;
    if (low.nearest === Number.POSITIVE_INFINITY) return { bound: low.nearest, at };
    const known = Math.max(0, (low.nearest + high.nearest - (high.at - low.at)) / 2);
    const least = this.#leastReach(low.at, high.at, known);
    return { bound: least * (1 - rounding), at };
  }

  #hasLost(centre: Centre): boolean {
    return centre.basis.some((place) => this.#isGone[place] === 1);
  }

  /** Re-evaluates a centre if its basis has lost players. Returns the number of evaluations. */
  #renew(centre: Centre): number {
    if (!this.#hasLost(centre)) return 0;
    this.#value(centre);
    return 1;
  }
}

/** The most centres that one call may evaluate. */
const evaluationsMax = 4000;

/** The work of one, in steps of a `SearchClock`. */
const stepsPerCentre = 16;

/** The same for q = 1 and q = ∞, where each takes ten times as long. */
const costlyMax = 400;

/** θ is less than 1 in size, so that every distance counts. */
const tiltMax = 0.999;
const tiltsMax = 10;

/** How precisely a distance is determined for q = ∞. */
const reachTolerance = 2e-4;
const reachesMax = 40;

/** The relative gap allowed between the bound and the cost of its basis. */
const tolerance = 1e-3;

/** A centre that was evaluated. */
interface Centre {
  readonly at: number;
  /** h; ∞ when no game can have this mean. */
  cost: number;
  /** The least cost without regard to the mean; ∞ when no game can be formed. */
  nearest: number;
  /** θ, for q = 1. */
  tilt: number;
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
    // A game whose mean is t above a centre costs at least h − (1 + θ)·t, and t below it at least h − (1 − θ)·t.
    const up = 1 + low.tilt;
    const down = 1 - high.tilt;
    t = Math.min(1, Math.max(0, (low.cost - high.cost + down * width) / ((up + down) * width)));
    bound = Math.max(0, Math.max(low.cost - up * t * width, high.cost - down * (1 - t) * width));
  }
  // An interval that is too narrow to split, or whose least value is at an end, needs no further work.
  const at = low.at + t * width;
  return { bound: bound * (1 - rounding), at: at > low.at && at < high.at ? at : (low.at + high.at) / 2 };
}

/** More than the relative rounding error of the sums. */
const rounding = 1e-13;
