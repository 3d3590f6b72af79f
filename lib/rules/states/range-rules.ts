import type { SameRule } from '../by-type/same.ts';
import type { WithinRule } from '../by-type/within.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes } from '../types.ts';
import { attributeOf, numbersOf } from '../values.ts';
import type { EnteredTicket, IndexedRule, StateGroup } from './state-group.ts';

/** A rule that depends on the greatest and the least number of the players. */
export type RangeRule = Rule & (WithinRule | SameRule);

/** `within` over the game, and `same` over the game without a cost: a range of 0 over the numbers of the values. */
export class RangeRules implements StateGroup {
  readonly hasCosts: boolean;
  readonly ranges: readonly NumberRange[];
  #depth = 0;

  constructor(
    rules: readonly IndexedRule<RangeRule>[],
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    depthMax: number,
  ) {
    this.ranges = rules.map((rule) => rangeOf(rule, tickets, attributes, depthMax));
    this.hasCosts = this.ranges.some(({ cost }) => cost > 0);
  }

  start(): void {
    this.#depth = 0;
    for (const range of this.ranges) {
      range.lows[0] = Number.POSITIVE_INFINITY;
      range.highs[0] = Number.NEGATIVE_INFINITY;
      range.levels[0] = range.limits.length - 1;
    }
  }

  admits(ticket: number): boolean {
    const depth = this.#depth;
    const ranges = this.ranges;
    for (let i = 0; i < ranges.length; i++) {
      const { lows, highs, low, high, levels, level, limits } = ranges[i];
      const least = low[ticket] < lows[depth] ? low[ticket] : lows[depth];
      const most = high[ticket] > highs[depth] ? high[ticket] : highs[depth];
      if (most - least > limits[level[ticket] < levels[depth] ? level[ticket] : levels[depth]]) return false;
    }
    return true;
  }

  /** Of the first `count` positions in `kept`, keeps those whose tickets it admits, and returns their number. */
  keep(tickets: Int32Array, kept: Int32Array, count: number): number {
    const depth = this.#depth;
    const { ranges } = this;
    let left = count;
    for (let r = 0; r < ranges.length; r++) {
      const { lows, highs, low, high, levels, level, limits } = ranges[r];
      const from = left;
      const lowest = lows[depth];
      const highest = highs[depth];
      const strictest = levels[depth];
      left = 0;
      for (let i = 0; i < from; i++) {
        const ticket = tickets[kept[i]];
        const least = low[ticket] < lowest ? low[ticket] : lowest;
        const most = high[ticket] > highest ? high[ticket] : highest;
        const own = level[ticket];
        if (most - least <= limits[own < strictest ? own : strictest]) kept[left++] = kept[i];
      }
    }
    return left;
  }

  join(ticket: number): void {
    const depth = this.#depth++;
    const { ranges } = this;
    for (let i = 0; i < ranges.length; i++) {
      const range = ranges[i];
      range.lows[depth + 1] = Math.min(range.lows[depth], range.low[ticket]);
      range.highs[depth + 1] = Math.max(range.highs[depth], range.high[ticket]);
      range.levels[depth + 1] = Math.min(range.levels[depth], range.level[ticket]);
    }
  }

  leave(): void {
    this.#depth--;
  }

  cost(): number {
    const depth = this.#depth;
    let sum = 0;
    for (const range of this.ranges)
      if (range.cost > 0) sum += costOf(range, range.lows[depth], range.highs[depth], range.levels[depth]);
    return sum;
  }

  costWith(ticket: number): number {
    const depth = this.#depth;
    let sum = 0;
    for (const range of this.ranges) {
      if (range.cost === 0) continue;
      const low = Math.min(range.lows[depth], range.low[ticket]);
      const high = Math.max(range.highs[depth], range.high[ticket]);
      sum += costOf(range, low, high, Math.min(range.levels[depth], range.level[ticket]));
    }
    return sum;
  }
}

/** One rule: by ticket its range and level, by level the limit, by depth the range and level of the joined tickets. */
export interface NumberRange {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly level: Uint8Array;
  readonly limits: Float64Array;
  /** From this level on the rule is off. */
  readonly offFrom: number;
  readonly cost: number;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  readonly levels: Uint8Array;
}

function costOf({ cost, offFrom }: NumberRange, low: number, high: number, level: number): number {
  return high > low && level < offFrom ? cost * (high - low) : 0;
}

/** The number of a value: how many others came before it. */
export function numberedIn<T>(numbers: Map<T, number>, value: T): number {
  let number = numbers.get(value);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(value, number);
  }
  return number;
}

function rangeOf(
  { rule, index }: IndexedRule<RangeRule>,
  tickets: readonly EnteredTicket[],
  attributes: Attributes,
  depthMax: number,
): NumberRange {
  const levels = levelsOf(rule);
  const numbers = new Map<unknown, number>();
  const low = new Float64Array(tickets.length);
  const high = new Float64Array(tickets.length);
  tickets.forEach(({ players }, ticket) => {
    low[ticket] = Number.POSITIVE_INFINITY;
    high[ticket] = Number.NEGATIVE_INFINITY;
    const count = (number: number) => {
      if (number < low[ticket]) low[ticket] = number;
      if (number > high[ticket]) high[ticket] = number;
    };
    if (rule.type === 'within') {
      for (const number of numbersOf(players, rule.attribute, attributes, rule.party)) count(number);
      return;
    }
    for (const player of players) {
      const value = attributeOf(player, rule.attribute, attributes);
      if (value !== undefined) count(numberedIn(numbers, value));
    }
  });
  const offFrom = levels.indexOf(undefined);
  return {
    low,
    high,
    level: Uint8Array.from(tickets, (ticket) => ticket.levels[index]),
    limits: Float64Array.from(levels, (level) => {
      if (level === undefined) return Number.POSITIVE_INFINITY;
      return level.type === 'within' ? (level.max ?? Number.POSITIVE_INFINITY) : 0;
    }),
    offFrom: offFrom === -1 ? levels.length : offFrom,
    cost: rule.cost ?? 0,
    lows: new Float64Array(depthMax + 1),
    highs: new Float64Array(depthMax + 1),
    levels: new Uint8Array(depthMax + 1),
  };
}
