import type { DifferentRule } from '../by-type/different.ts';
import type { SameRule } from '../by-type/same.ts';
import { valuesOf } from '../measures.ts';
import type { Rule } from '../rule-types.ts';
import { type IndexedRule, Levels, numberedIn, type StateGroup, type StatePool } from './state-group.ts';

/**
 * A rule that counts how often values occur: `different` and `same` with a cost over the game, and both in each team. In each
 * team means for the game that no value is there more often than it has teams (`different`), or that the teams of all its values
 * are no more than it has (`same`).
 */
export type ValueRule = Rule & (DifferentRule | SameRule);

/** The teams of a game. */
export interface Teams {
  readonly count: number;
  /** The players of the largest. */
  readonly size: number;
}

/** How often each value occurs among the joined tickets, how many distinct values there are, and how many players are too many. */
export class ValueState implements StateGroup {
  readonly #isSame: boolean;
  /** By ticket: the numbers of its players' values. */
  readonly #values: readonly Int32Array[];
  readonly #levels: Levels;
  readonly #taken: Uint16Array;
  /** The teams that the rule is about, 1 for the game: so many players may have a value, or so many values there may be. */
  readonly #count: number;
  #distinct = 0;
  #repeated = 0;
  /** The teams of `same` in each of them, and how many of them the joined tickets need. */
  readonly #teams: Teams | undefined;
  #needed = 0;

  constructor(indexed: IndexedRule<ValueRule>, pool: StatePool, teams?: Teams) {
    const { rule } = indexed;
    const numbers = new Map<unknown, number>();
    this.#isSame = rule.type === 'same';
    this.#teams = this.#isSame ? teams : undefined;
    this.#count = teams?.count ?? 1;
    this.#values = pool.tickets.map((ticket) =>
      Int32Array.from(valuesOf([ticket], rule.attribute, pool), (value) => numberedIn(numbers, value)),
    );
    this.#levels = new Levels(indexed, pool);
    this.#taken = new Uint16Array(numbers.size);
  }

  start(): void {
    this.#taken.fill(0);
    this.#levels.depth = this.#distinct = this.#repeated = this.#needed = 0;
  }

  admits(ticket: number): boolean {
    if (this.#levels.with(ticket) >= this.#levels.offFrom) return true;
    if (this.#teams) return this.#neededWith(ticket, this.#teams) <= this.#teams.count;
    let isRepeated = this.#repeated > 0;
    for (const value of this.#values[ticket]) if (this.#taken[value]++ >= this.#count) isRepeated = true;
    for (const value of this.#values[ticket]) this.#taken[value]--;
    return !isRepeated;
  }

  join(ticket: number): void {
    this.#levels.join(ticket);
    for (const value of this.#values[ticket]) {
      if (this.#teams && this.#taken[value] % this.#teams.size === 0) this.#needed++;
      if (this.#taken[value] === 0) this.#distinct++;
      if (this.#taken[value]++ >= this.#count) this.#repeated++;
    }
  }

  leave(ticket: number): void {
    this.#levels.depth--;
    for (const value of this.#values[ticket]) {
      if (--this.#taken[value] >= this.#count) this.#repeated--;
      if (this.#taken[value] === 0) this.#distinct--;
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

  units(): number {
    if (this.#levels.now >= this.#levels.offFrom) return 0;
    if (!this.#isSame) return this.#repeated;
    return Math.max(0, (this.#teams ? this.#needed : this.#distinct) - this.#count);
  }
}
