import { getOrCreate } from '../../vocabulary/get-or-create.ts';
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

/** The maximum of pairs that are remembered, of which a large pool has many millions. */
const PAIRS_MAX = 200_000;

/** A custom rule whose module also exports `mayJoin`, or a custom cost whose module also exports `least`. */
export class CustomState implements StateGroup {
  readonly #tickets: readonly EnteredTicket[];
  readonly #calls: CustomCalls;
  readonly #levels: Levels;
  /** By level; undefined when the rule is off. */
  readonly #rules: readonly (CustomOne | undefined)[];
  readonly #isCost: boolean;
  readonly #joined: number[] = [];
  /** Whether two tickets may be in one game, by the number of their level and their own. */
  readonly #pairs = new Map<number, boolean>();

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
    const level = this.#levels.with(ticket);
    const rule = this.#rules[level];
    if (rule === undefined) return true;
    if (this.#pairs.size >= PAIRS_MAX) this.#pairs.clear();
    const size = this.#tickets.length;
    return this.#joined.every((other) => {
      const [a, b] = other < ticket ? [other, ticket] : [ticket, other];
      return getOrCreate(this.#pairs, (level * size + a) * size + b, () =>
        this.#calls.mayJoin(rule, this.#tickets[a], this.#tickets[b]),
      );
    });
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
