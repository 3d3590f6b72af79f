import { levelsOf } from '../levels.ts';
import type { RuleContext, RuledGame } from '../rule-type.ts';
import { type Rule, typeOf } from '../rule-types.ts';
import { type EnteredTicket, type IndexedRule, Levels, type StateGroup } from './state-group.ts';

/**
 * A rule over the game that judges the joined tickets as if they were the whole game. It is slow, and only right for a rule
 * that no further ticket can mend.
 */
export class JudgedState implements StateGroup {
  readonly #tickets: readonly EnteredTicket[];
  readonly #context: RuleContext;
  readonly #levels: Levels;
  /** By level; undefined when the rule is off. */
  readonly #rules: readonly (Rule | undefined)[];
  readonly #joined: EnteredTicket[] = [];

  constructor(
    indexed: IndexedRule,
    tickets: readonly EnteredTicket[],
    context: RuleContext,
    depthMax: number,
  ) {
    this.#tickets = tickets;
    this.#context = context;
    this.#levels = new Levels(indexed, tickets, depthMax);
    this.#rules = levelsOf(indexed.rule);
  }

  start(): void {
    this.#levels.depth = this.#joined.length = 0;
  }

  admits(ticket: number): boolean {
    const rule = this.#rules[this.#levels.with(ticket)];
    if (rule === undefined) return true;
    const game: RuledGame = { teams: [[...this.#joined, this.#tickets[ticket]]] };
    return typeOf(rule).evaluate(rule, game, this.#context).holds;
  }

  join(ticket: number): void {
    this.#levels.join(ticket);
    this.#joined.push(this.#tickets[ticket]);
  }

  leave(): void {
    this.#levels.depth--;
    this.#joined.pop();
  }
}
