import type { CountRule } from '../by-type/count.ts';
import type { DifferentRule } from '../by-type/different.ts';
import type { SameRule } from '../by-type/same.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes } from '../types.ts';
import { attributeOf } from '../values.ts';
import type { EnteredTicket, IndexedRule, StateGroup } from './state-group.ts';

/**
 * A rule that counts how often values occur over the game: `different`, `same` with a cost, and `same` in each team. In each team
 * means for the game that the teams of all its values are no more than it has.
 */
export type ValueRule = Rule & (DifferentRule | SameRule);

export class ValueRules implements StateGroup {
  readonly hasCosts: boolean;
  readonly #counters: Counter[];

  constructor(
    rules: readonly IndexedRule<ValueRule>[],
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    depthMax: number,
    teams?: Teams,
  ) {
    this.#counters = rules.map((rule) => new Counter(rule, tickets, attributes, depthMax, teams));
    this.hasCosts = this.#counters.some(({ cost }) => cost > 0);
  }

  start(): void {
    for (const counter of this.#counters) counter.start();
  }

  admits(ticket: number): boolean {
    for (const counter of this.#counters) if (!counter.admits(ticket)) return false;
    return true;
  }

  join(ticket: number): void {
    for (const counter of this.#counters) counter.join(ticket);
  }

  leave(ticket: number): void {
    for (const counter of this.#counters) counter.leave(ticket);
  }

  cost(): number {
    let sum = 0;
    for (const counter of this.#counters) sum += counter.costNow();
    return sum;
  }

  costWith(ticket: number): number {
    let sum = 0;
    for (const counter of this.#counters) sum += counter.costWith(ticket);
    return sum;
  }
}

/** The teams of a game. */
export interface Teams {
  readonly count: number;
  /** The players of the largest. */
  readonly size: number;
}

/** One rule: how often each value occurs among the joined tickets, how many distinct values there are, and how many players repeat one. */
class Counter {
  readonly cost: number;
  readonly #isSame: boolean;
  /** By ticket: the numbers of its players' values. */
  readonly #values: readonly Int32Array[];
  readonly #level: Uint8Array;
  readonly #offFrom: number;
  readonly #taken: Uint16Array;
  readonly #levels: Uint8Array;
  #depth = 0;
  #distinct = 0;
  #repeated = 0;
  /** The teams of the rule where each has to have one value, and how many of them the joined tickets need. */
  readonly #teams: Teams | undefined;
  #needed = 0;

  constructor(
    { rule, index }: IndexedRule<ValueRule>,
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    depthMax: number,
    teams: Teams | undefined,
  ) {
    this.#teams = rule.scope === 'team' ? teams : undefined;
    const levels = levelsOf(rule);
    const offFrom = levels.indexOf(undefined);
    const numbers = new Map<unknown, number>();
    this.cost = rule.cost ?? 0;
    this.#isSame = rule.type === 'same';
    this.#values = tickets.map(({ players }) =>
      Int32Array.from(
        players.flatMap((player) => {
          const value = attributeOf(player, rule.attribute, attributes);
          if (value === undefined) return [];
          if (!numbers.has(value)) numbers.set(value, numbers.size);
          return [numbers.get(value)!];
        }),
      ),
    );
    this.#level = Uint8Array.from(tickets, (ticket) => ticket.levels[index]);
    this.#offFrom = offFrom === -1 ? levels.length : offFrom;
    this.#taken = new Uint16Array(numbers.size);
    this.#levels = new Uint8Array(depthMax + 1);
    this.#levels[0] = levels.length - 1;
  }

  start(): void {
    this.#taken.fill(0);
    this.#depth = this.#distinct = this.#repeated = this.#needed = 0;
  }

  admits(ticket: number): boolean {
    if (this.cost > 0 || this.#levelWith(ticket) >= this.#offFrom) return true;
    if (this.#teams) return this.#neededWith(ticket, this.#teams) <= this.#teams.count;
    if (this.#repeated > 0) return false;
    const values = this.#values[ticket];
    for (let i = 0; i < values.length; i++) {
      if (this.#taken[values[i]] > 0) return false;
      for (let j = 0; j < i; j++) if (values[j] === values[i]) return false;
    }
    return true;
  }

  join(ticket: number): void {
    this.#levels[this.#depth + 1] = this.#levelWith(ticket);
    this.#depth++;
    for (const value of this.#values[ticket]) {
      if (this.#teams && this.#taken[value] % this.#teams.size === 0) this.#needed++;
      if (this.#taken[value]++ > 0) this.#repeated++;
      else this.#distinct++;
    }
  }

  leave(ticket: number): void {
    this.#depth--;
    for (const value of this.#values[ticket]) {
      if (--this.#taken[value] > 0) this.#repeated--;
      else this.#distinct--;
      if (this.#teams && this.#taken[value] % this.#teams.size === 0) this.#needed--;
    }
  }

  /** How many teams of one value each the joined tickets and this one fill, at least in part. */
  #neededWith(ticket: number, { size }: Teams): number {
    let needed = this.#needed;
    for (const value of this.#values[ticket]) if (this.#taken[value]++ % size === 0) needed++;
    for (const value of this.#values[ticket]) this.#taken[value]--;
    return needed;
  }

  costNow(): number {
    if (this.cost === 0 || this.#levels[this.#depth] >= this.#offFrom) return 0;
    return this.cost * (this.#isSame ? Math.max(0, this.#distinct - 1) : this.#repeated);
  }

  costWith(ticket: number): number {
    if (this.cost === 0) return 0;
    this.join(ticket);
    const cost = this.costNow();
    this.leave(ticket);
    return cost;
  }

  #levelWith(ticket: number): number {
    return Math.min(this.#levels[this.#depth], this.#level[ticket]);
  }
}

/** `count` over the game: how many players have a value, within limits. */
export class CountRules implements StateGroup {
  readonly hasCosts: boolean;
  readonly #tallies: Tally[];
  readonly #sizes: Uint8Array;
  readonly #seats: number;
  readonly #players: Uint16Array;
  #depth = 0;

  constructor(
    rules: readonly IndexedRule<Rule & CountRule>[],
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    seats: number,
  ) {
    this.#tallies = rules.map((rule) => tallyOf(rule, tickets, attributes, seats));
    this.hasCosts = this.#tallies.some(({ cost }) => cost > 0);
    this.#sizes = Uint8Array.from(tickets, ({ players }) => players.length);
    this.#seats = seats;
    this.#players = new Uint16Array(seats + 1);
  }

  start(): void {
    this.#depth = 0;
    for (const tally of this.#tallies) tally.levels[0] = tally.atLeast.length - 1;
  }

  admits(ticket: number): boolean {
    const depth = this.#depth;
    const left = this.#seats - this.#players[depth] - this.#sizes[ticket];
    for (const tally of this.#tallies) {
      if (tally.cost > 0) continue;
      const count = tally.counts[depth] + tally.own[ticket];
      const level = Math.min(tally.levels[depth], tally.level[ticket]);
      if (count > tally.atMost[level] || count + left < tally.atLeast[level]) return false;
    }
    return true;
  }

  join(ticket: number): void {
    const depth = this.#depth++;
    this.#players[depth + 1] = this.#players[depth] + this.#sizes[ticket];
    for (const tally of this.#tallies) {
      tally.counts[depth + 1] = tally.counts[depth] + tally.own[ticket];
      tally.levels[depth + 1] = Math.min(tally.levels[depth], tally.level[ticket]);
    }
  }

  leave(): void {
    this.#depth--;
  }

  cost(): number {
    const depth = this.#depth;
    const left = this.#seats - this.#players[depth];
    let sum = 0;
    for (const tally of this.#tallies) sum += costOf(tally, tally.counts[depth], left, tally.levels[depth]);
    return sum;
  }

  costWith(ticket: number): number {
    const depth = this.#depth;
    const left = this.#seats - this.#players[depth] - this.#sizes[ticket];
    let sum = 0;
    for (const tally of this.#tallies) {
      const level = Math.min(tally.levels[depth], tally.level[ticket]);
      sum += costOf(tally, tally.counts[depth] + tally.own[ticket], left, level);
    }
    return sum;
  }
}

interface Tally {
  /** By ticket: its players with the value, and its level. */
  readonly own: Uint8Array;
  readonly level: Uint8Array;
  readonly atLeast: Float64Array;
  readonly atMost: Float64Array;
  readonly cost: number;
  /** By depth: the players with the value in the joined tickets, and their level. */
  readonly counts: Uint16Array;
  readonly levels: Uint8Array;
}

/** The part of a cost that is certain while `left` seats are free. */
function costOf(tally: Tally, count: number, left: number, level: number): number {
  if (tally.cost === 0) return 0;
  const short = Math.max(0, tally.atLeast[level] - count - left);
  return tally.cost * (short + Math.max(0, count - tally.atMost[level]));
}

function tallyOf(
  { rule, index }: IndexedRule<Rule & CountRule>,
  tickets: readonly EnteredTicket[],
  attributes: Attributes,
  seats: number,
): Tally {
  const levels = levelsOf(rule) as readonly ((Rule & CountRule) | undefined)[];
  return {
    own: Uint8Array.from(
      tickets,
      ({ players }) =>
        players.filter((player) => {
          const own = attributeOf(player, rule.attribute, attributes);
          return Array.isArray(own) ? own.includes(rule.value) : own === rule.value;
        }).length,
    ),
    level: Uint8Array.from(tickets, (ticket) => ticket.levels[index]),
    atLeast: Float64Array.from(levels, (level) => level?.atLeast ?? 0),
    atMost: Float64Array.from(levels, (level) => level?.atMost ?? Number.POSITIVE_INFINITY),
    cost: rule.cost ?? 0,
    counts: new Uint16Array(seats + 1),
    levels: new Uint8Array(seats + 1),
  };
}
