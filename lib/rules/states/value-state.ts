import type { DifferentRule } from '../by-type/different.ts';
import type { SameRule } from '../by-type/same.ts';
import { valuesOf } from '../measures.ts';
import type { Rule } from '../rule-types.ts';
import { type IndexedRule, Levels, numberedIn, type StateGroup, type StatePool } from './state-group.ts';

/**
 * A rule that counts how often values occur over the game: `different`, `same` with a cost, and `same` in each team. In each team
 * means for the game that the teams of all its values are no more than it has.
 */
export type ValueRule = Rule & (DifferentRule | SameRule);

/** The teams of a game. */
export interface Teams {
  readonly count: number;
  /** The players of the largest. */
  readonly size: number;
}

/** How often each value occurs among the joined tickets, how many distinct values there are, and how many players repeat one. */
export class ValueState implements StateGroup {
  readonly #isSame: boolean;
  /** By ticket: the numbers of its players' values. */
  readonly #values: readonly Int32Array[];
  readonly #levels: Levels;
  readonly #taken: Uint16Array;
  #distinct = 0;
  #repeated = 0;
  /** The teams of the rule where each has to have one value, and how many of them the joined tickets need. */
  readonly #teams: Teams | undefined;
  #needed = 0;

  constructor(indexed: IndexedRule<ValueRule>, pool: StatePool, teams?: Teams) {
    const { rule } = indexed;
    this.#teams = rule.scope === 'team' ? teams : undefined;
    const numbers = new Map<unknown, number>();
    this.#isSame = rule.type === 'same';
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
    if (this.#repeated > 0) return false;
    const values = this.#values[ticket];
    for (let i = 0; i < values.length; i++) {
      if (this.#taken[values[i]] > 0) return false;
      for (let j = 0; j < i; j++) if (values[j] === values[i]) return false;
    }
    return true;
  }

  join(ticket: number): void {
    this.#levels.join(ticket);
    for (const value of this.#values[ticket]) {
      if (this.#teams && this.#taken[value] % this.#teams.size === 0) this.#needed++;
      if (this.#taken[value]++ > 0) this.#repeated++;
      else this.#distinct++;
    }
  }

  leave(ticket: number): void {
    this.#levels.depth--;
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

  units(): number {
    if (this.#levels.now >= this.#levels.offFrom) return 0;
    return this.#isSame ? Math.max(0, this.#distinct - 1) : this.#repeated;
  }
}
