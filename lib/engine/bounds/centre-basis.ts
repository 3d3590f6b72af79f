import { shapeOf } from '../model/game-shape.ts';
import { RoleSeating } from '../model/role-seating.ts';
import type { RoleTable } from '../model/roles.ts';
import type { GameRules } from '../types.ts';

/**
 * The greedy basis of the roles' matroid by distance from a centre: the nearest players who can be seated together in a
 * game. Players with the same role set are in one list, so that a role set without free seats is skipped at once.
 *
 * Cost: a binary search per role set that players have, then 2k times their number.
 */
export class CentreBasis {
  /** The sum of z − centre over the players that `costAt` chose last. */
  excess = 0;

  readonly #q: number;
  /** The role sets of the players; for each its first player and its end, with an empty place before and after. */
  readonly #masks: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** In order, grouped by role set: the skill (∓∞ in empty places) and the place in the sorted list. */
  readonly #skills: Float64Array;
  readonly #places: Int32Array;
  readonly #indexOf: Int32Array;
  /** Links from each index to the nearest player not removed, upwards and downwards; followed links are shortened. */
  readonly #up: Int32Array;
  readonly #down: Int32Array;

  readonly #above: Int32Array;
  readonly #below: Int32Array;
  readonly #chosen: Int32Array;
  /** The distances of the players chosen last. */
  readonly #distances: Float64Array;
  readonly #seating: RoleSeating;

