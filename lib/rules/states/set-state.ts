import type { CommonRule } from '../by-type/common.ts';
import type { LatencyRule } from '../by-type/latency.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes, RuledPlayer } from '../types.ts';
import { attributeOf } from '../values.ts';
import {
  type EnteredTicket,
  type IndexedRule,
  Levels,
  numberedIn,
  type StateGroup,
  type StatePool,
} from './state-group.ts';

/** A rule that requires values that all players share: regions in reach, or entries of a list. */
export type SetRule = Rule & (CommonRule | LatencyRule);

/** `common` over the game, or `latency`, as bit sets: the values that the joined tickets share. */
export class SetState implements StateGroup {
  /** The values by number. */
  readonly values: readonly string[];
  readonly levels: Levels;
  /** By level: how many values must be shared, if the rule forbids games; 0 where it is off. */
  readonly needed: readonly number[];
  /** Words of 32 values, and those of all levels. */
  readonly #words: number;
  readonly #size: number;
  /** By ticket, level and word: what it accepts; and by depth, what the joined tickets share. */
  readonly #masks: Int32Array;
  readonly #joined: Int32Array;
  /** For `latency` with a cost: the worst latency of each ticket by region, and of the joined tickets by depth and region. */
  readonly #latencies: Float64Array | undefined;
  readonly #worst: Float64Array | undefined;
  /** Whether all tickets of the facet meet the rule. */
  #holds = false;

  constructor(indexed: IndexedRule<SetRule>, pool: StatePool) {
    const { rule } = indexed;
    const { tickets, attributes, depthMax } = pool;
    const levels = levelsOf(rule);
    const numbers = new Map<string, number>();
    for (const { players } of tickets)
      for (const player of players)
        for (const value of valuesOf(rule, player, attributes)) numberedIn(numbers, value);
    this.values = [...numbers.keys()];
    this.#words = Math.max(1, Math.ceil(this.values.length / 32));
    this.#size = levels.length * this.#words;
    this.#masks = this.#masksOf(rule, pool, numbers);
    this.levels = new Levels(indexed, pool);
    this.needed = levels.map((level) => {
      if (level === undefined) return 0;
      return level.type === 'common' ? (level.atLeast ?? 1) : 1;
    });
    this.#joined = new Int32Array((depthMax + 1) * this.#size).fill(-1, 0, this.#size);
    if (rule.type !== 'latency' || rule.cost === undefined) return;
    this.#latencies = latenciesOf(tickets, this.values);
    this.#worst = new Float64Array((depthMax + 1) * this.values.length);
  }

