import { shapeOf } from '../model/game-shape.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
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
 * The wait that counts is the longest of a game. There are three cases: it is that of the first player, of another scarce
 * player, who is then the second to be chosen, or of a dense one, who is chosen with its team after all scarce ones.
 */
export class ScarceSearch {
  /** No game of the last `run` costs less. */
  least = 0;
  /** The players on whom this bound depends; undefined if a search with a higher limit may raise it. */
  basis: readonly PooledTicket[] | undefined;
  /**
   * The work that the next runs may do, in scarce players tried, and whether it ended the last `run`. Then `least` is the bound
   * that was known before.
   */
  stepsLeft = 0;
  wasCut = false;

  readonly #n: number;
  readonly #pool: ScarcePool;
  readonly #filler: SeatFiller;
  readonly #clock: SearchClock;
  /** The role sets of the plan that is tried, in the order of choice, and the ways to divide their players. */
  #sets: readonly number[] = [];
  #halves: readonly number[] = [];
  readonly #chosen: number[] = [];
  /** How many players are chosen before those of one role set are chosen upwards: with another scarce one 2, otherwise 1. */
  #fixed = 1;
  /** What the longest wait of the scarce players adds to the cost. */
  #wait = 0;
  /** The least that the longest wait of a dense player may add. */
  #denseWait = 0;

  constructor(rules: GameRules, pool: ScarcePool, clock: SearchClock) {
    this.#clock = clock;
    this.#n = shapeOf(rules).seats;
    this.#pool = pool;
    this.#filler = new SeatFiller(rules, pool.dense);
  }

  /** The best game known since the last `run`. */
  get game(): CostedGame | undefined {
    return this.#filler.game;
  }

