import { shapeOf } from '../model/game-shape.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { GameRules } from '../types.ts';
import type { ScarcePlan } from './scarce-plans.ts';
import { aboveFloor, type CostedGame, SeatFiller, slack } from './seat-filler.ts';
import { type Seated, seatedOf } from './seated.ts';
import type { SkillLine } from './skill-line.ts';
import { rounding } from './two-centre-bound.ts';

/** The waiting players by what they accept, and by how long they have waited. */
export interface ScarcePool {
  /** The scarce players by their role sets, the rarest first, and the choices of these sets that make games. */
  readonly lines: readonly SkillLine[];
  readonly plans: readonly ScarcePlan[];
  readonly dense: SkillLine;
  /** Whether waits add to the costs of games. */
  readonly hasWaits: boolean;
}

/**
 * Searches the games of which one scarce player is the **first**: of the rarest role set in the game, and the lowest of those. It
 * enumerates the other scarce players with their teams, and fills the dense seats of those whose bounds are low enough.
 *
 * The wait that counts is that of a scarce player, or of a dense one who has waited longer than all of them. In the second
 * case this dense player is chosen with its team as well.
 */
export class ScarceSearch {
  /** No game of the last `run` costs less. */
  least = 0;
  /** The players on whom this bound depends; undefined if a search with a higher limit may raise it. */
  basis: readonly PooledTicket[] | undefined;
  /** Whether the last `run` took too long; then `least` is what was known before. */
  wasCut = false;

  readonly #n: number;
  readonly #pool: ScarcePool;
  readonly #filler: SeatFiller;
  #floor = 0;
  /** The plan that is tried, the places of the chosen players, and their skills relative to the first. */
  #plan: ScarcePlan = { sets: [], halves: [] };
  readonly #chosen: number[] = [];
  #stepsLeft = 0;

  constructor(rules: GameRules, pool: ScarcePool) {
    this.#n = shapeOf(rules).seats;
    this.#pool = pool;
    this.#filler = new SeatFiller(rules, pool.dense);
  }

  /** The best game known since the last `run`. */
  get game(): CostedGame | undefined {
    return this.#filler.game;
  }

