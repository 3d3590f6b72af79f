import type { AcceptedRule } from '../by-type/accepted.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes, RuledPlayer } from '../types.ts';
import { attributeOf } from '../values.ts';
import { type EnteredTicket, type IndexedRule, Levels, type StateGroup } from './state-group.ts';

/**
 * `accepted` over the game: the values that all joined players accept become fewer, and each joined player needs some of them.
 */
export class AcceptedState implements StateGroup {
  /** By ticket: the values that its players bring, and those that all of them accept; undefined where they accept any. */
  readonly #brought: readonly (readonly (readonly string[])[])[];
  readonly #accepting: readonly (readonly string[] | undefined)[];
  readonly #levels: Levels;
  /** By level: how many values each player needs; 0 when the rule is off. */
  readonly #needed: readonly number[];
  /** The joined tickets. */
  readonly #joined: number[] = [];

  constructor(
    indexed: IndexedRule<Rule & AcceptedRule>,
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    depthMax: number,
  ) {
    const { rule } = indexed;
    const listsOf = (players: readonly RuledPlayer[], name: string) =>
      players.flatMap((player) => {
        const list = attributeOf(player, name, attributes) as readonly string[] | undefined;
        return list === undefined ? [] : [list];
      });
    this.#brought = tickets.map(({ players }) => listsOf(players, rule.attribute));
    this.#accepting = tickets.map(({ players }) => {
      const common = commonOf(listsOf(players, rule.by));
      return common && [...common];
    });
    this.#levels = new Levels(indexed, tickets, depthMax);
    this.#needed = levelsOf(rule).map((level) => (level?.type === 'accepted' ? (level.atLeast ?? 1) : 0));
  }

  start(): void {
    this.#levels.depth = this.#joined.length = 0;
  }

  admits(ticket: number): boolean {
    const wanted = this.#needed[this.#levels.with(ticket)];
    if (wanted === 0) return true;
    const tickets = [...this.#joined, ticket];
    const shared = commonOf(tickets.flatMap((one) => (this.#accepting[one] ? [this.#accepting[one]] : [])));
    if (shared === undefined) return true;
    return tickets.every((one) =>
      this.#brought[one].every((list) => list.filter((value) => shared.has(value)).length >= wanted),
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
}

/** The values of all lists; undefined when there are none. */
function commonOf(lists: readonly (readonly string[])[]): Set<string> | undefined {
  if (lists.length === 0) return undefined;
  const [first, ...others] = lists;
  return new Set(first.filter((value) => others.every((list) => list.includes(value))));
}