  /**
   * A lower bound on the cost of the games of a first player, from the next one and from the longest wait near it alone; ∞ if
   * there are none.
   */
  leastOf(set: number, place: number): number {
    const { lines, plans } = this.#pool;
    const skill = lines[set].skills[place];
    let spread = Number.POSITIVE_INFINITY;
    for (const { sets } of plans) {
      if (sets[0] !== set) continue;
      const line = lines[sets[1]];
      const above = sets[1] === set ? line.next[place] : line.firstFrom(skill);
      let away = line.skills[above] - skill;
      if (sets[1] !== set) away = Math.min(away, skill - line.skills[line.last[above]]);
      spread = Math.min(spread, away * Math.sqrt(0.5 / this.#n));
    }
    const wait = this.#leastWait(skill, Number.POSITIVE_INFINITY);
    return Math.max(this.#longestNear(skill), wait + spread);
  }

  /**
   * Searches the games of a first player that cost less than `needed`, and some that cost a little more, so that the next
   * queries need not search it again.
   *
   * @param set the index of its role set
   * @param place its place in the line of this set
   * @param known a lower bound on their costs
   * @param game the best of them that is known
   */
  run(set: number, place: number, needed: number, known: number, game: CostedGame | undefined): void {
    const { lines, plans } = this.#pool;
    const line = lines[set];
    const skill = line.skills[place];
    this.stepsLeft -= stepsPerRun;
    this.wasCut = this.stepsLeft <= 0 || this.#clock.isOver(stepsPerRun);
    this.basis = undefined;
    const floor = this.#leastWait(skill, needed);
    if (floor === Number.POSITIVE_INFINITY) {
      // Nobody near it has waited long enough.
      this.#filler.start({ floor: needed, needed, limit: needed }, game);
      this.least = this.#longestNear(skill);
      return;
    }
    const limit =
      needed < Number.POSITIVE_INFINITY
        ? aboveFloor(slack, needed, floor)
        : Math.max(this.#guess(set, place), aboveFloor(2, known, floor));
    this.#filler.start({ floor, needed, limit }, game);
    this.least = aboveFloor(1 - rounding, limit, floor);
    for (const { sets, halves } of plans) {
      if (sets[0] !== set) continue;
      this.#sets = sets;
      this.#halves = halves;
      this.#chosen.length = 0;
      this.#chosen.push(place);
      this.#fixed = 1;
      this.#wait = line.waits[place];
      this.#denseWait = this.#pool.hasWaits
        ? this.#pool.dense.oldest.leastWithin(0.5, skill, limit)
        : Number.POSITIVE_INFINITY;
      this.#extend(0, 0, true);
      if (this.#pool.hasWaits) this.#extendByOldest(sets, halves, skill, line.waits[place]);
    }
    if (!this.wasCut) return;
    this.least = known;
    this.basis = undefined;
  }

  /** A limit when no game is known: from the nearest players of each role set; ∞ if there are too few. */
  #guess(set: number, place: number): number {
    const { lines, plans } = this.#pool;
    const skill = lines[set].skills[place];
    let guess = Number.POSITIVE_INFINITY;
    for (const { sets } of plans) {
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

  /** The least that a wait adds to the cost of a game with a player of this skill that costs less than the limit. */
  #leastWait(skill: number, limit: number): number {
    const { lines, dense, hasWaits } = this.#pool;
    if (!hasWaits) return 0;
    let least = Number.POSITIVE_INFINITY;
    for (const { oldest } of [...lines, dense])
      least = Math.min(least, oldest.leastWithin(0.5, skill, limit));
    return least;
  }

  /** A lower bound on the cost of the games of a player of this skill from the longest wait near it alone. */
  #longestNear(skill: number): number {
    const { lines, dense, hasWaits } = this.#pool;
    if (!hasWaits) return 0;
    let least = Number.POSITIVE_INFINITY;
    for (const { oldest } of [...lines, dense]) least = oldest.nearest(0, 0.5, skill, least);
    return least;
  }

  /** Tries every other scarce player as the one who has waited longest. */
  #extendByOldest(sets: readonly number[], halves: readonly number[], skill: number, wait: number): void {
    const { lines } = this.#pool;
    const [first] = this.#chosen;
    const candidates: { set: number; place: number; cost: number }[] = [];
    for (const set of new Set(sets)) {
      if (set === sets[0] && sets[1] !== set) continue;
      lines[set].oldest.within(0, 0.5, skill, this.least, wait, (place, cost) => {
        if (set !== sets[0] || place > first) candidates.push({ set, place, cost });
      });
    }
    candidates.sort((a, b) => a.cost - b.cost || a.set - b.set || a.place - b.place);
    this.#denseWait = Number.POSITIVE_INFINITY;
    this.#fixed = 2;
    for (const { set, place, cost } of candidates) {
      if (cost >= this.least || this.wasCut) return;
      const line = lines[set];
      // One of the same skill has waited longer, and is free.
      if (line.hasTwinBefore(place) && (set !== sets[0] || line.last[place] !== first)) continue;
      const at = set === sets[0] ? 1 : sets.indexOf(set);
      this.#sets = [sets[0], set, ...sets.filter((_, i) => i > 0 && i !== at)];
      this.#halves = halves.map((half) => movedToSecond(half, at));
      this.#wait = line.waits[place];
      const value = line.skills[place] - skill;
      this.#chosen.length = 1;
      this.#chosen.push(place);
      this.#extend(value, value * value, true);
    }
  }

  /**
   * Chooses the next player of the plan, if the wait of the scarce one who has waited longest, or of a dense player near the
   * chosen, is long enough.
   *
   * @param sum the sum of the chosen players' skills relative to the first, `squares` of the squares
   * @param isLongest whether none of the chosen has waited longer than that scarce player
   */
  #extend(sum: number, squares: number, isLongest: boolean): void {
    const { lines, dense } = this.#pool;
    const sets = this.#sets;
    const m = this.#chosen.length;
    const origin = lines[sets[0]].skills[this.#chosen[0]];
    const ssd = Math.max(0, squares - (sum * sum) / m);
    const isOwn = isLongest && Math.sqrt(ssd / this.#n) + this.#wait < this.least;
    if (!isOwn) {
      if (this.#denseWait === Number.POSITIVE_INFINITY) return;
      const cost = dense.oldest.nearest(ssd, m / (m + 1), origin + sum / m, this.least);
      if (cost >= this.least) return;
    }
    if (m === sets.length) this.#complete(isLongest);
    else this.#extendByAll(sum, squares, isLongest);
  }

  /**
   * Chooses every next player. With m chosen, another at a distance x from their mean adds m/(m + 1)·x² to the sum of squared
   * deviations, so those who may be in a better game are around the mean. Players of one role set are chosen upwards.
   */
  #extendByAll(sum: number, squares: number, isLongest: boolean): void {
    const { lines } = this.#pool;
    const sets = this.#sets;
    const chosen = this.#chosen;
    const m = chosen.length;
    const line = lines[sets[m]];
    const origin = lines[sets[0]].skills[chosen[0]];
    const ssd = Math.max(0, squares - (sum * sum) / m);
    const after = this.#placeBefore(m);
    const second = this.#fixed === 2 && sets[1] === sets[m] ? chosen[1] : 0;
    const floor = isLongest ? Math.min(this.#wait, this.#denseWait) : this.#denseWait;
    const start = Math.max(line.firstFrom(origin + sum / m), after > 0 ? line.next[after] : 1);
    let place = line.last[start];
    let isBelow = true;
    for (;;) {
      if (isBelow && place <= after) {
        isBelow = false;
        place = start;
      }
      if (!isBelow && place >= line.end) return;
      if (--this.stepsLeft <= 0 || this.#clock.isOver()) this.wasCut = true;
      if (this.wasCut) return;
      const value = line.skills[place] - origin;
      const away = value - sum / m;
      const room = Math.max(0, this.least - floor);
      if (ssd + (m / (m + 1)) * away * away >= this.#n * room * room) {
        if (!isBelow) return;
        isBelow = false;
        place = start;
        continue;
      }
      const before = line.last[place];
      // If another one of the same skill who has waited longer is free, its games cost no more.
      const isTwin = line.hasTwinBefore(place) && before !== after && before !== second;
      if (!isTwin && place !== second) {
        const isYounger = line.waits[place] >= this.#wait;
        chosen.push(place);
        this.#extend(sum + value, squares + value * value, isLongest && isYounger);
        chosen.pop();
      }
      place = isBelow ? line.last[place] : line.next[place];
    }
  }

  /** The place above which the next player is chosen: that of the last one of its role set who was not fixed, or the first. */
  #placeBefore(m: number): number {
    const sets = this.#sets;
    for (let i = m - 1; i >= 0; i--)
      if (sets[i] === sets[m] && (i !== 1 || this.#fixed === 1)) return this.#chosen[i];
    return 0;
  }

  /** Tries every division of the chosen scarce players into teams. */
  #complete(isLongest: boolean): void {
    const { lines } = this.#pool;
    const sets = this.#sets;
    const scarce = this.#chosen.map((place, i) => lines[sets[i]].ticketAt(place));
    const wait = this.#chosen.reduce(
      (least, place, i) => Math.min(least, lines[sets[i]].waits[place]),
      Number.POSITIVE_INFINITY,
    );
    const missing = this.#n - scarce.length;
    const all = 2 ** scarce.length - 1;
    const floor = isLongest ? Math.min(wait, this.#denseWait) : this.#denseWait;
    for (const division of this.#halves) {
      const seated = seatedOf(scarce, division, wait, 0, 0);
      const base = seated.ssd + (seated.gap * seated.gap) / missing;
      const room = Math.max(0, this.least - floor);
      if (base >= this.#n * room * room) continue;
      if (isLongest && Math.sqrt(base / this.#n) + wait < this.least) this.#consider(seated, wait);
      if (this.#denseWait === Number.POSITIVE_INFINITY) continue;
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
      if (cost >= this.least || this.wasCut) return;
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
    const nodesFrom = filler.nodes;
    const bound = filler.bound(seated, wait, this.least);
    this.stepsLeft -= (filler.nodes - nodesFrom) * stepsPerNode;
    if (this.stepsLeft <= 0 || this.#clock.isOver(filler.nodes - nodesFrom)) this.wasCut = true;
    if (bound >= this.least) return;
    this.least = bound;
    if (!filler.isFinal) this.basis = undefined;
    else if (seated.oldest === 0) this.basis = seated.scarce;
    else this.basis = [...seated.scarce, this.#pool.dense.ticketAt(seated.oldest)];
  }
}

/** A division with the player at an index moved to the second place. */
function movedToSecond(division: number, index: number): number {
  const first = division & 1;
  const moved = (division >> index) & 1;
  const before = division & ((1 << index) - 2);
  const after = division & ~((2 << index) - 1);
  return first | (moved << 1) | (before << 1) | after;
}

/** The work of trying a dense player, in scarce players tried. */
const stepsPerNode = 0.5;

/** The work of starting a search. */
const stepsPerRun = 20;
