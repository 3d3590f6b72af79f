import type { CompareRule, Measure } from '../by-type/compare.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes } from '../types.ts';
import { attributeOf } from '../values.ts';
import { type EnteredTicket, type IndexedRule, Levels, type Seats, type StateGroup } from './state-group.ts';

/**
 * `compare` over the game. Each side has an interval of the values that it may still get, from the joined tickets, the free
 * seats and the least and greatest value of the pool. The rule is violated when no values of the two intervals meet it.
 */
export class CompareState implements StateGroup {
  readonly hasCosts: boolean;
  readonly #cost: number;
  readonly #op: CompareRule['op'];
  readonly #sides: readonly [SideState, SideState];
  readonly #levels: Levels;
  /** By level: the numbers; undefined when the rule is off. */
  readonly #limits: readonly ({ left: number; right: number; max: number } | undefined)[];
  readonly #sizes: Uint8Array;
  readonly #seats: Seats;
  /** The joined players. */
  #players = 0;
  readonly #left: Interval = { from: 0, to: 0 };
  readonly #right: Interval = { from: 0, to: 0 };

  constructor(
    indexed: IndexedRule<Rule & CompareRule>,
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    seats: Seats,
  ) {
    const { rule } = indexed;
    const sideOf = (side: CompareRule['left']): SideState => {
      if (typeof side === 'number') return { of: 'number', sums: undefined };
      const isOfGame = side.team === undefined;
      return {
        of: side.of,
        sums: isOfGame ? sumsOf(side.attribute, tickets, attributes, seats.most) : undefined,
      };
    };
    const numberOf = (side: CompareRule['left']) => (typeof side === 'number' ? side : 0);
    this.#cost = rule.cost ?? 0;
    this.hasCosts = this.#cost > 0;
    this.#op = rule.op;
    this.#sides = [sideOf(rule.left), sideOf(rule.right)];
    this.#levels = new Levels(indexed, tickets, seats.most);
    this.#limits = (levelsOf(rule) as readonly ((Rule & CompareRule) | undefined)[]).map(
      (level) =>
        level && {
          left: numberOf(level.left),
          right: numberOf(level.right),
          max: level.op === undefined ? (level.max ?? 0) : 0,
        },
    );
    this.#sizes = Uint8Array.from(tickets, ({ players }) => players.length);
    this.#seats = seats;
  }

  start(): void {
    this.#levels.depth = this.#players = 0;
  }

  admits(ticket: number): boolean {
    return this.#cost > 0 || this.#brokenBy(ticket) === 0;
  }

  join(ticket: number): void {
    for (const { sums } of this.#sides) if (sums) add(sums, this.#levels.depth, ticket);
    this.#levels.join(ticket);
    this.#players += this.#sizes[ticket];
  }

  leave(ticket: number): void {
    this.#levels.depth--;
    this.#players -= this.#sizes[ticket];
  }

  cost(): number {
    return this.#cost * this.#brokenBy(-1);
  }

  costWith(ticket: number): number {
    return this.#cost * this.#brokenBy(ticket);
  }

  /** By how much every game of the joined tickets and this one breaks the rule, at least. @param ticket −1 for no further one */
  #brokenBy(ticket: number): number {
    const { depth, now } = this.#levels;
    const limit = this.#limits[ticket === -1 ? now : this.#levels.with(ticket)];
    if (limit === undefined) return 0;
    const players = this.#players + (ticket === -1 ? 0 : this.#sizes[ticket]);
    const fewest = Math.max(0, this.#seats.fewest - players);
    const most = this.#seats.most - players;
    const left = this.#left;
    const right = this.#right;
    reach(this.#sides[0], limit.left, depth, ticket, fewest, most, left);
    reach(this.#sides[1], limit.right, depth, ticket, fewest, most, right);
    let units = 0;
    if (this.#op !== '>=') units = left.from - right.to;
    if (this.#op !== '<=') units = Math.max(units, right.from - left.to);
    units -= limit.max;
    // Sums in another order may differ by this much.
    const isMeant =
      units > rounding * (finite(left.from) + finite(left.to) + finite(right.from) + finite(right.to));
    return isMeant ? units : 0;
  }
}

interface Interval {
  from: number;
  to: number;
}

/** A side of a comparison: a number, or a measure of the players. */
interface SideState {
  readonly of: Measure['of'] | 'number';
  readonly sums: Sums | undefined;
}

/** The values of an attribute: by ticket their number, sum, least and greatest, and by depth the same of the joined tickets. */
interface Sums {
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

function add({ count, sum, low, high, counts, totals, lows, highs }: Sums, depth: number, ticket: number) {
  counts[depth + 1] = counts[depth] + count[ticket];
  totals[depth + 1] = totals[depth] + sum[ticket];
  lows[depth + 1] = Math.min(lows[depth], low[ticket]);
  highs[depth + 1] = Math.max(highs[depth], high[ticket]);
}

/** The values that a side may have when `fewest` to `most` players more join. */
function reach(
  { of, sums }: SideState,
  number: number,
  depth: number,
  ticket: number,
  fewest: number,
  most: number,
  into: Interval,
): void {
  into.from = into.to = number;
  if (of === 'number') return;
  into.from = Number.NEGATIVE_INFINITY;
  into.to = Number.POSITIVE_INFINITY;
  if (!sums) return;
  const { least, greatest, mayLack } = sums;
  const count = sums.counts[depth] + (ticket === -1 ? 0 : sums.count[ticket]);
  const sure = mayLack ? 0 : fewest;
  if (of === 'count') {
    into.from = count + sure;
    into.to = count + most;
    return;
  }
  // Without any value the rule does not apply.
  if (count + sure === 0) return;
  const total = sums.totals[depth] + (ticket === -1 ? 0 : sums.sum[ticket]);
  const low = ticket === -1 ? sums.lows[depth] : Math.min(sums.lows[depth], sums.low[ticket]);
  const high = ticket === -1 ? sums.highs[depth] : Math.max(sums.highs[depth], sums.high[ticket]);
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

/** The mean when so many players more have this value. */
function meanWith(total: number, count: number, more: number, value: number): number {
  return count + more === 0 ? value : (total + more * value) / (count + more);
}

function sumsOf(
  attribute: string,
  tickets: readonly EnteredTicket[],
  attributes: Attributes,
  seats: number,
): Sums {
  const count = new Uint16Array(tickets.length);
  const sum = new Float64Array(tickets.length);
  const low = new Float64Array(tickets.length).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(tickets.length).fill(Number.NEGATIVE_INFINITY);
  let mayLack = false;
  tickets.forEach(({ players }, ticket) => {
    for (const player of players) {
      const value = attributeOf(player, attribute, attributes);
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

function finite(value: number): number {
  return Number.isFinite(value) ? Math.abs(value) : 0;
}

const rounding = 1e-9;