  /**
   * A lower bound on the cost of the games of a first player, from the next one and from the longest wait near it alone; ∞ if there
   * are none.
   */
  leastOf(set: number, place: number): number {
    const skill = this.#pool.lines[set].skills[place];
    const alone = this.#longestNear(skill);
    let spread = Number.POSITIVE_INFINITY;
    for (const { sets } of this.#pool.plans) {
      if (sets[0] !== set) continue;
      const line = this.#pool.lines[sets[1]];
      const above = sets[1] === set ? line.next[place] : line.firstFrom(skill);
      let away = line.skills[above] - skill;
      if (sets[1] !== set) away = Math.min(away, skill - line.skills[line.last[above]]);
      spread = Math.min(spread, away * Math.sqrt(0.5 / this.#n));
    }
    return Math.max(alone, this.#leastWait() + spread);
  }

  /**
   * Searches the games of a first player that cost less than `needed`, and some that cost a little more, so that the next queries
   * need not search it again.
   *
   * @param set the index of its role set
   * @param place its place in the line of this set
   * @param known a lower bound on their costs
   * @param game the best of them that is known
   */
  run(set: number, place: number, needed: number, known: number, game: CostedGame | undefined): void {
    const { lines } = this.#pool;
    const floor = this.#leastWait();
    const limit =
      needed < Number.POSITIVE_INFINITY
        ? aboveFloor(slack, needed, floor)
        : Math.max(this.#guess(set, place), aboveFloor(2, known, floor));
    this.#floor = floor;
    this.#filler.start({ floor, needed, limit }, game);
    this.least = aboveFloor(1 - rounding, limit, floor);
    this.basis = undefined;
    this.wasCut = false;
    this.#stepsLeft = stepsMax;
    this.#chosen.length = 1;
    this.#chosen[0] = place;
    for (const plan of this.#pool.plans) {
      if (plan.sets[0] !== set) continue;
      this.#plan = plan;
      this.#extend(0, 0, lines[set].waits[place]);
    }
    if (!this.wasCut) return;
    this.least = known;
    this.basis = undefined;
  }

  /** A limit when no game is known: from the nearest players of each role set; ∞ if there are too few. */
  #guess(set: number, place: number): number {
    const { lines } = this.#pool;
    const skill = lines[set].skills[place];
    let guess = Number.POSITIVE_INFINITY;
    for (const { sets } of this.#pool.plans) {
      if (sets[0] !== set) continue;
      let reach = 0;
      sets.forEach((other, i) => {
        if (other === sets[i + 1]) return;
        const count = i + 1 - sets.indexOf(other);
        const nearest = lines[other].nearest(skill, count);
        const last =
          nearest.length < count ? Number.POSITIVE_INFINITY : lines[other].skills[nearest[count - 1]];
        reach = Math.max(reach, Math.abs(last - skill));
      });
      guess = Math.min(guess, 2 * reach);
    }
    return this.#longestNear(skill) + guess + 1e-9 * skill;
  }

  /** The least that any wait adds to a cost. */
  #leastWait(): number {
    const { lines, dense, hasWaits } = this.#pool;
    return hasWaits
      ? lines.reduce((least, { oldest }) => Math.min(least, oldest.least), dense.oldest.least)
      : 0;
  }

  /** A lower bound on the cost of the games of a player of this skill from the longest wait near it alone. */
  #longestNear(skill: number): number {
    const { lines, dense, hasWaits } = this.#pool;
    if (!hasWaits) return 0;
    let least = Number.POSITIVE_INFINITY;
    for (const { oldest } of [...lines, dense]) least = oldest.nearest(0, 0.5, skill, least);
    return least;
  }

  /**
   * Chooses the next player of the plan.
   *
   * Somebody in the game has waited longest. If neither a chosen player nor a dense one near them has waited long enough, a
   * player still to be chosen has: if it can only be the next, only those who have waited long enough are tried.
   *
   * @param sum the sum of the chosen players' skills relative to the first, `squares` of the squares
   * @param wait what the longest wait of the chosen adds to the cost
   */
  #extend(sum: number, squares: number, wait: number): void {
    const { lines, dense, hasWaits } = this.#pool;
    const { sets } = this.#plan;
    const m = this.#chosen.length;
    const origin = lines[sets[0]].skills[this.#chosen[0]];
    const mean = origin + sum / m;
    const ssd = Math.max(0, squares - (sum * sum) / m);
    const isLongNear = ({ oldest }: SkillLine) =>
      oldest.nearest(ssd, m / (m + 1), mean, this.least) < this.least;
    if (hasWaits && Math.sqrt(ssd / this.#n) + wait >= this.least && !isLongNear(dense)) {
      let isLater = false;
      for (let i = m + 1; i < sets.length && !isLater; i++)
        isLater = sets[i] !== sets[i - 1] && isLongNear(lines[sets[i]]);
      const isNext = m < sets.length && isLongNear(lines[sets[m]]);
      // Players of one role set are chosen upwards, so the next one may also be before the one who has waited.
      if (!isLater && !(isNext && sets[m + 1] === sets[m])) {
        if (isNext) this.#extendByOldest(sum, squares, wait);
        return;
      }
    }
    if (m === sets.length) this.#complete(wait);
    else this.#extendByAll(sum, squares, wait);
  }

  /** Chooses every next player who has waited so long that its game may cost less than the bound. */
  #extendByOldest(sum: number, squares: number, wait: number): void {
    const { lines } = this.#pool;
    const { sets } = this.#plan;
    const m = this.#chosen.length;
    const after = sets[m] === sets[m - 1] ? this.#chosen[m - 1] : 0;
    const line = lines[sets[m]];
    const origin = lines[sets[0]].skills[this.#chosen[0]];
    const ssd = Math.max(0, squares - (sum * sum) / m);
    const places: number[] = [];
    const found = (place: number) => places.push(place);
    line.oldest.within(ssd, m / (m + 1), origin + sum / m, this.least, Number.POSITIVE_INFINITY, found);
    for (const place of places) if (place > after) this.#choose(place, after, sum, squares, wait);
  }

  /**
   * Chooses every next player. With m chosen, another at a distance x from their mean adds m/(m + 1)·x² to the sum of squared
   * deviations, so those who may be in a better game are around the mean.
   */
  #extendByAll(sum: number, squares: number, wait: number): void {
    const { lines } = this.#pool;
    const { sets } = this.#plan;
    const m = this.#chosen.length;
    const after = sets[m] === sets[m - 1] ? this.#chosen[m - 1] : 0;
    const line = lines[sets[m]];
    const origin = lines[sets[0]].skills[this.#chosen[0]];
    const ssd = Math.max(0, squares - (sum * sum) / m);
    const start = Math.max(line.firstFrom(origin + sum / m), after > 0 ? line.next[after] : 1);
    let place = line.last[start];
    let isBelow = true;
    for (;;) {
      if (isBelow && place <= after) {
        isBelow = false;
        place = start;
      }
      if (!isBelow && place >= line.end) return;
      if (--this.#stepsLeft <= 0) this.wasCut = true;
      if (this.wasCut) return;
      const room = this.least - this.#floor;
      const away = line.skills[place] - origin - sum / m;
      if (ssd + (m / (m + 1)) * away * away >= this.#n * room * room) {
        if (!isBelow) return;
        isBelow = false;
        place = start;
        continue;
      }
      this.#choose(place, after, sum, squares, wait);
      place = isBelow ? line.last[place] : line.next[place];
    }
  }

  /** Chooses a player, unless another one of the same skill and role set who has waited longer is free: its games cost less. */
  #choose(place: number, after: number, sum: number, squares: number, wait: number): void {
    const { lines } = this.#pool;
    const { sets } = this.#plan;
    const line = lines[sets[this.#chosen.length]];
    if (line.hasTwinBefore(place) && line.last[place] !== after) return;
    const value = line.skills[place] - lines[sets[0]].skills[this.#chosen[0]];
    this.#chosen.push(place);
    this.#extend(sum + value, squares + value * value, Math.min(wait, line.waits[place]));
    this.#chosen.pop();
  }

  /** Tries every division of the chosen scarce players into teams. */
  #complete(wait: number): void {
    const { lines, hasWaits } = this.#pool;
    const { sets, halves } = this.#plan;
    const scarce = this.#chosen.map((place, i) => lines[sets[i]].ticketAt(place));
    const missing = this.#n - scarce.length;
    const all = 2 ** scarce.length - 1;
    for (const division of halves) {
      const seated = seatedOf(scarce, division, wait, 0, 0);
      const base = seated.ssd + (seated.gap * seated.gap) / missing;
      const room = this.least - this.#floor;
      if (base >= this.#n * room * room) continue;
      if (Math.sqrt(base / this.#n) + wait < this.least) this.#consider(seated, wait);
      if (!hasWaits) continue;
      this.#withOldest(seated, base);
      this.#withOldest(seatedOf(scarce, all ^ division, wait, 0, 0), base);
    }
  }

  /** Tries each dense player who has waited longer than the scarce ones on the first team. */
  #withOldest({ scarce, division, wait, mean, gap, count }: Seated, base: number): void {
    const { dense } = this.#pool;
    const candidates: { place: number; cost: number }[] = [];
    // Without it the first team's dense players are best at the mean less δ. The bound grows by its squared distance.
    const missing = this.#n - count;
    const apart = count / (count + 1);
    const pull = apart + (apart * apart) / (missing - 1 + 1 / (count + 1));
    const at = mean - gap / missing;
    dense.oldest.within(base, pull, at, this.least, wait, (place, cost) => {
      candidates.push({ place, cost });
    });
    candidates.sort((a, b) => a.cost - b.cost || a.place - b.place);
    for (const { place, cost } of candidates) {
      if (cost >= this.least) return;
      // Among those of one skill the one who has waited longest is the first.
      if (dense.hasTwinBefore(place)) continue;
      dense.hide(place);
      this.#consider(seatedOf(scarce, division, wait, place, dense.skills[place]), dense.waits[place]);
      dense.show();
    }
  }

  /** Lowers the bound to that of some seated players. */
  #consider(seated: Seated, wait: number): void {
    const filler = this.#filler;
    const bound = filler.bound(seated, wait, this.least);
    if (bound >= this.least) return;
    this.least = bound;
    if (!filler.isFinal) this.basis = undefined;
    else if (seated.oldest === 0) this.basis = seated.scarce;
    else this.basis = [...seated.scarce, this.#pool.dense.ticketAt(seated.oldest)];
  }
}

/** The most players that one search tries on all levels together: some tenths of a second. */
const stepsMax = 1_000_000;
