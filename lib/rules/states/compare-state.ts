import type { CompareRule, Measure, Side } from '../by-type/compare.ts';
import type { CountRule } from '../by-type/count.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes, AttributeValue, RuledPlayer } from '../types.ts';
import { attributeOf } from '../values.ts';
import {
  type EnteredTicket,
  type IndexedRule,
  Levels,
  type StateGroup,
  type StatePool,
} from './state-group.ts';

/**
 * `compare` or `count` over the game: a measure of the players, less another one, is within limits. Each measure has an interval of
 * the values that it may still get, from the joined tickets, the free seats and the least and greatest value of the pool. The
 * rule is violated when no values of the intervals are within the limits.
 */
export class CompareState implements StateGroup {
  readonly #left: Sums | undefined;
  readonly #right: Sums | undefined;
  readonly #isCount: boolean;
  readonly #levels: Levels;
  /** By level: the limits of left − right; undefined when the rule is off. */
  readonly #limits: readonly (Interval | undefined)[];
  readonly #sizes: Uint8Array;
  /** The players of the largest ticket, and the greatest lower limit of a level. */
  readonly #largest: number;
  readonly #mostWanted: number;
  /** The players of a game. */
  readonly #seats: { readonly fewest: number; readonly most: number };
  /** The joined players. */
  #players = 0;
  readonly #ofLeft: Interval = { from: 0, to: 0 };
  readonly #ofRight: Interval = { from: 0, to: 0 };

