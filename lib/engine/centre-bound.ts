import type { RoleTable } from './roles.ts';
import type { GameRules } from './types.ts';

/** What is proved about all games of a pool of solo players with roles. */
export interface CentreBound {
  /** No game has an imbalance below this. */
  readonly bound: number;
  /** The players, by place in the sorted list, that are nearest to the best centre and can be seated: a game to start from. */
  readonly basis: readonly number[];
}

/**
 * The centre bound, for pools in which no search can be exact in time, such as roles whose players stand at
 * different levels of skill.
 *
 * For a centre c let h(c) be the least (mean |z − c|^q)^(1/q) over all sets of 2k players that can be seated. The sets form
 * the bases of a matroid, so the greedy by |z − c| finds it. A game with mean μ has f ≥ v_q ≥ h(μ), hence f ≥ min h. And h
 * is 1-Lipschitz (the q-norm obeys the triangle inequality), so on an interval of width w around c it is
 * at least h(c) − w/2: intervals are halved, the one of least bound first, until that is tight. ∎
 *
 * Cost: each evaluation looks at the players around c until everyone is seated.
 *
 * @param sorted skills in ascending order
 * @param masks the roles each accepts
 * @param tolerance stops when bound and least h differ by less than this, relatively
 * @returns undefined when no game can be formed
 */
export function centreBound(
  sorted: Float64Array,
  masks: Uint8Array,
  roles: RoleTable,
  rules: GameRules,
  tolerance = 0.01,
): CentreBound | undefined {
  const greedy = new CentreGreedy(sorted, masks, roles, rules);
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  let least = Number.POSITIVE_INFINITY;
  let basis: number[] = [];
  const evaluate = (from: number, to: number): Interval => {
    const h = greedy.costAt((from + to) / 2);
    if (h < least) {
      least = h;
      basis = greedy.basis();
    }
    return { from, to, bound: h - (to - from) / 2 };
  };
  let intervals = [evaluate(low, high)];
  if (least === Number.POSITIVE_INFINITY) return undefined;
  let bound = Number.POSITIVE_INFINITY;
  for (let left = evaluationsMax; intervals.length > 0; left -= 2 * intervals.length) {
    const open: Interval[] = [];
    for (const interval of intervals) {
      if (interval.bound >= least * (1 - tolerance) || left < 2 * intervals.length) {
        bound = Math.min(bound, interval.bound);
        continue;
      }
      const middle = (interval.from + interval.to) / 2;
      open.push(evaluate(interval.from, middle), evaluate(middle, interval.to));
    }
    intervals = open;
  }
  return { bound: Math.max(0, Math.min(bound, least) * (1 - 1e-12)), basis };
}

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly bound: number;
}

/** The centres one call may look at. */
const evaluationsMax = 4000;

/** The greedy basis by distance from a centre. */
class CentreGreedy {
  readonly #sorted: Float64Array;
  readonly #masks: Uint8Array;
  readonly #roles: RoleTable;
  readonly #q: number;
  readonly #chosen: Int32Array;
  readonly #confined: Uint8Array;

  constructor(sorted: Float64Array, masks: Uint8Array, roles: RoleTable, rules: GameRules) {
    this.#sorted = sorted;
    this.#masks = masks;
    this.#roles = roles;
    this.#q = rules.q;
    this.#chosen = new Int32Array(2 * rules.teamSize);
    this.#confined = new Uint8Array(roles.all + 1);
  }

  /** The players that `costAt` chose last, ascending. */
  basis(): number[] {
    return Array.from(this.#chosen).sort((a, b) => a - b);
  }

  /** h(c), ∞ when no game can be formed. */
  costAt(centre: number): number {
    const sorted = this.#sorted;
    const confined = this.#confined.fill(0);
    const { all, placesOf } = this.#roles;
    let above = 0;
    for (let high = sorted.length; above < high; ) {
      const middle = (above + high) >> 1;
      if (sorted[middle] < centre) above = middle + 1;
      else high = middle;
    }
    let below = above - 1;
    let full = 0;
    let cost = 0;
    for (let chosen = 0; chosen < this.#chosen.length; ) {
      if (below < 0 && above >= sorted.length) return Number.POSITIVE_INFINITY;
      const takeAbove =
        below < 0 || (above < sorted.length && sorted[above] - centre < centre - sorted[below]);
      const place = takeAbove ? above++ : below--;
      const mask = this.#masks[place];
      if ((mask & ~full) === 0) continue;
      const free = all & ~mask;
      for (let extra = free; ; extra = (extra - 1) & free) {
        const set = mask | extra;
        if (++confined[set] === 2 * placesOf[set]) full |= set;
        if (extra === 0) break;
      }
      this.#chosen[chosen++] = place;
      const distance = Math.abs(sorted[place] - centre);
      if (this.#q === Number.POSITIVE_INFINITY) cost = Math.max(cost, distance);
      else cost += this.#q === 2 ? distance * distance : distance ** this.#q;
    }
    return this.#q === Number.POSITIVE_INFINITY ? cost : (cost / this.#chosen.length) ** (1 / this.#q);
  }
}
