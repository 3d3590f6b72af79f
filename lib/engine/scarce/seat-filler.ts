import { type DividedGame, divisionBy } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { skillSpread, teamGap } from '../model/imbalance.ts';
import type { GameRules } from '../types.ts';
import { DenseFill } from './dense-fill.ts';
import { DenseSearch } from './dense-search.ts';
import type { Seated } from './seated.ts';
import type { SkillLine } from './skill-line.ts';
import { rounding, shiftOf, TwoCentreBound } from './two-centre-bound.ts';

/** A game with its cost, f plus what the wait of its longest-waiting player adds. */
export interface CostedGame extends DividedGame {
  readonly cost: number;
}

/** How far the games of an entry matter. All costs but `floor` are above it. */
export interface CostLimits {
  /** The least that any wait adds to a cost. */
  readonly floor: number;
  /** The cost that a game has to be below. */
  readonly needed: number;
  /** The cost above which bounds need not be known. */
  readonly limit: number;
}

/**
 * Bounds the games of some seated players, and fills their dense seats if the bound is low enough: with good players first, then
 * with the best ones.
 */
export class SeatFiller {
  /** The best game since `start`. */
  game: CostedGame | undefined;
  /** Whether the bound of the last `bound` cannot be raised by a search with a higher limit. */
  isFinal = false;

  readonly #rules: GameRules;
  readonly #n: number;
  readonly #dense: SkillLine;
  readonly #bound: TwoCentreBound;
  readonly #fill: DenseFill;
  readonly #search: DenseSearch;
  #bounds = 0;
  #limits: CostLimits = { floor: 0, needed: 0, limit: 0 };

  constructor(rules: GameRules, dense: SkillLine) {
    this.#rules = rules;
    this.#n = shapeOf(rules).seats;
    this.#dense = dense;
    this.#bound = new TwoCentreBound(rules, dense);
    this.#fill = new DenseFill(rules, dense);
    this.#search = new DenseSearch(rules, dense);
  }

  start(limits: CostLimits, game: CostedGame | undefined): void {
    this.#limits = limits;
    this.game = game;
  }

  /** The work since construction, in players tried. */
  get nodes(): number {
    return this.#bounds * boundNodes + this.#search.nodes;
  }

  /** The cost of the best game, ∞ if there is none. */
  get cost(): number {
    return this.game?.cost ?? Number.POSITIVE_INFINITY;
  }

  /**
   * A lower bound on the cost of all games of seated players, if their longest wait adds `wait`.
   *
   * @param least the cost above which this bound need not be known
   */
  bound(seated: Seated, wait: number, least: number): number {
    const { floor, needed, limit } = this.#limits;
    this.isFinal = false;
    this.#bounds++;
    let bound = this.#bound.of(seated, Math.min(least, limit) - wait) + wait;
    if (bound < this.cost) {
      const dense = this.#fill.fill(seated, this.#bound.at, shiftOf(seated, this.#n));
      if (dense && this.#fill.imbalance < (this.cost - wait) * (1 + 1e-9)) this.#keep(seated, dense);
      if (bound < needed) {
        const most = Math.min(aboveFloor(slack, needed, floor), limit);
        bound = wait + this.#bound.climb(seated, bound - wait, needed - wait, most - wait);
      }
      if (bound < needed) bound = Math.max(bound, this.#searched(seated, wait));
    }
    this.isFinal ||= bound >= this.cost;
    return bound;
  }

  /** Searches all dense players. Returns a lower bound on the cost; −∞ if it takes too long. */
  #searched(seated: Seated, wait: number): number {
    const { floor, needed } = this.#limits;
    const below = Math.min(this.cost, aboveFloor(1.1, needed, floor));
    const imbalance = this.#search.run(seated, below - wait);
    if (this.#search.best) this.#keep(seated, this.#search.best);
    if (imbalance === 0) {
      this.isFinal = true;
      return Number.NEGATIVE_INFINITY;
    }
    // A bound from a limit can be raised with a higher one.
    const margin = this.cost - (imbalance + wait);
    this.isFinal = margin <= 1e-9 * (this.cost - floor);
    return margin <= rounding * (this.cost - floor) ? this.cost : imbalance + wait;
  }

  #keep({ scarce, division, wait: scarceWait }: Seated, places: readonly number[]): void {
    const dense = this.#dense;
    const members = [...scarce, ...places.map((place) => dense.ticketAt(place))];
    const sideOf = (i: number) =>
      i < scarce.length ? (division >> i) & 1 : i - scarce.length < places.length / 2 ? 1 : 0;
    const team = (side: number) => members.filter((_, i) => sideOf(i) === side).map(({ mean }) => mean);
    const x = team(1);
    const y = team(0);
    const imbalance = this.#rules.alpha * teamGap(x, y, 1) + skillSpread([...x, ...y], 2);
    const cost = imbalance + places.reduce((least, place) => Math.min(least, dense.waits[place]), scarceWait);
    if (cost >= this.cost) return;
    this.game = { members, division: divisionBy(members.length, (i) => 1 - sideOf(i)), imbalance, cost };
  }
}

/** The cost that is `factor` times as far above the floor. */
export function aboveFloor(factor: number, cost: number, floor: number): number {
  return floor + factor * (cost - floor);
}

/** An entry is searched up to this multiple of what is needed, so that the next queries need not search it again. */
export const slack = 1.3;

/** About the work of bounding and filling once, in players tried. */
const boundNodes = 200;