  #masksOf(
    rule: SetRule,
    { tickets, attributes }: StatePool,
    numbers: ReadonlyMap<string, number>,
  ): Int32Array {
    const size = this.#size;
    const masks = new Int32Array(tickets.length * size).fill(-1);
    const maxima = levelsOf(rule).map((level) =>
      level?.type === 'latency' ? (level.max ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
    );
    const own = new Int32Array(size);
    tickets.forEach(({ players }, ticket) => {
      for (const player of players) {
        if (rule.type === 'common' ? !listOf(player, rule, attributes) : player.bot) continue;
        own.fill(0);
        for (const value of valuesOf(rule, player, attributes)) {
          const number = numbers.get(value)!;
          const latency = rule.type === 'common' ? 0 : player.latencyMs![value];
          for (let level = 0; level < maxima.length; level++)
            if (latency <= maxima[level]) own[level * this.#words + (number >> 5)] |= 1 << (number & 31);
        }
        for (let i = 0; i < size; i++) masks[ticket * size + i] &= own[i];
      }
    });
    return masks;
  }

  /** The numbers of the values that a ticket accepts at its level, ascending. */
  accepted(ticket: number): number[] {
    const from = ticket * this.#size + this.levels.of(ticket) * this.#words;
    const values: number[] = [];
    for (let word = 0; word < this.#words; word++) {
      // A bit for each value of the pool, of which a ticket has few.
      for (let bits = this.#masks[from + word]; bits !== 0; bits &= bits - 1) {
        const value = 32 * word + (31 - Math.clz32(bits & -bits));
        if (value < this.values.length) values.push(value);
      }
    }
    return values;
  }

  start(): void {
    this.levels.depth = 0;
    this.#holds = false;
    this.#joined.fill(-1, 0, this.#size);
  }

  /** After `start`: only this value may be shared, and only tickets that accept it at their own level are joined. */
  restrict(value: number): void {
    this.#holds = this.needed.length === 1;
    this.#joined.fill(0, 0, this.#size);
    for (let i = value >> 5; i < this.#size; i += this.#words) this.#joined[i] = 1 << (value & 31);
  }

  admits(ticket: number): boolean {
    const level = this.levels.with(ticket);
    const needed = this.needed[level];
    if (needed === 0 || this.#holds) return true;
    const words = this.#words;
    const from = this.levels.depth * this.#size + level * words;
    const own = ticket * this.#size + level * words;
    if (words === 1 && needed === 1) return (this.#joined[from] & this.#masks[own]) !== 0;
    let shared = 0;
    for (let word = 0; word < words; word++)
      shared += bitsOf(this.#joined[from + word] & this.#masks[own + word]);
    return shared >= needed;
  }

  keep(tickets: Int32Array, kept: Int32Array, count: number): number {
    if (this.#holds) return count;
    const isSimple = this.#size === 1 && this.needed[0] === 1;
    const masks = this.#masks;
    const shared = this.#joined[this.levels.depth * this.#size];
    let left = 0;
    for (let i = 0; i < count; i++) {
      const ticket = tickets[kept[i]];
      if (isSimple ? (masks[ticket] & shared) !== 0 : this.admits(ticket)) kept[left++] = kept[i];
    }
    return left;
  }

  join(ticket: number): void {
    const { depth } = this.levels;
    const size = this.#size;
    const from = depth * size;
    for (let i = 0; i < size; i++)
      this.#joined[from + size + i] = this.#joined[from + i] & this.#masks[ticket * size + i];
    const worst = this.#worst;
    const regions = this.values.length;
    if (worst)
      for (let region = 0; region < regions; region++)
        worst[(depth + 1) * regions + region] = Math.max(
          worst[depth * regions + region],
          this.#latencies![ticket * regions + region],
        );
    this.levels.join(ticket);
  }

  leave(): void {
    this.levels.depth--;
  }

  hasNarrowed(): boolean {
    if (this.#holds) return false;
    const size = this.#size;
    const from = this.levels.depth * size;
    for (let i = from; i < from + size; i++) if (this.#joined[i] !== this.#joined[i - size]) return true;
    return this.levels.isStricter;
  }

  units(): number {
    const { depth, now } = this.levels;
    if (this.needed[now] === 0) return 0;
    const from = depth * this.#size + now * this.#words;
    const regions = this.values.length;
    let shared = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let value = 0; value < regions; value++) {
      if (((this.#joined[from + (value >> 5)] >> (value & 31)) & 1) === 0) continue;
      shared++;
      if (this.#worst) least = Math.min(least, this.#worst[depth * regions + value]);
    }
    if (!this.#worst) return Math.max(0, this.needed[now] - shared);
    // A game without a common region is rejected elsewhere.
    return least === Number.POSITIVE_INFINITY ? 0 : least;
  }
}

/** The values that a player brings to a rule: the entries of its list, or the regions that it has a latency to. */
export function valuesOf(rule: SetRule, player: RuledPlayer, attributes: Attributes): readonly string[] {
  if (rule.type === 'common') return listOf(player, rule, attributes) ?? [];
  return player.bot ? [] : Object.keys(player.latencyMs ?? {});
}

function listOf(
  player: RuledPlayer,
  { attribute }: CommonRule,
  attributes: Attributes,
): readonly string[] | undefined {
  return attributeOf(player, attribute, attributes) as readonly string[] | undefined;
}

function latenciesOf(tickets: readonly EnteredTicket[], regions: readonly string[]): Float64Array {
  const latencies = new Float64Array(tickets.length * regions.length);
  tickets.forEach(({ players }, ticket) => {
    regions.forEach((region, r) => {
      let worst = 0;
      for (const { bot, latencyMs } of players)
        if (!bot) worst = Math.max(worst, latencyMs?.[region] ?? Number.POSITIVE_INFINITY);
      latencies[ticket * regions.length + r] = worst;
    });
  });
  return latencies;
}

/** The number of bits that are set in 32. */
export function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
