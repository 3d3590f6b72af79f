import type { CommonRule } from '../by-type/common.ts';
import type { LatencyRule } from '../by-type/latency.ts';
import { levelsOf } from '../levels.ts';
import type { Rule } from '../rule-types.ts';
import type { Attributes, RuledPlayer } from '../types.ts';
import { attributeOf } from '../values.ts';
import type { EnteredTicket, IndexedRule, StateGroup } from './state-group.ts';

/** A rule that requires values that all players share: regions in reach, or entries of a list. */
export type SetRule = Rule & (CommonRule | LatencyRule);

/** A value that all players of a facet's games share, of a rule of `SetRules` by its index there. */
export interface Restriction {
  readonly set: number;
  readonly value: number;
}

/** `common` over the game and `latency`, as bit sets. */
export class SetRules implements StateGroup {
  readonly hasCosts: boolean;
  readonly sets: readonly SharedSet[];
  /** The rules that the search must check, without those that hold in the whole facet. */
  #active: readonly SharedSet[] = [];
  /** Whether each rule needs one shared value of at most 32, at every age. */
  readonly #isSimple: boolean;
  /** By the restrictions of a facet: the rules that the search must check in it. */
  readonly #activeOf = new Map<readonly Restriction[], readonly SharedSet[]>();
  #depth = 0;

  constructor(
    rules: readonly IndexedRule<SetRule>[],
    tickets: readonly EnteredTicket[],
    attributes: Attributes,
    depthMax: number,
  ) {
    this.sets = rules.map((rule) => sharedSetOf(rule, tickets, attributes, depthMax));
    this.hasCosts = this.sets.some(({ cost }) => cost > 0);
    this.#isSimple = this.sets.every(
      ({ words, levels, needed }) => words === 1 && levels === 1 && needed[0] === 1,
    );
  }

  start(): void {
    this.#depth = 0;
    this.#active = this.sets;
    for (const { joined, levels, words, joinedLevels, worst, values } of this.sets) {
      for (let i = 0; i < levels * words; i++) joined[i] = -1;
      joinedLevels[0] = levels - 1;
      worst?.fill(0, 0, values.length);
    }
  }

  /** After `start`: only these values may be shared, and only tickets that accept them at their own level are joined. */
  restrict(restrictions: readonly Restriction[]): void {
    let active = this.#activeOf.get(restrictions);
    if (!active) {
      const whole = restrictions.map(({ set }) => this.sets[set]).filter(holdsInFacet);
      active = this.sets.filter((set) => !whole.includes(set));
      this.#activeOf.set(restrictions, active);
    }
    this.#active = active;
    for (let i = 0; i < restrictions.length; i++) {
      const { set: index, value } = restrictions[i];
      const set = this.sets[index];
      if (holdsInFacet(set)) continue;
      const { words } = set;
      for (let level = 0; level < set.levels; level++) {
        for (let word = 0; word < words; word++)
          set.joined[level * words + word] = value >> 5 === word ? 1 << (value & 31) : 0;
      }
    }
  }

  admits(ticket: number): boolean {
    const sets = this.#active;
    const depth = this.#depth;
    for (let i = 0; i < sets.length; i++) {
      const set = sets[i];
      const level = Math.min(set.joinedLevels[depth], set.level[ticket]);
      const needed = set.needed[level];
      if (needed === 0) continue;
      const { words } = set;
      const from = depth * set.levels * words + level * words;
      const own = (ticket * set.levels + level) * words;
      if (words === 1 && needed === 1) {
        if ((set.joined[from] & set.masks[own]) === 0) return false;
        continue;
      }
      let shared = 0;
      for (let word = 0; word < words; word++)
        shared += bitsOf(set.joined[from + word] & set.masks[own + word]);
      if (shared < needed) return false;
    }
    return true;
  }

  /** Of the first `count` positions in `kept`, keeps those whose tickets it admits, and returns their number. */
  keep(tickets: Int32Array, kept: Int32Array, count: number): number {
    const sets = this.#active;
    if (sets.length === 0) return count;
    let left = 0;
    if (!this.#isSimple) {
      for (let i = 0; i < count; i++) if (this.admits(tickets[kept[i]])) kept[left++] = kept[i];
      return left;
    }
    left = count;
    for (let s = 0; s < sets.length; s++) {
      const { joined, masks } = sets[s];
      const shared = joined[this.#depth];
      const from = left;
      left = 0;
      for (let i = 0; i < from; i++) if ((masks[tickets[kept[i]]] & shared) !== 0) kept[left++] = kept[i];
    }
    return left;
  }

  join(ticket: number): void {
    const depth = this.#depth++;
    const sets = this.#active;
    for (let s = 0; s < sets.length; s++) {
      const set = sets[s];
      const size = set.levels * set.words;
      const from = depth * size;
      for (let i = 0; i < size; i++)
        set.joined[from + size + i] = set.joined[from + i] & set.masks[ticket * size + i];
      set.joinedLevels[depth + 1] = Math.min(set.joinedLevels[depth], set.level[ticket]);
      const { worst, latencies } = set;
      if (!worst || !latencies) continue;
      const regions = set.values.length;
      for (let region = 0; region < regions; region++) {
        worst[(depth + 1) * regions + region] = Math.max(
          worst[depth * regions + region],
          latencies[ticket * regions + region],
        );
      }
    }
  }

  leave(): void {
    this.#depth--;
  }

  cost(): number {
    const depth = this.#depth;
    let sum = 0;
    for (const set of this.sets) {
      if (set.cost === 0) continue;
      const level = set.joinedLevels[depth];
      const from = (depth * set.levels + level) * set.words;
      let shared = 0;
      let least = Number.POSITIVE_INFINITY;
      for (let value = 0; value < set.values.length; value++) {
        if (((set.joined[from + (value >> 5)] >> (value & 31)) & 1) === 0) continue;
        shared++;
        if (set.worst) least = Math.min(least, set.worst[depth * set.values.length + value]);
      }
      sum += costOf(set, level, shared, least);
    }
    return sum;
  }

  costWith(ticket: number): number {
    const depth = this.#depth;
    let sum = 0;
    for (const set of this.sets) {
      if (set.cost === 0) continue;
      const level = Math.min(set.joinedLevels[depth], set.level[ticket]);
      const from = (depth * set.levels + level) * set.words;
      const own = (ticket * set.levels + level) * set.words;
      const count = set.values.length;
      let shared = 0;
      let least = Number.POSITIVE_INFINITY;
      for (let value = 0; value < count; value++) {
        const word = value >> 5;
        if ((((set.joined[from + word] & set.masks[own + word]) >> (value & 31)) & 1) === 0) continue;
        shared++;
        if (set.worst && set.latencies) {
          const worst = Math.max(set.worst[depth * count + value], set.latencies[ticket * count + value]);
          least = Math.min(least, worst);
        }
      }
      sum += costOf(set, level, shared, least);
    }
    return sum;
  }
}

