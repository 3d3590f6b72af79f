import { shapeOf } from '../model/game-shape.ts';
import { gameMixes, teamMixes } from '../model/party-mixes.ts';
import type { GameRules } from '../types.ts';
import type { PartyLines } from './party-lines.ts';

/**
 * The **centre bound of a party mix**: a lower bound on the imbalance of the games that contain one party, the anchor, and have
 * a given number of parties of each size.
 *
 * For a centre c let H(c) be the sum of the least costs: of the anchor, and for each size of as many other parties as the
 * mix has, where a party costs the sum of its players' squared distances from c. A game with mean μ has N·v_2² ≥ H(μ). Each
 * choice of parties is a parabola in c with leading coefficient N, so H − N·c² is concave and lies above its chord between any
 * two centres. The interval with the least bound is halved until the bound is tight. All mixes of an anchor use the same
 * centres. For q ≥ 2 v_q ≥ v_2; for q < 2 v_q ≥ v_1 ≥ √(2/N)·v_2, because deviations from the mean sum to 0.
 *
 * For p = 1 `fair` also uses the team gap, by costs around two centres, c − δ for one team and c + δ for the other.
 */
export class MixBound {
  /** The centre of the least H that the last `least` evaluated. */
  centre = 0;
  /** Whether the last `least` is within the tolerance of H at that centre, so that only other parties could raise it. */
  isTight = false;
  /** Where the last `fair` found its bound: which others make the anchor's team and the other, and the centre of each. */
  apart: TeamCentres | undefined;
  /** The work since construction: lists of nearest parties. */
  evaluations = 0;

  readonly #lines: PartyLines;
  readonly #n: number;
  readonly #scale: number;
  /** α where the team gap is the difference of the teams' sums; otherwise 0. */
  readonly #alpha: number;
  readonly #needs: Uint8Array;
  /** By mix and size of the anchor: the others of the whole game, and the ways to divide them into the anchor's and the other team. */
  readonly #others: Others[][];
  readonly #divided: Others[][][];

  #size = 1;
  #place = 0;
  #mean = 0;
  #spread = 0;
  #limit = 0;
  /** Outside the range of centres the anchor alone costs this much. */
  #widest = 0;
  /** Parties that cost this much or more need not be found. */
  #most = 0;
  /** Half the width of the range of centres, and the distance of two of its points. */
  #reach = 0;
  #step = 0;
  /** By size and point: where its sums start, −1 if not evaluated. */
  readonly #startOf: Int32Array;
  readonly #used: number[] = [];
  /** The sums of the costs of the nearest 1, 2, … parties, and those of their skills relative to the anchor. */
  #costs = new Float64Array(4096);
  #skills = new Float64Array(4096);
  #filled = 0;

