import { type PartyLines, PartyWindow } from '../bounds/party-lines.ts';
import { type DividedGame, divisionBy } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { skillSpread, teamGap } from '../model/imbalance.ts';
import { gameMixes, teamMixes } from '../model/party-mixes.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';

/**
 * The exact best game of a party mix of few parties with one of them, the anchor, for p = 1 and α·√N ≥ 1.
 *
 * It chooses the parties one after the other. The players that are still missing add least to N·v_2² where they make the teams
 * equal, and this least sum is a parabola in the mean of the next party. So the parties are tried outward from its minimum until
 * the bound reaches the best game.
 *
 * The last party decides the team gap. Let the sum of its players that makes the teams equal be s·x₀. A party whose mean is t
 * from x₀ makes a gap of s·t, and v_2 is at least its value at x₀ less ℓ·t with ℓ = √(s·(N − s))/N, which is less than α·s. So
 * the last parties are tried outward from x₀.
 */
export class FewParties {
  /** The best game of the last `search`, undefined if none is below its limit. */
  game: DividedGame | undefined;
  /** Whether the last `search` ended before it had tried everything, so that it proves nothing. */
  isCut = false;
  /** The parties tried since construction. */
  tried = 0;

  readonly #rules: GameRules;
  readonly #lines: PartyLines;
  readonly #clock: SearchClock;
  readonly #n: number;
  readonly #scale: number;
  /** By mix and size of the anchor: the ways to divide the missing parties into teams. */
  readonly #ways: Way[][][];

  /** By size: the parties that a game below the limit may have, and the greatest N·v_2² for which they were collected. */
  readonly #windows: PartyWindow[];
  readonly #reaches: Float64Array;
  /** The anchor of the windows, and how many parties had left when they were collected. */
  #centre: PooledTicket | undefined;
  #removals = 0;
  #way: readonly Step[] = [];
  #anchor!: PooledTicket;
  readonly #chosen = new Int32Array(seatsMax);
  /** By step: the least spread within the parties after it. */
  readonly #later = new Float64Array(seatsMax + 1);
  #least = 0;
  /** N·v_2² from which on the imbalance is at least `#least`. */
  #most = 0;
  #triedMax = 0;

  constructor(rules: GameRules, lines: PartyLines, clock = new SearchClock()) {
    this.#clock = clock;
    const shape = shapeOf(rules);
    this.#rules = rules;
    this.#lines = lines;
    this.#n = shape.seats;
    this.#scale = rules.q >= 2 ? 1 : Math.sqrt(2 / shape.seats);
    this.#ways = gameMixes(shape).map((mix) => Array.from(mix, (_, anchor) => this.#waysOf(mix, anchor)));
    this.#windows = Array.from({ length: rules.teamSize + 1 }, () => new PartyWindow());
    this.#reaches = new Float64Array(rules.teamSize + 1);
  }

  /** How many parties are missing in this mix with an anchor of this size, 0 if it is not searched. */
  missing(mix: number, anchor: number): number {
    return this.#ways[mix][anchor][0]?.missing.length ?? 0;
  }

  /**
   * Searches for a game of this mix with the anchor at this place whose imbalance is below `limit`.
   *
   * @param triedMax the search is cut short after so many parties, and then proves nothing
   * @returns no such game has an imbalance below this
   */
  search(mix: number, size: number, place: number, limit: number, triedMax: number): number {
    this.#anchor = this.#lines.ticket(size, place);
    this.game = undefined;
    this.isCut = false;
    this.#lower(limit);
    if (!this.#gather(this.#ways[mix][size][0], size, place)) return limit;
    this.#triedMax = this.tried + triedMax;
    for (const each of this.#ways[mix][size]) {
      if (this.isCut) break;
      const way = this.#inOrder(each, size);
      this.#way = way;
      let later = 0;
      for (let step = way.length - 1; step >= 0; step--) {
        this.#later[step] = later;
        later += this.#windows[way[step].size].leastSpread;
      }
      if (way.length === 1) this.#last(0, 0, this.#anchor.spread);
      else this.#extend(0, 0, 0, this.#anchor.spread);
    }
    return Math.max(0, this.#least * (1 - rounding) - rounding * 1e-3 * this.#anchor.mean);
  }

  #lower(least: number): void {
    this.#least = least;
    this.#most = this.#n * (Math.max(0, least) / this.#scale) ** 2;
  }

  /** Collects the parties that may be in a game below the limit. Returns whether there are any of each size. */
  #gather(way: Way, anchorSize: number, anchorPlace: number): boolean {
    const { mean, spread } = this.#anchor;
    // The mixes of one anchor are mostly searched one after the other, and they share the windows.
    if (this.#centre !== this.#anchor || this.#removals !== this.#lines.removals) {
      this.#reaches.fill(Number.NEGATIVE_INFINITY);
      this.#centre = this.#anchor;
      this.#removals = this.#lines.removals;
    }
    for (const size of way.sizes) {
      const window = this.#windows[size];
      if (this.#reaches[size] < this.#most) {
        const pull = (size * anchorSize) / (size + anchorSize);
        const except = size === anchorSize ? anchorPlace : -1;
        this.#lines.within(size, mean, pull, this.#most - spread, except, window);
        this.#reaches[size] = this.#most;
        this.tried += window.count;
      }
      if (window.count === 0) return false;
    }
    return true;
  }