  /** @param fewest the fewest players of a game */
  constructor(indexed: IndexedRule<Rule & (CompareRule | CountRule)>, pool: StatePool, fewest: number) {
    const { rule } = indexed;
    const { tickets, attributes, depthMax: most } = pool;
    const sumsOfSide = (side: Side) =>
      typeof side === 'number'
        ? undefined
        : sumsOf((player) => attributeOf(player, side.attribute, attributes), side.of, tickets, most);
    this.#left =
      rule.type === 'count'
        ? sumsOf(countedBy(rule, attributes), 'count', tickets, most, true)
        : sumsOfSide(rule.left);
    this.#isCount = rule.type === 'count';
    this.#right = rule.type === 'count' ? undefined : sumsOfSide(rule.right);
    this.#levels = new Levels(indexed, pool);
    this.#limits = (levelsOf(rule) as readonly (typeof rule | undefined)[]).map(
      (level) => level && limitsOf(level),
    );
    this.#sizes = Uint8Array.from(tickets, ({ players }) => players.length);
    this.#largest = this.#sizes.reduce((most, size) => Math.max(most, size), 0);
    this.#mostWanted = Math.max(...this.#limits.map((limits) => limits?.from ?? 0));
    this.#seats = { fewest, most };
  }

  start(): void {
    this.#levels.depth = this.#players = 0;
  }

  admits(ticket: number): boolean {
    if (this.#isCount) return this.#admitsCount(this.#left!, ticket);
    this.join(ticket);
    const isMet = this.units() === 0;
    this.leave(ticket);
    return isMet;
  }

  /** The same for `count`, whose whole numbers need no joining and no rounding: searches ask it of most tickets. */
  #admitsCount({ count, counts }: Sums, ticket: number): boolean {
    const limits = this.#limits[this.#levels.with(ticket)];
    if (limits === undefined) return true;
    const counted = counts[this.#levels.depth] + count[ticket];
    const free = this.#seats.most - this.#players - this.#sizes[ticket];
    return counted <= limits.to && counted + free >= limits.from;
  }

  join(ticket: number): void {
    if (this.#left) add(this.#left, this.#levels.depth, ticket);
    if (this.#right) add(this.#right, this.#levels.depth, ticket);
    this.#levels.join(ticket);
    this.#players += this.#sizes[ticket];
  }

  leave(ticket: number): void {
    this.#levels.depth--;
    this.#players -= this.#sizes[ticket];
  }

  hasNarrowed(): boolean {
    const { depth, isStricter } = this.#levels;
    const free = this.#seats.most - this.#players - this.#largest;
    if (isStricter) return true;
    if (!this.#isCount) return free <= 0 || !isStill(this.#left, depth) || !isStill(this.#right, depth);
    const { counts } = this.#left!;
    return counts[depth] !== counts[depth - 1] || counts[depth] + free < this.#mostWanted;
  }

  units(): number {
    const { depth, now } = this.#levels;
    const limits = this.#limits[now];
    if (limits === undefined) return 0;
    const fewest = Math.max(0, this.#seats.fewest - this.#players);
    const most = this.#seats.most - this.#players;
    const left = this.#ofLeft;
    const right = this.#ofRight;
    if (this.#left) reach(this.#left, depth, fewest, most, left);
    if (this.#right) reach(this.#right, depth, fewest, most, right);
    const units = Math.max(limits.from - (left.to - right.from), left.from - right.to - limits.to);
    if (!(units > 0)) return 0;
    // Sums in another order may differ by this much.
    return units > rounding * (sizeOf(left) + sizeOf(right) + sizeOf(limits)) ? units : 0;
  }
}

/** The limits of the left side less the right one, in which numbers are 0. */
function limitsOf(rule: CompareRule | CountRule): Interval {
  if (rule.type === 'count') return { from: rule.atLeast ?? 0, to: rule.atMost ?? Number.POSITIVE_INFINITY };
  const { left, right, op, max = 0 } = rule;
  const shift = (typeof right === 'number' ? right : 0) - (typeof left === 'number' ? left : 0);
  const most = op === undefined ? max : 0;
  return {
    from: op === '<=' ? Number.NEGATIVE_INFINITY : shift - most,
    to: op === '>=' ? Number.POSITIVE_INFINITY : shift + most,
  };
}

/** The value of a player that a side measures; undefined for a player without one. */
type ValueOf = (player: RuledPlayer) => AttributeValue | undefined;

/** Defined for the players whom the rule counts. */
function countedBy({ attribute, value }: CountRule, attributes: Attributes): ValueOf {
  return (player) => {
    const own = attributeOf(player, attribute, attributes);
    return (Array.isArray(own) ? own.includes(value) : own === value) ? value : undefined;
  };
}

interface Interval {
  from: number;
  to: number;
}

/** A measure of values: by ticket their number, sum, least and greatest, and by depth the same of the joined tickets. */
interface Sums {
  readonly of: Measure['of'];
  readonly count: Uint16Array;
  readonly sum: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly counts: Uint16Array;
  readonly totals: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /** Of all players; whether some of them have no value. */
  readonly least: number;
  readonly greatest: number;
  readonly mayLack: boolean;
}

function add(sums: Sums, depth: number, ticket: number) {
  const { of, counts, totals, lows, highs } = sums;
  counts[depth + 1] = counts[depth] + sums.count[ticket];
  if (of === 'count') return;
  totals[depth + 1] = totals[depth] + sums.sum[ticket];
  lows[depth + 1] = Math.min(lows[depth], sums.low[ticket]);
  highs[depth + 1] = Math.max(highs[depth], sums.high[ticket]);
}

/** Whether any further ticket reaches what it would have reached without the last one, as long as seats are left after it. */
function isStill(sums: Sums | undefined, depth: number): boolean {
  if (sums === undefined) return true;
  const { of, counts, lows, highs } = sums;
  if (counts[depth - 1] === 0) return false;
  return of === 'least'
    ? lows[depth] === lows[depth - 1]
    : of === 'greatest' && highs[depth] === highs[depth - 1];
}

/** The values that a measure may have when `fewest` to `most` players more join. */
function reach(sums: Sums, depth: number, fewest: number, most: number, into: Interval): void {
  into.from = Number.NEGATIVE_INFINITY;
  into.to = Number.POSITIVE_INFINITY;
  const { of, least, greatest, mayLack } = sums;
  const count = sums.counts[depth];
  const sure = mayLack ? 0 : fewest;
  if (of === 'count') {
    into.from = count + sure;
    into.to = count + most;
    return;
  }
  // Without any value the rule does not apply.
  if (count + sure === 0) return;
  const total = sums.totals[depth];
  const low = sums.lows[depth];
  const high = sums.highs[depth];
  switch (of) {
    case 'least':
      into.from = most > 0 ? Math.min(low, least) : low;
      into.to = Math.min(low, greatest);
      return;
    case 'greatest':
      into.from = Math.max(high, least);
      into.to = most > 0 ? Math.max(high, greatest) : high;
      return;
    case 'sum':
      into.from = total + Math.min(sure * least, most * least);
      into.to = total + Math.max(sure * greatest, most * greatest);
      return;
    case 'mean':
      into.from = Math.min(meanWith(total, count, sure, least), meanWith(total, count, most, least));
      into.to = Math.max(meanWith(total, count, sure, greatest), meanWith(total, count, most, greatest));
  }
}

/** The mean when `more` further players have this value. */
function meanWith(total: number, count: number, more: number, value: number): number {
  return count + more === 0 ? value : (total + more * value) / (count + more);
}

function sumsOf(
  readValue: ValueOf,
  of: Measure['of'],
  tickets: readonly EnteredTicket[],
  seats: number,
  mayLack = false,
): Sums {
  const count = new Uint16Array(tickets.length);
  const sum = new Float64Array(tickets.length);
  const low = new Float64Array(tickets.length).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(tickets.length).fill(Number.NEGATIVE_INFINITY);
  tickets.forEach(({ players }, ticket) => {
    for (const player of players) {
      const value = readValue(player);
      if (value === undefined) {
        mayLack = true;
        continue;
      }
      count[ticket]++;
      if (typeof value !== 'number') continue;
      sum[ticket] += value;
      low[ticket] = Math.min(low[ticket], value);
      high[ticket] = Math.max(high[ticket], value);
    }
  });
  return {
    of,
    count,
    sum,
    low,
    high,
    counts: new Uint16Array(seats + 1),
    totals: new Float64Array(seats + 1),
    lows: new Float64Array(seats + 1).fill(Number.POSITIVE_INFINITY),
    highs: new Float64Array(seats + 1).fill(Number.NEGATIVE_INFINITY),
    least: low.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    greatest: high.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    mayLack,
  };
}

/** How large the finite ends of an interval are. */
function sizeOf({ from, to }: Interval): number {
  return (Number.isFinite(from) ? Math.abs(from) : 0) + (Number.isFinite(to) ? Math.abs(to) : 0);
}

const rounding = 1e-9;
