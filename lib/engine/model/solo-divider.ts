import type { GameRules } from '../types.ts';
import type { Division } from './division.ts';
import { type SoloDivisions, soloDivisions } from './divisions.ts';
import { shapeOf } from './game-shape.ts';
import { leastPowerSum, teamGap } from './imbalance.ts';

/**
 * Finds the fairest division of a game of solo players, in the form that searches use: skills are relative to an origin,
 * so that no precision is lost, and nothing is allocated. For p = ∞ the values are the negated skills.
 */
export class SoloDivider {
  /** The work of the last `divide`, in steps of a `SearchClock`. */
  steps = 0;

  readonly #n: number;
  readonly #p: number;
  readonly #solos: SoloDivisions;
  readonly #powers: Float64Array;
  readonly #teams: readonly [Float64Array, Float64Array];
  #at = 0;

  constructor(rules: Pick<GameRules, 'teamSize' | 'p'>) {
    const shape = shapeOf(rules);
    this.#n = shape.seats;
    this.#p = rules.p;
    this.#solos = soloDivisions(shape);
    this.#powers = new Float64Array(this.#n);
    this.#teams = [new Float64Array(shape.teamSizes[0]), new Float64Array(shape.teamSizes[1])];
  }

  /** The division that `divide` found; player 0 is on team 0. */
  get division(): Division {
    return this.#solos.divisions[this.#at];
  }

  /** The least d_p over all divisions of these values, in any order, relative to `origin`. */
  divide(values: Float64Array, origin: number): number {
    const n = this.#n;
    const { divisions } = this.#solos;
    this.steps = 1 + (divisions.length >> 6);
    if (this.#p === 1) return this.#leastDifference(values);
    if (this.#p === Number.POSITIVE_INFINITY) return this.#separate(values);
    // With A + B fixed, |A^(1/p) − B^(1/p)| falls as the smaller of A and B grows: a PARTITION of the powers.
    // Sums are recomputed each time: the root is steep near zero, where a running difference loses its precision.
    let top = 0;
    for (let i = 0; i < n; i++) top = Math.max(top, origin + values[i]);
    this.#at = 0;
    if (top === 0) return 0;
    const powers = this.#powers;
    for (let i = 0; i < n; i++) powers[i] = ((origin + values[i]) / top) ** this.#p;
    this.steps = 1 + (divisions.length >> 3);
    let smaller = -1;
    let larger = 0;
    for (let t = 0; t < divisions.length; t++) {
      let x = 0;
      let y = 0;
      for (let i = 0; i < n; i++) {
        if ((divisions[t] >> i) & 1) x += powers[i];
        else y += powers[i];
      }
      if (Math.min(x, y) <= smaller) continue;
      smaller = Math.min(x, y);
      larger = Math.max(x, y);
      this.#at = t;
    }
    if (smaller < leastPowerSum) return this.#leastGap(values, origin);
    return top * (larger ** (1 / this.#p) - smaller ** (1 / this.#p));
  }

  /** Large finite p: the least d_p when sums of powers cannot distinguish the divisions. */
  #leastGap(values: Float64Array, origin: number): number {
    const { divisions } = this.#solos;
    let least = Number.POSITIVE_INFINITY;
    this.steps += divisions.length;
    for (let t = 0; t < divisions.length; t++) {
      const [x, y] = this.#teams;
      let filled = 0;
      for (let i = 0; i < this.#n; i++) {
        if ((divisions[t] >> i) & 1) x[filled++] = origin + values[i];
        else y[i - filled] = origin + values[i];
      }
      const gap = teamGap(x, y, this.#p);
      if (gap >= least) continue;
      least = gap;
      this.#at = t;
    }
    return least;
  }

  /** p = 1: the least |ΣX − ΣY| over all divisions; leaves the first division with it in `#at`. */
  #leastDifference(weights: Float64Array): number {
    const { divisions, leaves, joins } = this.#solos;
    let difference = 0;
    for (let i = 0; i < this.#n; i++) difference += (divisions[0] >> i) & 1 ? weights[i] : -weights[i];
    let best = Math.abs(difference);
    let at = 0;
    for (let i = 1; i < divisions.length; i++) {
      difference += 2 * (weights[joins[i]] - weights[leaves[i]]);
      const distance = Math.abs(difference);
      if (distance < best) {
        best = distance;
        at = i;
      }
    }
    this.#at = at;
    return best;
  }

  /** p = ∞: the gap between the two most skilled players, who play against each other. */
  #separate(values: Float64Array): number {
    let first = 0;
    let second = 1;
    if (values[1] < values[0]) [first, second] = [1, 0];
    for (let i = 2; i < this.#n; i++) {
      if (values[i] < values[first]) {
        second = first;
        first = i;
      } else if (values[i] < values[second]) second = i;
    }
    const { divisions } = this.#solos;
    this.#at = 0;
    while (((divisions[this.#at] >> first) & 1) === ((divisions[this.#at] >> second) & 1)) this.#at++;
    return values[second] - values[first];
  }
}
