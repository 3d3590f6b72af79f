import type { AcceptedRule } from '../by-type/accepted.ts';
import { levelsOf } from '../levels.ts';
import { listsOf } from '../measures.ts';
import type { Rule } from '../rule-types.ts';
import { bitsOf } from './set-state.ts';
import { type IndexedRule, Levels, numberedIn, type StateGroup, type StatePool } from './state-group.ts';

/**
 * `accepted` over the game, as bit sets: the values that all joined players accept become fewer, and each joined player needs
 * some of them.
 */
export class AcceptedState implements StateGroup {
  readonly #levels: Levels;
  /** By level: how many values each player needs; 0 when the rule is off. */
  readonly #needed: readonly number[];
  /** Words of 32 values, of those that players bring. */
  readonly #words: number;
  /** By ticket: the lists that its players bring, and what all of them accept; by depth: what all joined players accept. */
  readonly #brought: readonly (readonly Int32Array[])[];
  readonly #accepting: readonly Int32Array[];
  readonly #shared: readonly Int32Array[];
  /** What is accepted with the ticket that `admits` judges. */
  readonly #with: Int32Array;
  readonly #joined: number[] = [];

  constructor(indexed: IndexedRule<Rule & AcceptedRule>, pool: StatePool) {
    const { rule } = indexed;
    const { tickets, depthMax } = pool;
    const lists = (name: string) => tickets.map((ticket) => listsOf([ticket], name, pool));
    const brought = lists(rule.attribute);
    const numbers = new Map<string, number>();
    for (const value of brought.flat(2)) numberedIn(numbers, value);
    this.#words = Math.max(1, Math.ceil(numbers.size / 32));
    this.#brought = brought.map((own) => own.map((list) => maskOf(list, numbers, this.#words)));
    this.#accepting = lists(rule.by).map((own) =>
      own
        .map((list) => maskOf(list, numbers, this.#words))
        .reduce((all, mask) => all.map((word, i) => word & mask[i]), new Int32Array(this.#words).fill(-1)),
    );
    this.#levels = new Levels(indexed, pool);
    this.#needed = levelsOf(rule).map((level) => (level?.type === 'accepted' ? (level.atLeast ?? 1) : 0));
    this.#shared = Array.from({ length: depthMax + 1 }, () => new Int32Array(this.#words).fill(-1));
    this.#with = new Int32Array(this.#words);
  }

  start(): void {
    this.#levels.depth = this.#joined.length = 0;
  }

  admits(ticket: number): boolean {
    const wanted = this.#needed[this.#levels.with(ticket)];
    if (wanted === 0) return true;
    this.#shareWith(ticket, this.#with);
    return this.#missing(ticket, wanted, this.#with) + this.#missingOfJoined(wanted, this.#with) === 0;
  }

  join(ticket: number): void {
    this.#shareWith(ticket, this.#shared[this.#levels.depth + 1]);
    this.#levels.join(ticket);
    this.#joined.push(ticket);
  }

  leave(): void {
    this.#levels.depth--;
    this.#joined.pop();
  }

  /** Writes what all joined players and those of this ticket accept. */
  #shareWith(ticket: number, to: Int32Array): void {
    const shared = this.#shared[this.#levels.depth];
    const accepting = this.#accepting[ticket];
    for (let word = 0; word < this.#words; word++) to[word] = shared[word] & accepting[word];
  }

  units(): number {
    const { depth, now } = this.#levels;
    const wanted = this.#needed[now];
    return wanted === 0 ? 0 : this.#missingOfJoined(wanted, this.#shared[depth]);
  }

  #missingOfJoined(wanted: number, shared: Int32Array): number {
    let missing = 0;
    for (let i = 0; i < this.#joined.length; i++) missing += this.#missing(this.#joined[i], wanted, shared);
    return missing;
  }

  /** How many accepted values the players of a ticket lack. @param shared the values that are accepted */
  #missing(ticket: number, wanted: number, shared: Int32Array): number {
    const lists = this.#brought[ticket];
    let missing = 0;
    for (let i = 0; i < lists.length; i++) {
      let accepted = 0;
      for (let word = 0; word < this.#words; word++) accepted += bitsOf(lists[i][word] & shared[word]);
      if (accepted < wanted) missing += wanted - accepted;
    }
    return missing;
  }
}

/** The values of a list that have a number, as a bit set. */
function maskOf(list: readonly string[], numbers: ReadonlyMap<string, number>, words: number): Int32Array {
  const mask = new Int32Array(words);
  for (const value of list) {
    const number = numbers.get(value);
    if (number !== undefined) mask[number >> 5] |= 1 << (number & 31);
  }
  return mask;
}
