import type { GameRules } from '../types.ts';
import type { Balancer } from './balancer.ts';
import { Draft } from './draft.ts';
import type { Layout } from './layout.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import type { Near, SizeLine } from './size-line.ts';
import type { SquadMix } from './squad-cells.ts';

/**
 * Makes games of squads of three around a centre: the cheapest parties of a mix, and for each pair a solo player who brings
 * its squad to the sum of the others. All these sums lie in an interval from `low` on. For each `low` the pairs take, in
 * descending order of skill, the least skilled solo player who is left and brings them there; no other choice has a
 * narrower interval. It proves nothing.
 */
export class SquadDraft {
  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #balancer: Balancer;
  readonly #solos: SizeLine;

  /** The sums of the pairs in descending order, relative to twice the centre. */
  readonly #sums: Float64Array;
  /** The solo players near the centre in ascending order, relative to it, and which of them each pair takes. */
  #near: ShapeTicket[] = [];
  #values = new Float64Array(0);
  readonly #taken: Int32Array;
  readonly #best: Int32Array;
  /** Of the parties: Σ (s − c)², Σ (s − c), and the least and greatest sums of parties of three. */
  #squares = 0;
  #sum = 0;
  #low = 0;
  #high = 0;
  /** The imbalance of the last choice, without squads of solo players. */
  #imbalance = 0;

  constructor(rules: GameRules, layout: Layout, balancer: Balancer, solos: SizeLine) {
    this.#rules = rules;
    this.#layout = layout;
    this.#balancer = balancer;
    this.#solos = solos;
    this.#sums = new Float64Array(layout.teams);
    this.#taken = new Int32Array(layout.teams);
    this.#best = new Int32Array(layout.teams);
  }