  /**
   * @param sorted skills in ascending order
   * @param masks the roles that each player accepts
   */
  constructor(sorted: Float64Array, masks: Uint8Array, roles: RoleTable, rules: GameRules) {
    this.#q = rules.q;
    const counts = new Int32Array(roles.all + 1);
    for (const mask of masks) counts[mask]++;
    const next = new Int32Array(roles.all + 1);
    let size = 0;
    for (let mask = 1; mask <= roles.all; mask++) {
      if (counts[mask] === 0) continue;
      this.#masks.push(mask);
      this.#starts.push(size + 1);
      next[mask] = size + 1;
      size += counts[mask] + 2;
      this.#ends.push(size - 1);
    }
    this.#skills = new Float64Array(size);
    this.#places = new Int32Array(size);
    this.#indexOf = new Int32Array(sorted.length).fill(-1);
    for (let place = 0; place < sorted.length; place++) {
      if (masks[place] === 0) continue;
      const index = next[masks[place]]++;
      this.#skills[index] = sorted[place];
      this.#places[index] = place;
      this.#indexOf[place] = index;
    }
    for (const start of this.#starts) this.#skills[start - 1] = Number.NEGATIVE_INFINITY;
    for (const end of this.#ends) this.#skills[end] = Number.POSITIVE_INFINITY;
    this.#up = Int32Array.from({ length: size }, (_, index) => index);
    this.#down = this.#up.slice();
    this.#above = new Int32Array(this.#masks.length);
    this.#below = new Int32Array(this.#masks.length);
    this.#chosen = new Int32Array(shapeOf(rules).seats);
    this.#distances = new Float64Array(this.#chosen.length);
    this.#seating = new RoleSeating(roles);
  }

  /** Removes the player at this place. */
  remove(place: number): void {
    const index = this.#indexOf[place];
    if (index === -1) return;
    this.#up[index] = index + 1;
    this.#down[index] = index - 1;
  }

  /** The places of the players that `costAt` chose last, ascending. */
  basis(): number[] {
    return Array.from(this.#chosen).sort((a, b) => a - b);
  }

  /** The places of some players of each role set on each side of the centre: the nearest, and fewer at larger distances. */
  around(centre: number): number[] {
    const around: number[] = [];
    const follow = (links: Int32Array, from: number, step: number) => {
      let index = nearest(links, from);
      for (const stride of strides) {
        for (let i = 1; i < stride && Number.isFinite(this.#skills[index]); i++)
          index = nearest(links, index + step);
        if (!Number.isFinite(this.#skills[index])) return;
        around.push(this.#places[index]);
        index = nearest(links, index + step);
      }
    };
    for (let s = 0; s < this.#masks.length; s++) {
      const index = this.#firstFrom(centre, s);
      follow(this.#up, index, 1);
      follow(this.#down, index - 1, -1);
    }
    return around;
  }

  /**
   * The least (mean |z − centre|^q)^(1/q) over the sets that can be seated, ∞ when there is none. With a tilt between −1 and 1
   * the distance of players above the centre counts 1 + tilt times, that of players below 1 − tilt times.
   */
  costAt(centre: number, tilt = 0): number {
    const skills = this.#skills;
    const above = this.#above;
    const below = this.#below;
    const seating = this.#seating;
    seating.clear();
    const sets = this.#masks.length;
    for (let s = 0; s < sets; s++) {
      const index = this.#firstFrom(centre, s);
      above[s] = nearest(this.#up, index);
      below[s] = nearest(this.#down, index - 1);
    }
    let cost = 0;
    this.excess = 0;
    const up = 1 + tilt;
    const down = 1 - tilt;
    for (let chosen = 0; chosen < this.#chosen.length; chosen++) {
      let distance = Number.POSITIVE_INFINITY;
      let set = -1;
      for (let s = 0; s < sets; s++) {
        if ((this.#masks[s] & ~seating.full) === 0) continue;
        const each = Math.min(up * (skills[above[s]] - centre), down * (centre - skills[below[s]]));
        if (each < distance) {
          distance = each;
          set = s;
        }
      }
      if (set === -1) return Number.POSITIVE_INFINITY;
      if (up * (skills[above[set]] - centre) === distance) {
        this.excess += skills[above[set]] - centre;
        this.#chosen[chosen] = this.#places[above[set]];
        above[set] = nearest(this.#up, above[set] + 1);
      } else {
        this.excess += skills[below[set]] - centre;
        this.#chosen[chosen] = this.#places[below[set]];
        below[set] = nearest(this.#down, below[set] - 1);
      }
      seating.join(this.#masks[set]);
      this.#distances[chosen] = distance;
      if (this.#q === Number.POSITIVE_INFINITY) cost = Math.max(cost, distance);
      else cost += this.#q === 2 ? distance * distance : distance ** this.#q;
    }
    if (this.#q === Number.POSITIVE_INFINITY) return cost;
    return cost < Number.POSITIVE_INFINITY
      ? (cost / this.#chosen.length) ** (1 / this.#q)
      : this.#largeCost();
  }

  /** The cost of the players chosen last, for a large q, whose powers are beyond the largest number. */
  #largeCost(): number {
    const farthest = this.#distances.reduce((most, distance) => Math.max(most, distance), 0);
    let sum = 0;
    for (const distance of this.#distances) sum += (distance / farthest) ** this.#q;
    return farthest * (sum / this.#distances.length) ** (1 / this.#q);
  }

  /**
   * The least sum of z − origin over the sets of players from `low` to `high` that can be seated, ∞ when there is none; with
   * `isGreatest` the greatest sum, −∞ when there is none.
   */
  sumBetween(low: number, high: number, origin: number, isGreatest: boolean): number {
    const skills = this.#skills;
    const at = this.#above;
    const seating = this.#seating;
    seating.clear();
    const sets = this.#masks.length;
    const links = isGreatest ? this.#down : this.#up;
    const step = isGreatest ? -1 : 1;
    for (let s = 0; s < sets; s++) {
      const first = isGreatest ? this.#firstFrom(high, s, true) - 1 : this.#firstFrom(low, s);
      at[s] = nearest(links, first);
    }
    let sum = 0;
    for (let chosen = 0; chosen < this.#chosen.length; chosen++) {
      let set = -1;
      for (let s = 0; s < sets; s++) {
        if ((this.#masks[s] & ~seating.full) === 0) continue;
        const skill = skills[at[s]];
        if (!(skill >= low && skill <= high)) continue;
        if (set === -1 || step * skill < step * skills[at[set]]) set = s;
      }
      if (set === -1) return step * Number.POSITIVE_INFINITY;
      sum += skills[at[set]] - origin;
      this.#chosen[chosen] = this.#places[at[set]];
      seating.join(this.#masks[set]);
      at[set] = nearest(links, at[set] + step);
    }
    return sum;
  }

  /** The first player of a role set's list whose skill is not below the centre (`isAfter`: above it), removed or not. */
  #firstFrom(centre: number, set: number, isAfter = false): number {
    let low = this.#starts[set];
    let high = this.#ends[set];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#skills[middle] < centre || (isAfter && this.#skills[middle] === centre)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The steps between the players that `around` takes. */
const strides = [1, 1, 1, 2, 2, 4, 4, 8, 16, 32, 64, 128];

/** Follows links to an index that links to itself, and halves the path for later calls. */
function nearest(links: Int32Array, index: number): number {
  let at = index;
  while (links[at] !== at) {
    links[at] = links[links[at]];
    at = links[at];
  }
  return at;
}
