import type { Constraints } from '../../engine/types.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import { levelsOf } from '../levels.ts';
import type { RuledTicket } from '../rule-type.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes } from '../types.ts';

/** A waiting ticket with its level of relaxation in each rule of the queue. */
export interface EnteredTicket extends RuledTicket {
  /** By the rule's index: the level that searches use. */
  readonly levels: ArrayLike<number>;
}

/** A rule with its index among the rules of the queue. */
export interface IndexedRule<R extends Rule = Rule> {
  readonly rule: R;
  readonly index: number;
}

/**
 * The incremental state of a rule. Tickets join one by one and leave in reverse order. A rule that the joined tickets violate is
 * also violated by every larger set. All numbers are those of `RuleStates`.
 */
export interface StateGroup extends Pick<Constraints, 'admits' | 'join' | 'leave'> {
  /** Starts without joined tickets. */
  start(): void;
  /** By how much every game with the joined tickets breaks the rule, at least. Asked only of rules with a cost. */
  units?(): number;
  /** Whether `admits` may be stricter than before the last ticket joined. @default true */
  hasNarrowed?(): boolean;
  /** `admits`, faster for many: see `keepAdmitted`. @default `admits` for each */
  keep?(tickets: Int32Array, kept: Int32Array, count: number): number;
}

/** What the states of a search are prepared from. */
export interface StatePool {
  readonly tickets: readonly EnteredTicket[];
  readonly attributes: Attributes;
  /** The most tickets that join: one for each seat. */
  readonly depthMax: number;
}

/** The state of a rule in a search. */
export interface StatedRule {
  readonly state: StateGroup;
  /** What each unit costs; 0 for a rule without a cost. */
  readonly price: number;
  /** Whether the rule forbids games. If not, `admits` is not asked. */
  readonly forbids: boolean;
}

/** Of the first `count` positions in `kept`, keeps those whose tickets the state admits, and returns their number. */
export function keepAdmitted(
  state: StateGroup,
  tickets: Int32Array,
  kept: Int32Array,
  count: number,
): number {
  if (state.keep) return state.keep(tickets, kept, count);
  let left = 0;
  for (let i = 0; i < count; i++) if (state.admits(tickets[kept[i]])) kept[left++] = kept[i];
  return left;
}

/** The level of relaxation of each ticket in a rule, and of the joined tickets: that of the strictest of them. */
export class Levels {
  /** How many tickets have joined. */
  depth = 0;
  /** From this level on the rule is off. */
  readonly offFrom: number;
  readonly #own: Uint8Array;
  /** By depth. */
  readonly #joined: Uint8Array;

  constructor({ rule, index }: IndexedRule, { tickets, depthMax }: Omit<StatePool, 'attributes'>) {
    const levels = levelsOf(rule);
    this.offFrom = levels.at(-1) === undefined ? levels.length - 1 : levels.length;
    this.#own = Uint8Array.from(tickets, (ticket) => ticket.levels[index] ?? 0);
    this.#joined = new Uint8Array(depthMax + 1);
    this.#joined[0] = levels.length - 1;
  }

  get now(): number {
    return this.#joined[this.depth];
  }

  /** Whether the last ticket that joined is stricter than those before it. */
  get isStricter(): boolean {
    return this.#joined[this.depth] < this.#joined[this.depth - 1];
  }

  of(ticket: number): number {
    return this.#own[ticket];
  }

  /** The level of the joined tickets and this one. */
  with(ticket: number): number {
    const own = this.#own[ticket];
    const now = this.#joined[this.depth];
    return own < now ? own : now;
  }

  join(ticket: number): void {
    const level = this.with(ticket);
    this.#joined[++this.depth] = level;
  }
}

/** The number of a value: how many others came before it. */
export function numberedIn<T>(numbers: Map<T, number>, value: T): number {
  return getOrCreate(numbers, value, () => numbers.size);
}
