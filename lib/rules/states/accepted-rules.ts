import type { AcceptedRule } from '../by-type/accepted.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes, RuledPlayer } from '../types.ts';
import { attributeOf } from '../values.ts';
import type { EnteredTicket, IndexedRule, StateGroup } from './state-group.ts';

/**
 * `accepted` over the game: the values that all joined players accept become fewer, and each joined player needs some of them.
 */
export class AcceptedRules implements StateGroup {
  readonly hasCosts = false;
  readonly #rules: readonly Acceptance[];
  /** The joined tickets. */
  readonly #joined: number[] = [];

  constructor(
    rules: readonly IndexedRule<Rule & AcceptedRule>[],
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
  ) {
    this.#rules = rules.map((rule) => acceptanceOf(rule, tickets, attributes));
  }

  start(): void {
    this.#joined.length = 0;
  }

  admits(ticket: number): boolean {
    return this.#rules.every((rule) => holds(rule, [...this.#joined, ticket]));
  }

  join(ticket: number): void {
    this.#joined.push(ticket);
  }

  leave(): void {
    this.#joined.pop();
  }

  cost(): number {
    return 0;
  }

  costWith(): number {
    return 0;
  }
}

/** One rule: by ticket the values that its players bring and those that all of them accept, and its level. */
interface Acceptance {
  readonly brought: readonly (readonly (readonly string[])[])[];
  /** Undefined where no player accepts anything in particular. */
  readonly accepting: readonly (readonly string[] | undefined)[];
  readonly level: Uint8Array;
  /** By level: how many values each player needs; 0 when the rule is off. */
  readonly needed: readonly number[];
}

function holds({ brought, accepting, level, needed }: Acceptance, tickets: readonly number[]): boolean {
  const wanted = needed[Math.min(...tickets.map((ticket) => level[ticket]))];
  if (wanted === 0) return true;
  const shared = commonOf(tickets.flatMap((ticket) => (accepting[ticket] ? [accepting[ticket]] : [])));
  if (shared === undefined) return true;
  return tickets.every((ticket) =>
    brought[ticket].every((list) => list.filter((value) => shared.has(value)).length >= wanted),
  );
}

/** The values of all lists; undefined when there are none. */
function commonOf(lists: readonly (readonly string[])[]): Set<string> | undefined {
  if (lists.length === 0) return undefined;
  const [first, ...others] = lists;
  return new Set(first.filter((value) => others.every((list) => list.includes(value))));
}

function acceptanceOf(
  { rule, index }: IndexedRule<Rule & AcceptedRule>,
  tickets: readonly EnteredTicket[],
  attributes: Attributes,
): Acceptance {
  const listsOf = (players: readonly RuledPlayer[], name: string) =>
    players.flatMap((player) => {
      const list = attributeOf(player, name, attributes) as readonly string[] | undefined;
      return list === undefined ? [] : [list];
    });
  return {
    brought: tickets.map(({ players }) => listsOf(players, rule.attribute)),
    accepting: tickets.map(({ players }) => {
      const common = commonOf(listsOf(players, rule.by));
      return common && [...common];
    }),
    level: Uint8Array.from(tickets, (ticket) => ticket.levels[index]),
    needed: levelsOf(rule).map((level) => (level?.type === 'accepted' ? (level.atLeast ?? 1) : 0)),
  };
}