  /**
   * Tries every party at a step before the last.
   *
   * @param sum the skills of the chosen players, relative to the anchor
   * @param gap those of the anchor's team less those of the other
   * @param cost the least N·v_2² with equal teams
   */
  #extend(depth: number, sum: number, gap: number, cost: number): void {
    const step = this.#way[depth];
    const { size, team, pull } = step;
    const { values, spreads, count, leastSpread } = this.#windows[size];
    const later = this.#later[depth];
    const at = step.ofSum * sum + step.ofGap * gap;
    const isLast = depth + 2 === this.#way.length;
    const from = step.isAlike ? this.#chosen[depth - 1] + 1 : 0;
    let above = Math.max(from, firstFrom(values, count, at));
    let below = above - 1;
    let toAbove = above < count ? values[above] - at : Number.POSITIVE_INFINITY;
    let toBelow = below >= from ? at - values[below] : Number.POSITIVE_INFINITY;
    for (;;) {
      let index: number;
      let away: number;
      if (toAbove < toBelow) {
        index = above++;
        away = toAbove;
        toAbove = above < count ? values[above] - at : Number.POSITIVE_INFINITY;
      } else {
        if (toBelow === Number.POSITIVE_INFINITY) return;
        index = below--;
        away = toBelow;
        toBelow = below >= from ? at - values[below] : Number.POSITIVE_INFINITY;
      }
      const costHere = cost + pull * away * away;
      if (costHere + leastSpread + later >= this.#most) return;
      this.tried++;
      const next = costHere + spreads[index];
      if (next + later >= this.#most || this.#isChosen(depth, size, index)) continue;
      this.#chosen[depth] = index;
      const value = size * values[index];
      if (isLast) this.#last(sum + value, gap + team * value, next);
      else this.#extend(depth + 1, sum + value, gap + team * value, next);
      if (this.tried > this.#triedMax || this.#clock.isOver()) {
        this.isCut = true;
        return;
      }
    }
  }

  /** Tries every last party, outward from the mean skill that makes the teams equal. */
  #last(sum: number, gap: number, cost: number): void {
    const depth = this.#way.length - 1;
    const step = this.#way[depth];
    const { size, team } = step;
    const { values, spreads, count, leastSpread } = this.#windows[size];
    const n = this.#n;
    const scale = this.#scale;
    const unfair = this.#rules.alpha * size;
    const equal = (-team * gap) / size;
    const middle = sum / (n - size);
    const pull = (size * (n - size)) / n;
    const slope = unfair - (scale * Math.sqrt(size * (n - size))) / n;
    const atEqual = scale * Math.sqrt((cost + leastSpread) / n);
    const from = step.isAlike ? this.#chosen[depth - 1] + 1 : 0;
    let above = Math.max(from, firstFrom(values, count, equal));
    let below = above - 1;
    for (;;) {
      const toAbove = above < count ? values[above] - equal : Number.POSITIVE_INFINITY;
      const toBelow = below >= from ? equal - values[below] : Number.POSITIVE_INFINITY;
      const isAbove = toAbove < toBelow;
      const away = isAbove ? toAbove : toBelow;
      if (atEqual + slope * away >= this.#least) return;
      const index = isAbove ? above++ : below--;
      this.tried++;
      const value = values[index];
      const v =
        scale *
        Math.sqrt(
          Math.max(0, cost + spreads[index] + pull * (value - equal) * (value + equal - 2 * middle)) / n,
        );
      if (unfair * away + v >= this.#least || this.#isChosen(depth, size, index)) continue;
      this.#chosen[depth] = index;
      this.#keep();
    }
  }

  #isChosen(depth: number, size: number, index: number): boolean {
    for (let step = 0; step < depth; step++)
      if (this.#chosen[step] === index && this.#way[step].size === size) return true;
    return false;
  }

  /** Keeps the chosen parties if they are a better game. */
  #keep(): void {
    const members = [this.#anchor];
    const own = [...this.#anchor.skills];
    const other: number[] = [];
    this.#way.forEach(({ size, team }, step) => {
      const pooled = this.#lines.ticket(size, this.#windows[size].places[this.#chosen[step]]);
      members.push(pooled);
      (team === 1 ? own : other).push(...pooled.skills);
    });
    const imbalance =
      this.#rules.alpha * teamGap(own, other, 1) + skillSpread([...own, ...other], this.#rules.q);
    if (imbalance >= this.#least) return;
    const division = divisionBy(members.length, (i) => (i === 0 || this.#way[i - 1].team === 1 ? 0 : 1));
    this.#lower(imbalance);
    this.game = { members, division, imbalance };
  }

  #waysOf(mix: Uint8Array, anchor: number): Way[] {
    const { alpha, p, teamSize } = this.#rules;
    const parties = mix.reduce((sum, count) => sum + count, 0);
    if (anchor === 0 || mix[anchor] === 0 || parties > missingMax + 1) return [];
    if (p !== 1 || alpha * Math.sqrt(this.#n) < this.#scale * (1 + 1e-9)) return [];
    const ways: Way[] = [];
    const teams = teamMixes(teamSize);
    for (const own of teams) {
      const other = mix.map((all, size) => all - own[size]);
      if (
        own[anchor] === 0 ||
        !teams.some((team) => team.every((each, size) => size === 0 || each === other[size]))
      )
        continue;
      const missing: Missing[] = [];
      for (let size = teamSize; size >= 1; size--) {
        for (let i = size === anchor ? 1 : 0; i < own[size]; i++) missing.push({ size, team: 1 });
        for (let i = 0; i < other[size]; i++) missing.push({ size, team: -1 });
      }
      ways.push({ missing, sizes: [...new Set(missing.map(({ size }) => size))], orders: new Map() });
    }
    return ways;
  }

  /** The steps of a way, those of the sizes with the fewest parties first. */
  #inOrder({ missing, sizes, orders }: Way, anchor: number): readonly Step[] {
    sizes.sort((a, b) => this.#windows[a].count - this.#windows[b].count || b - a);
    let key = 0;
    for (const size of sizes) key = key * 9 + size;
    let steps = orders.get(key);
    if (!steps) {
      steps = this.#stepsOf(
        sizes.flatMap((size) => missing.filter((each) => each.size === size)),
        anchor,
      );
      orders.set(key, steps);
    }
    return steps;
  }

  /** The parabola of each step. */
  #stepsOf(missing: readonly Missing[], anchor: number): readonly Step[] {
    let chosen = anchor;
    let ahead = anchor;
    return missing.map(({ size, team }, depth) => {
      chosen += size;
      ahead += team * size;
      const left = this.#n - chosen;
      // The players that are missing after this step: their number, and by how many the anchor's team has more of them.
      const more = -ahead;
      const weight = left + (more * more) / chosen;
      const ofGap = team * size + (more * size) / chosen;
      const pull = size - (size * size) / chosen + (ofGap * ofGap) / weight;
      const last = missing[depth - 1];
      return {
        size,
        team,
        isAlike: last?.size === size && last.team === team,
        pull,
        ofSum: (size - (ofGap * more) / weight) / chosen / pull,
        ofGap: -ofGap / weight / pull,
      };
    });
  }
}

/** One division of the missing parties into teams. */
interface Way {
  readonly missing: readonly Missing[];
  readonly sizes: number[];
  /** The steps by the order of the sizes. */
  readonly orders: Map<number, readonly Step[]>;
}

interface Missing {
  readonly size: number;
  /** 1: the team of the anchor, −1: the other. */
  readonly team: number;
}

interface Step extends Missing {
  /** Whether the step before chooses from the same parties for the same team. */
  readonly isAlike: boolean;
  /** The bound grows by this times the squared distance from the best mean, which is `ofSum·sum + ofGap·gap`. */
  readonly pull: number;
  readonly ofSum: number;
  readonly ofGap: number;
}

/** The first index whose value is not below this. */
function firstFrom(values: Float64Array, count: number, least: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Mixes with more parties besides the anchor are not searched. */
const missingMax = 8;

/** More than the relative rounding error of the sums. */
const rounding = 1e-12;

const seatsMax = 16;
