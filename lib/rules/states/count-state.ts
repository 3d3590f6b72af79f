import type { CountRule } from '../by-type/count.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes } from '../types.ts';
import { attributeOf } from '../values.ts';
import { type EnteredTicket, type IndexedRule, Levels, type StateGroup } from './state-group.ts';

/** `count` over the game: how many players have a value, within limits. */
export class CountState implements StateGroup {
  readonly hasCosts: boolean;
  readonly #cost: number;
  readonly #levels: Levels;
  /** By level. */
  readonly #atLeast: readonly number[];
  readonly #atMost: readonly number[];
  readonly #seats: number;
  /** By ticket: its players, and those with the value. */
  readonly #sizes: Uint8Array;
  readonly #own: Uint8Array;
  /** The same of the joined tickets. */
  #players = 0;
  #count = 0;

  constructor(
    indexed: IndexedRule<Rule & CountRule>,
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    seats: number,
  ) {
    const { rule } = indexed;
    const levels = levelsOf(rule) as readonly ((Rule & CountRule) | undefined)[];
    this.#cost = rule.cost ?? 0;
    this.hasCosts = this.#cost > 0;
    this.#levels = new Levels(indexed, tickets, seats);
    this.#atLeast = levels.map((level) => level?.atLeast ?? 0);
    this.#atMost = levels.map((level) => level?.atMost ?? Number.POSITIVE_INFINITY);
    this.#seats = seats;
    this.#sizes = Uint8Array.from(tickets, ({ players }) => players.length);
    this.#own = Uint8Array.from(
      tickets,
      ({ players }) =>
        players.filter((player) => {
          const own = attributeOf(player, rule.attribute, attributes);
          return Array.isArray(own) ? own.includes(rule.value) : own === rule.value;
        }).length,
    );
  }

  start(): void {
    this.#levels.depth = this.#players = this.#count = 0;
  }

  admits(ticket: number): boolean {
    if (this.#cost > 0) return true;
    const count = this.#count + this.#own[ticket];
    const level = this.#levels.with(ticket);
    const left = this.#seats - this.#players - this.#sizes[ticket];
    return count <= this.#atMost[level] && count + left >= this.#atLeast[level];
  }

  join(ticket: number): void {
    this.#levels.join(ticket);
    this.#players += this.#sizes[ticket];
    this.#count += this.#own[ticket];
  }

  leave(ticket: number): void {
    this.#levels.depth--;
    this.#players -= this.#sizes[ticket];
    this.#count -= this.#own[ticket];
  }

  /** The part of the cost that is certain while seats are free. */
  cost(): number {
    const level = this.#levels.now;
    const short = Math.max(0, this.#atLeast[level] - this.#count - (this.#seats - this.#players));
    return this.#cost * (short + Math.max(0, this.#count - this.#atMost[level]));
  }

  costWith(ticket: number): number {
    this.join(ticket);
    const cost = this.cost();
    this.leave(ticket);
    return cost;
  }
}
