import type { SameRule } from '../by-type/same.ts';
import type { WithinRule } from '../by-type/within.ts';
import { levelsOf } from '../levels.ts';
import { valuesOf } from '../measures.ts';
import type { Rule } from '../rule-types.ts';
import { numbersOf } from '../values.ts';
import { type IndexedRule, Levels, numberedIn, type StateGroup, type StatePool } from './state-group.ts';

/** A rule that depends on the greatest and the least number of the players. */
export type RangeRule = Rule & (WithinRule | SameRule);

/** `within` over the game, or `same` over the game without a cost: a range of 0 over the numbers of the values. */
export class RangeState implements StateGroup {
  /** By ticket. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly levels: Levels;
  /** By level; infinite where the rule is off. */
  readonly limits: Float64Array;
  /** By depth: the range of the joined tickets. */
  readonly #lows: Float64Array;
  readonly #highs: Float64Array;

  constructor(indexed: IndexedRule<RangeRule>, pool: StatePool) {
    const { rule } = indexed;
    const { tickets, attributes, depthMax } = pool;
    const numbers = new Map<unknown, number>();
    const own = tickets.map((ticket) =>
      rule.type === 'within'
        ? numbersOf(ticket.players, rule.attribute, attributes, rule.party)
        : valuesOf([ticket], rule.attribute, pool).map((value) => numberedIn(numbers, value)),
    );
    this.low = Float64Array.from(own, (values) => Math.min(...values));
    this.high = Float64Array.from(own, (values) => Math.max(...values));
    this.levels = new Levels(indexed, pool);
    this.limits = Float64Array.from(levelsOf(rule), (level) => {
      if (level === undefined) return Number.POSITIVE_INFINITY;
      return level.type === 'within' ? (level.max ?? Number.POSITIVE_INFINITY) : 0;
    });
    this.#lows = new Float64Array(depthMax + 1).fill(Number.POSITIVE_INFINITY);
    this.#highs = new Float64Array(depthMax + 1).fill(Number.NEGATIVE_INFINITY);
  }

  start(): void {
    this.levels.depth = 0;
  }

  admits(ticket: number): boolean {
    const { depth } = this.levels;
    const least = Math.min(this.low[ticket], this.#lows[depth]);
    const most = Math.max(this.high[ticket], this.#highs[depth]);
    return !(most - least > this.limits[this.levels.with(ticket)]);
  }

  keep(tickets: Int32Array, kept: Int32Array, count: number): number {
    const { low, high, limits, levels } = this;
    const lowest = this.#lows[levels.depth];
    const highest = this.#highs[levels.depth];
    let left = 0;
    for (let i = 0; i < count; i++) {
      const ticket = tickets[kept[i]];
      const least = low[ticket] < lowest ? low[ticket] : lowest;
      const most = high[ticket] > highest ? high[ticket] : highest;
      if (most - least <= limits[levels.with(ticket)]) kept[left++] = kept[i];
    }
    return left;
  }

  join(ticket: number): void {
    const { depth } = this.levels;
    this.levels.join(ticket);
    this.#lows[depth + 1] = Math.min(this.#lows[depth], this.low[ticket]);
    this.#highs[depth + 1] = Math.max(this.#highs[depth], this.high[ticket]);
  }

  leave(): void {
    this.levels.depth--;
  }

  hasNarrowed(): boolean {
    const { depth, isStricter } = this.levels;
    return (
      isStricter || this.#lows[depth] < this.#lows[depth - 1] || this.#highs[depth] > this.#highs[depth - 1]
    );
  }

  units(): number {
    const { depth, now } = this.levels;
    const low = this.#lows[depth];
    const high = this.#highs[depth];
    return high > low && now < this.levels.offFrom ? high - low : 0;
  }
}