/** Whether all tickets of a facet of one of the rule's values meet the rule, and it costs nothing there. */
function holdsInFacet({ levels, cost }: SharedSet): boolean {
  return levels === 1 && cost === 0;
}

/** One rule: the values that each ticket accepts at each level, and those that the joined tickets share. */
export interface SharedSet {
  readonly index: number;
  /** The values by number. */
  readonly values: readonly string[];
  readonly levels: number;
  /** Words of 32 values. */
  readonly words: number;
  /** By ticket, level and word. */
  readonly masks: Int32Array;
  readonly level: Uint8Array;
  /** By level: how many values must be shared; 0 where the rule forbids nothing. */
  readonly needed: Uint8Array;
  /** By level: the value from which a cost counts. */
  readonly wanted: Uint8Array;
  readonly cost: number;
  /** By depth, level and word. */
  readonly joined: Int32Array;
  readonly joinedLevels: Uint8Array;
  /** For `latency` with a cost: the worst latency of each ticket by region, and of the joined tickets by depth and region. */
  readonly latencies: Float64Array | undefined;
  readonly worst: Float64Array | undefined;
}

function costOf(set: SharedSet, level: number, shared: number, worst: number): number {
  if (set.wanted[level] === 0) return 0;
  if (!set.worst) return set.cost * Math.max(0, set.wanted[level] - shared);
  // A game without a common region is rejected elsewhere.
  return worst === Number.POSITIVE_INFINITY ? 0 : set.cost * worst;
}

function sharedSetOf(
  { rule, index }: IndexedRule<SetRule>,
  tickets: readonly EnteredTicket[],
  attributes: Attributes,
  depthMax: number,
): SharedSet {
  const levels = levelsOf(rule);
  const numbers = new Map<string, number>();
  const numberOf = (value: string) => {
    let number = numbers.get(value);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(value, number);
    }
    return number;
  };
  for (const { players } of tickets)
    for (const player of players) for (const value of valuesOf(rule, player, attributes)) numberOf(value);
  const values = [...numbers.keys()];
  const words = Math.max(1, Math.ceil(values.length / 32));
  const size = levels.length * words;
  const masks = new Int32Array(tickets.length * size).fill(-1);
  const maxima = levels.map((level) =>
    level?.type === 'latency' ? (level.max ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
  );
  const own = new Int32Array(size);
  const accept = (level: number, number: number) => {
    own[level * words + (number >> 5)] |= 1 << (number & 31);
  };
  tickets.forEach(({ players }, ticket) => {
    for (const player of players) {
      own.fill(0);
      if (rule.type === 'common') {
        const list = listOf(player, rule, attributes);
        if (!list) continue;
        for (const value of list)
          for (let level = 0; level < levels.length; level++) accept(level, numberOf(value));
      } else {
        if (player.bot) continue;
        const { latencyMs = {} } = player;
        for (const region in latencyMs)
          for (let level = 0; level < levels.length; level++)
            if (latencyMs[region] <= maxima[level]) accept(level, numberOf(region));
      }
      for (let i = 0; i < size; i++) masks[ticket * size + i] &= own[i];
    }
  });
  const isCostOnly = rule.cost !== undefined && rule.type === 'common';
  const hasWorst = rule.type === 'latency' && rule.cost !== undefined;
  const wanted = Uint8Array.from(levels, (level) => {
    if (level === undefined) return 0;
    return level.type === 'common' ? (level.atLeast ?? 1) : 1;
  });
  return {
    index,
    values,
    levels: levels.length,
    words,
    masks,
    level: Uint8Array.from(tickets, (ticket) => ticket.levels[index]),
    needed: isCostOnly ? new Uint8Array(levels.length) : wanted,
    wanted,
    cost: rule.cost ?? 0,
    joined: new Int32Array((depthMax + 1) * levels.length * words),
    joinedLevels: new Uint8Array(depthMax + 1),
    latencies: hasWorst ? latenciesOf(tickets, values) : undefined,
    worst: hasWorst ? new Float64Array((depthMax + 1) * values.length) : undefined,
  };
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

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
