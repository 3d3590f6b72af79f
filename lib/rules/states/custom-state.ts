import type { CustomRuleBody } from '../by-type/custom.ts';
import type { CustomCalls } from '../custom/calls.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import {
  type EnteredTicket,
  type IndexedRule,
  Levels,
  type StateGroup,
  type StatePool,
} from './state-group.ts';

type CustomOne = Rule & CustomRuleBody;

/** A custom rule whose module also exports `mayJoin`, or a custom cost whose module also exports `least`. */
export class CustomState implements StateGroup {
  readonly #tickets: readonly EnteredTicket[];
  readonly #calls: CustomCalls;
  readonly #levels: Levels;
  /** By level; undefined when the rule is off. */
  readonly #rules: readonly (CustomOne | undefined)[];
  readonly #isCost: boolean;
  readonly #joined: number[] = [];

  constructor(indexed: IndexedRule<CustomOne>, pool: StatePool, calls: CustomCalls) {
    this.#tickets = pool.tickets;
    this.#calls = calls;
    this.#levels = new Levels(indexed, pool);
    this.#rules = levelsOf(indexed.rule) as readonly (CustomOne | undefined)[];
    this.#isCost = indexed.rule.cost !== undefined;
  }

  start(): void {
    this.#levels.depth = this.#joined.length = 0;
  }

  admits(ticket: number): boolean {
    if (this.#isCost) return true;
    const rule = this.#rules[this.#levels.with(ticket)];
    if (rule === undefined) return true;
    return this.#joined.every((other) =>
      this.#calls.mayJoin(rule, this.#tickets[other], this.#tickets[ticket]),
    );
  }

  join(ticket: number): void {
    this.#levels.join(ticket);
    this.#joined.push(ticket);
  }

  leave(): void {
    this.#levels.depth--;
    this.#joined.pop();
  }

  units(): number {
    const rule = this.#rules[this.#levels.now];
    if (rule === undefined || this.#joined.length === 0) return 0;
    return this.#calls.least(
      rule,
      this.#joined.map((ticket) => this.#tickets[ticket]),
    );
  }
}
