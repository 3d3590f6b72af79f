import { shapeOf } from '../model/game-shape.ts';
import type { GameRules } from '../types.ts';
import type { Seated } from './seated.ts';
import type { SkillLine } from './skill-line.ts';

/**
 * The bound with two centres on the imbalance of the games of some seated players (p = 1, q = 2): the missing dense players of
 * the first team are around c − δ, those of the other around c + δ, all different. docs/engine-proofs.md has the proof.
 */
export class TwoCentreBound {
  /** The centre c of least cost of the last `of`: where dense players are worth trying. */
  at = 0;

  readonly #alpha: number;
  readonly #n: number;
  readonly #dense: SkillLine;

  constructor(rules: GameRules, dense: SkillLine) {
    this.#alpha = rules.alpha;
    this.#n = shapeOf(rules).seats;
    this.#dense = dense;
  }

  /** The bound at the distance δ at which it is best if there are dense players everywhere; not searched beyond `limit`. */
  of(seated: Seated, limit: number): number {
    const delta = shiftOf(seated, this.#n);
    const square = this.#n * limit * limit;
    const cost = this.#leastCost(seated, delta, square, 0);
    const v = Math.sqrt(cost / this.#n);
    // With the teams exactly equal in number the other bound is not below it: `ScarceRoles.of` checks the weight.
    const f = seated.ahead === 0 || cost <= 0 ? v : Math.min(v, (this.#alpha * cost) / (2 * Math.abs(delta)));
    return f * (1 - rounding);
  }

  /**
   * Raises a bound by other distances δ; it is concave in δ. Stops at `needed`.
   *
   * @param most the imbalance beyond which games do not matter
   */
  climb(seated: Seated, known: number, needed: number, most: number): number {
    const n = this.#n;
    const limit = n * most * most;
    const { ssd, gap, count } = seated;
    const least = shiftOf(seated, n);
    const reach = Math.sqrt(Math.max(0, limit - ssd - gap * least) / count);
    const boundAt = (delta: number): number => {
      const cost = this.#leastCost(seated, delta, limit, reach);
      if (cost <= 0) return 0;
      return Math.min(Math.sqrt(cost / n), (this.#alpha * cost) / (2 * Math.abs(delta))) * (1 - rounding);
    };
    let best = known;
    let delta = least;
    let step = 0.25 * Math.max(Math.abs(delta), 0.4 * most);
    for (let tries = 0; tries < climbsMax && best < needed; tries++) {
      const up = boundAt(delta + step);
      const next = up > best ? up : boundAt(delta - step);
      if (next > best) {
        delta += up > best ? step : -step;
        best = next;
      } else step /= 3;
    }
    return best;
  }

  /**
   * The least of the seated players' cost and the squared distances of the nearest dense players from c ∓ δ, less N·δ², over
   * all means c: by chords, as in the centre bound. Not searched beyond `limit`, nor where the seated alone cost more.
   *
   * @param within if not 0, how far c may be from the centre of the seated players
   */
  #leastCost({ count, ahead, mean, ssd, gap }: Seated, delta: number, limit: number, within: number): number {
    const n = this.#n;
    const missing = n - count;
    const first = (missing - ahead) / 2;
    const second = missing - first;
    const [countP, countQ] = delta < 0 ? [second, first] : [first, second];
    const apart = Math.abs(delta);
    // The seated players cost this much at their own centre, and `count` times the square of the distance from it elsewhere.
    const base = ssd + 2 * delta * gap - (missing + (ahead * ahead) / count) * delta * delta;
    const middle = mean + (delta * ahead) / count;
    const reach = within || Math.sqrt(Math.max(0, limit - base) / count);
    const costAt = (c: number) =>
      base + count * (c - middle) ** 2 + this.#dense.leastCost(c - apart, countP, c + apart, countQ);
    const points = [middle - reach, middle, middle + reach];
    const costs = points.map(costAt);
    let best = costs[0] < costs[1] ? 0 : 1;
    if (costs[2] < costs[best]) best = 2;
    this.at = points[best];
    let least = costs[best];
    const intervals: Interval[] = [];
    const file = (low: number, high: number, a: number, b: number) => {
      const square = n * (high - low) ** 2;
      const t = square === 0 ? 0 : Math.min(1, Math.max(0, 0.5 - (b - a) / (2 * square)));
      const bound = a + t * (b - a) - t * (1 - t) * square - rounding * (Math.abs(a) + Math.abs(b) + square);
      intervals.push({ low, high, a, b, bound: a === Number.POSITIVE_INFINITY ? a : bound });
    };
    file(points[0], points[1], costs[0], costs[1]);
    file(points[1], points[2], costs[1], costs[2]);
    for (let splits = 0; ; splits++) {
      let next = 0;
      for (let i = 1; i < intervals.length; i++) if (intervals[i].bound < intervals[next].bound) next = i;
      const { low, high, a, b, bound } = intervals[next];
      if (bound >= limit || bound >= least * tightness || splits === splitsMax)
        return Math.max(base, Math.min(bound, limit));
      const split = (low + high) / 2;
      const cost = costAt(split);
      if (cost < least) {
        least = cost;
        this.at = split;
      }
      intervals.splice(next, 1);
      file(low, split, a, cost);
      file(split, high, cost, b);
    }
  }
}

interface Interval {
  readonly low: number;
  readonly high: number;
  /** The costs at both ends, and the bound between them. */
  readonly a: number;
  readonly b: number;
  readonly bound: number;
}

/** The distance δ of both centres from c at which dense players, wherever needed, make the teams equal at the least cost. */
export function shiftOf({ count, ahead, gap }: Seated, n: number): number {
  return gap / (n - count + (ahead * ahead) / count);
}

/** How many distances of the centres a climb tries, some twice. */
const climbsMax = 8;

const tightness = 0.999;
const splitsMax = 40;

/** More than the relative rounding error of the sums. */
export const rounding = 1e-12;