  /**
   * A game of this mix; undefined if it would hardly be better than `limit`.
   *
   * @param nearest at least as many parties as the mix has, the cheapest first; further pairs may replace others
   * @param solosLeft how many solo players wait, at least as many as the mix has
   */
  make(
    centre: number,
    mix: SquadMix,
    nearest: { readonly pairs: Near; readonly trios: Near },
    solosLeft: number,
    limit: number,
  ): ShapedGame | undefined {
    const trios = nearest.trios.tickets.slice(0, mix.trios);
    const chosen = nearest.pairs.tickets.slice(0, mix.pairs);
    const spare = nearest.pairs.tickets.slice(mix.pairs, nearest.pairs.count);
    this.#gatherSolos(centre, chosen, spare, Math.min(solosLeft, 3 * mix.solos + mix.pairs + replacements));
    this.#low = Number.POSITIVE_INFINITY;
    this.#high = Number.NEGATIVE_INFINITY;
    for (const { mean } of trios) {
      this.#low = Math.min(this.#low, 3 * (mean - centre));
      this.#high = Math.max(this.#high, 3 * (mean - centre));
    }
    const pairs = this.#improve(centre, trios, chosen, spare);
    if (mix.solos === 0 && this.#imbalance >= limit && limit < Number.POSITIVE_INFINITY) return undefined;

    const draft = new Draft(this.#layout, centre, false, false);
    let team = 0;
    for (const trio of trios) draft.placeOn(team++, trio);
    const isTaken = new Uint8Array(this.#near.length);
    pairs.forEach((pair, i) => {
      draft.placeOn(team, pair);
      draft.placeOn(team++, this.#near[this.#best[i]]);
      isTaken[this.#best[i]] = 1;
    });
    const left = this.#near.filter((_, i) => isTaken[i] === 0);
    left.sort((a, b) => Math.abs(a.mean - centre) - Math.abs(b.mean - centre));
    if (mix.solos > 0) {
      let squares = this.#squares;
      for (let i = 0; i < pairs.length; i++) squares += this.#values[this.#best[i]] ** 2;
      for (let i = 0; i < 3 * mix.solos; i++) squares += (left[i].mean - centre) ** 2;
      if (Math.sqrt(squares / this.#layout.seats) * 1.03 >= limit) return undefined;
    }
    const rest = left.slice(0, 3 * mix.solos).sort((a, b) => b.mean - a.mean);
    for (let i = 0; i < mix.solos; i++) {
      draft.placeOn(team, rest[i]);
      draft.placeOn(team, rest[2 * mix.solos - 1 - i]);
      draft.placeOn(team++, rest[2 * mix.solos + i]);
    }
    const spareSolos = left.slice(3 * mix.solos, 3 * mix.solos + replacements);
    return this.#balancer.balance(draft, spareSolos);
  }

  /** The solo players whom the pairs may need, and at least `count`. */
  #gatherSolos(
    centre: number,
    chosen: readonly ShapeTicket[],
    spare: readonly ShapeTicket[],
    count: number,
  ): void {
    let farthest = 0;
    for (const { mean } of chosen) farthest = Math.max(farthest, Math.abs(mean - centre));
    for (const { mean } of spare) farthest = Math.max(farthest, Math.abs(mean - centre));
    for (let reach = 2.5 * farthest + 1e-9 * centre; ; reach = 2 * reach + 1e-9) {
      this.#near = this.#solos.between(centre - reach, centre + reach);
      if (this.#near.length >= count) break;
    }
    this.#values = Float64Array.from(this.#near, ({ mean }) => mean - centre);
  }

  /** Chooses the solo players of the pairs, into `#best`; pairs that are hard to bring near the others are replaced. */
  #improve(
    centre: number,
    trios: readonly ShapeTicket[],
    chosen: readonly ShapeTicket[],
    spare: readonly ShapeTicket[],
  ): readonly ShapeTicket[] {
    let pairs = [...chosen].sort((a, b) => b.mean - a.mean);
    let least = this.#choose(centre, trios, pairs);
    this.#imbalance = least;
    const left = [...spare];
    for (let round = 0; round < rounds && pairs.length > 0; round++) {
      const worst = this.#farthest(pairs.length);
      let found = -1;
      const saved = this.#best.slice(0, pairs.length);
      let best = saved;
      let bestPairs = pairs;
      for (let i = 0; i < left.length; i++) {
        const others = pairs.toSpliced(worst, 1);
        let at = 0;
        while (at < others.length && others[at].mean > left[i].mean) at++;
        others.splice(at, 0, left[i]);
        const f = this.#choose(centre, trios, others);
        if (f >= least) continue;
        least = f;
        found = i;
        best = this.#best.slice(0, pairs.length);
        bestPairs = others;
      }
      this.#best.set(best);
      if (found === -1) {
        this.#setPairs(centre, trios, pairs);
        break;
      }
      left[found] = pairs[worst];
      pairs = bestPairs;
      this.#imbalance = least;
      this.#setPairs(centre, trios, pairs);
    }
    return pairs;
  }

  #setPairs(centre: number, trios: readonly ShapeTicket[], pairs: readonly ShapeTicket[]): void {
    this.#squares = 0;
    this.#sum = 0;
    for (const { mean, spread } of trios) {
      this.#squares += spread + 3 * (mean - centre) ** 2;
      this.#sum += 3 * (mean - centre);
    }
    pairs.forEach(({ mean, spread }, i) => {
      this.#sums[i] = 2 * (mean - centre);
      this.#squares += spread + 2 * (mean - centre) ** 2;
      this.#sum += 2 * (mean - centre);
    });
  }

  /** The pair whose squad is the farthest above the least one. */
  #farthest(count: number): number {
    let at = 0;
    for (let i = 1; i < count; i++)
      if (this.#sums[i] + this.#values[this.#best[i]] > this.#sums[at] + this.#values[this.#best[at]]) at = i;
    return at;
  }

  /** The least imbalance found for these pairs, with their solo players in `#best`. */
  #choose(centre: number, trios: readonly ShapeTicket[], pairs: readonly ShapeTicket[]): number {
    this.#setPairs(centre, trios, pairs);
    const count = pairs.length;
    const n = this.#layout.seats;
    if (count === 0) return this.#imbalanceOf(0, this.#taken);
    const away = 0.35 * Math.sqrt(this.#squares / n);
    const hasTrios = trios.length > 0;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i <= steps; i++) {
      const low = hasTrios ? this.#low - (away * i) / steps : away * ((2 * i) / steps - 1);
      const f = this.#match(count, low);
      if (f >= least) continue;
      least = f;
      this.#best.set(this.#taken);
    }
    return least < Number.POSITIVE_INFINITY ? least : this.#matchAnyhow(count);
  }

  /** Brings the sums of all squads to `low` or above. Returns the imbalance, ∞ if a pair finds no solo player. */
  #match(count: number, low: number): number {
    const values = this.#values;
    const sums = this.#sums;
    let at = 0;
    for (let i = 0; i < count; i++) {
      const least = low - sums[i];
      while (at < values.length && values[at] < least) at++;
      if (at === values.length) return Number.POSITIVE_INFINITY;
      this.#taken[i] = at++;
    }
    return this.#imbalanceOf(count, this.#taken);
  }

  /** The solo players nearest to the centre, in order. */
  #matchAnyhow(count: number): number {
    const order = [...this.#values.keys()].sort(
      (a, b) => Math.abs(this.#values[a]) - Math.abs(this.#values[b]),
    );
    this.#best.set(order.slice(0, count).sort((a, b) => a - b));
    return this.#imbalanceOf(count, this.#best);
  }

  #imbalanceOf(count: number, taken: Int32Array): number {
    let squares = this.#squares;
    let sum = this.#sum;
    let high = this.#high;
    let low = this.#low;
    for (let i = 0; i < count; i++) {
      const value = this.#values[taken[i]];
      squares += value * value;
      sum += value;
      const team = this.#sums[i] + value;
      if (team > high) high = team;
      if (team < low) low = team;
    }
    const n = this.#layout.seats;
    return this.#rules.alpha * (high - low) + Math.sqrt(Math.max(0, squares - (sum * sum) / n) / n);
  }
}

/** The starts of intervals that are tried. */
const steps = 48;

/** The replacements of a pair. */
const rounds = 3;

/** The solo players in no game that may replace others. */
const replacements = 24;