  constructor(rules: GameRules, lines: PartyLines) {
    const shape = shapeOf(rules);
    this.#lines = lines;
    this.#n = shape.seats;
    this.#scale = rules.q >= 2 ? 1 : Math.sqrt(2 / shape.seats);
    this.#alpha = rules.p === 1 ? rules.alpha : 0;
    const mixes = gameMixes(shape);
    this.#needs = new Uint8Array(rules.teamSize + 1);
    for (const mix of mixes) {
      for (let size = 1; size < mix.length; size++)
        this.#needs[size] = Math.max(this.#needs[size], mix[size]);
    }
    this.#startOf = new Int32Array((rules.teamSize + 1) * allPoints).fill(-1);
    const teams = teamMixes(rules.teamSize);
    this.#others = mixes.map((mix) => Array.from(mix, (_, anchor) => othersOf(mix, anchor)));
    this.#divided = mixes.map((mix) =>
      Array.from(mix, (count, anchor) => {
        if (count === 0 || anchor === 0) return [];
        const ways: Others[] = [];
        for (const own of teams) {
          const other = mix.map((all, size) => all - own[size]);
          if (
            own[anchor] > 0 &&
            teams.some((team) => team.every((each, size) => size === 0 || each === other[size]))
          )
            ways.push({ ...othersOf(own, anchor), other: othersOf(other, 0) });
        }
        return ways;
      }),
    );
  }

  /** The least v_q of a game whose players' sum of squared deviations is at least this. */
  ofSpread(squares: number): number {
    return this.#scale * Math.sqrt(squares / this.#n) * (1 - rounding);
  }

  /** Starts with an anchor. `limit`: games with a v_q of at least this need no bound above it. */
  start(size: number, place: number, limit: number): void {
    const { mean, spread } = this.#lines.ticket(size, place);
    this.#size = size;
    this.#place = place;
    this.#mean = mean;
    this.#spread = spread;
    this.#limit = this.#n * (limit / this.#scale) ** 2;
    this.#most = this.#limit;
    this.#forget();
    let widest = this.#limit;
    if (widest === Number.POSITIVE_INFINITY) {
      widest = 0;
      for (const others of this.#others) {
        const { counts } = others[size];
        const cost = counts.length > 0 ? this.#costAt(0, others[size]) : 0;
        if (cost < Number.POSITIVE_INFINITY) widest = Math.max(widest, cost);
      }
    }
    // Farther from the anchor it alone costs more than the limit, or than a game around itself.
    this.#widest = widest;
    this.#reach = Math.sqrt(Math.max(0, widest - spread) / size) * (1 + 1e-9);
    this.#step = this.#reach / half;
  }

  /** No game of this mix with the anchor has a v_q below this. */
  least(mix: number): number {
    const least = this.#search(this.#others[mix][this.#size], 0, this.#limit);
    this.centre = this.#mean + bestAt * this.#step;
    this.isTight = isTight;
    return this.#rounded(this.#scale * Math.sqrt(Math.max(0, least) / this.#n));
  }

  /**
   * No game of this mix with the anchor has an imbalance below this. It is worth its work where the teams of a game of least
   * v_q are unfair. Changes what `start` has prepared: call `start` again before `least`.
   *
   * @param most the bound need not be searched beyond this; nor is it beyond the limit of `start`
   */
  fair(mix: number, most: number): number {
    const enough = Math.min(most, this.#scale * Math.sqrt(this.#widest / this.#n));
    if (this.#most < Number.POSITIVE_INFINITY) this.#forget();
    this.#most = Number.POSITIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    for (const way of this.#divided[mix][this.#size])
      least = Math.min(least, this.#fairOf(way, Math.min(least, enough)));
    return this.#rounded(least);
  }

  /** The greatest bound over δ for one way to divide the mix: the bound is concave in δ, up to the largest one of use. */
  #fairOf(way: Others, enough: number): number {
    const n = this.#n;
    const target = n * (enough / this.#scale) ** 2;
    let best = Number.NEGATIVE_INFINITY;
    const at = (delta: number): number => {
      const least = Math.min(this.#search(way, delta, target), target);
      const v = this.#scale * Math.sqrt(Math.max(0, least) / n);
      const away = Math.abs(delta) * this.#step;
      // From the gap on at which nothing is left of v_q.
      const bound =
        delta === 0 ? v : Math.min(v, (this.#alpha * this.#scale * Math.max(0, least)) / (2 * away));
      if (bound > best) {
        best = bound;
        this.#centres(way, delta);
      }
      return bound;
    };
    let bound = at(0);
    if (bound >= enough || this.#alpha === 0) return best;
    const sign = this.#gapAt(bestAt, 0, way) > 0 ? 1 : -1;
    let delta = 0;
    for (let step = 4; Math.abs(step) <= half; ) {
      const next = delta + sign * step;
      if (Math.abs(next) > half) break;
      const more = at(next);
      if (more >= enough) return best;
      if (more > bound) {
        bound = more;
        delta = next;
        step *= 2;
      } else if (step <= 4) break;
      else step = step >> 2;
      if (step < 1) break;
    }
    return best;
  }

  #centres(way: Others, delta: number): void {
    const own = this.#mean + (bestAt - delta) * this.#step;
    const other = this.#mean + (bestAt + delta) * this.#step;
    this.apart = { own: { parties: way, centre: own }, other: { parties: way.other!, centre: other } };
  }

  /** The least H of these others between the ends of the range; sets `bestAt` and `isTight`. */
  #search(others: Others, delta: number, limit: number): number {
    lows[0] = -half;
    highs[0] = 0;
    lows[1] = 0;
    highs[1] = half;
    let count = 2;
    let best = Number.POSITIVE_INFINITY;
    for (const point of [-half, 0, half]) {
      const cost = this.#costAt(point, others, delta);
      if (cost >= best) continue;
      best = cost;
      bestAt = point;
    }
    for (let i = 0; i < 2; i++) bounds[i] = this.#between(lows[i], highs[i], others, delta, limit);
    for (;;) {
      let at = 0;
      for (let i = 1; i < count; i++) if (bounds[i] < bounds[at]) at = i;
      const least = bounds[at];
      const low = lows[at];
      const high = highs[at];
      isTight =
        least >= best * (others.other ? fairTightness : tightness) ||
        high - low === 1 ||
        count === intervalsMax;
      if (isTight || least >= limit) return least;
      const split = (low + high) >> 1;
      const cost = this.#costAt(split, others, delta);
      if (cost < best) {
        best = cost;
        bestAt = split;
      }
      highs[at] = split;
      bounds[at] = this.#between(low, split, others, delta, limit);
      lows[count] = split;
      highs[count] = high;
      bounds[count++] = this.#between(split, high, others, delta, limit);
    }
  }

  /** A lower bound on H between two points: the least value of the chord. */
  #between(low: number, high: number, others: Others, delta: number, limit: number): number {
    const a = Math.min(limit, this.#costAt(low, others, delta));
    const b = Math.min(limit, this.#costAt(high, others, delta));
    // Infinite: the mix cannot be formed.
    if (a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    const square = this.#n * ((high - low) * this.#step) ** 2;
    if (square === 0) return Math.min(a, b);
    const t = Math.min(1, Math.max(0, 0.5 - (b - a) / (2 * square)));
    return a + t * (b - a) - t * (1 - t) * square - rounding * (Math.abs(a) + Math.abs(b) + square);
  }

  /** H at a point of the range; with δ at `point − δ` for the team of the anchor and at `point + δ` for the other, less N·δ². */
  #costAt(point: number, others: Others, delta = 0): number {
    const away = (point - delta) * this.#step;
    let cost = this.#spread + this.#size * away * away;
    const { counts, sizes, other } = others;
    for (let i = 0; i < sizes.length; i++)
      cost += this.#costs[this.#startAt(sizes[i], point - delta) + counts[i] - 1];
    if (!other) return cost;
    for (let i = 0; i < other.sizes.length; i++)
      cost += this.#costs[this.#startAt(other.sizes[i], point + delta) + other.counts[i] - 1];
    return cost - this.#n * (delta * this.#step) ** 2;
  }

  /** By how much the skills of the anchor's team exceed those of the other in the game of least cost. */
  #gapAt(point: number, delta: number, { counts, sizes, other }: Others): number {
    let gap = 0;
    for (let i = 0; i < sizes.length; i++)
      gap += this.#skills[this.#startAt(sizes[i], point - delta) + counts[i] - 1];
    for (let i = 0; i < other!.sizes.length; i++)
      gap -= this.#skills[this.#startAt(other!.sizes[i], point + delta) + other!.counts[i] - 1];
    return gap;
  }

  /** Where the sums of a size start at a point, which may lie outside the range. */
  #startAt(size: number, point: number): number {
    const index = size * allPoints + point + allPoints / 2;
    const known = this.#startOf[index];
    if (known >= 0) return known;
    const start = this.#filled;
    const need = this.#needs[size];
    if (start + need > this.#costs.length) {
      this.#costs = doubled(this.#costs);
      this.#skills = doubled(this.#skills);
    }
    this.#startOf[index] = start;
    this.#used.push(index);
    this.#filled += need;
    this.evaluations++;
    const lines = this.#lines;
    const except = size === this.#size ? this.#place : -1;
    const found = lines.nearest(size, this.#mean + point * this.#step, need, except, this.#most);
    const left = lines.counts[size] - (except === -1 ? 0 : 1);
    let cost = 0;
    let skill = 0;
    for (let i = 0; i < need; i++) {
      cost += i < found ? lines.costs[i] : i < left ? this.#most : Number.POSITIVE_INFINITY;
      if (i < found) skill += size * (lines.ticket(size, lines.places[i]).mean - this.#mean);
      this.#costs[start + i] = cost;
      this.#skills[start + i] = skill;
    }
    return start;
  }

  #forget(): void {
    for (const index of this.#used) this.#startOf[index] = -1;
    this.#used.length = 0;
    this.#filled = 0;
  }

  #rounded(bound: number): number {
    return Math.max(0, bound * (1 - rounding) - rounding * 1e-3 * this.#mean);
  }
}

/** The parties of each team besides the anchor, and the centre around which they cost least. */
export interface TeamCentres {
  readonly own: { readonly parties: Others; readonly centre: number };
  readonly other: { readonly parties: Others; readonly centre: number };
}

/** How many others of which sizes; with `other` those of the anchor's team, and those of the other team. */
export interface Others {
  readonly sizes: Uint8Array;
  readonly counts: Uint8Array;
  readonly other?: Others;
}

/** What a mix has besides the anchor. */
function othersOf(mix: Uint8Array, anchor: number): Others {
  const sizes = [...mix.keys()].filter((size) => size > 0 && mix[size] > (size === anchor ? 1 : 0));
  return {
    sizes: Uint8Array.from(sizes),
    counts: Uint8Array.from(sizes, (size) => mix[size] - (size === anchor ? 1 : 0)),
  };
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const more = new Float64Array(2 * values.length);
  more.set(values);
  return more;
}

/** The points of the range on each side of the anchor, and all points, with those of the teams' centres outside it. */
const half = 256;
const allPoints = 4 * half + 2;

/** A bound is tight from this part of H at the best centre on: 1.5% of v. The bound with the team gap is for few items. */
const tightness = 0.97;
const fairTightness = 0.99;

const intervalsMax = 40;
const lows = new Int32Array(intervalsMax + 1);
const highs = new Int32Array(intervalsMax + 1);
const bounds = new Float64Array(intervalsMax + 1);
/** Set by each search for the least H: the best point, and whether the bound is tight. */
let bestAt = 0;
let isTight = false;

/** More than the relative rounding error of the sums. */
const rounding = 1e-12;
