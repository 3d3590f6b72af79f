import { alternativesOf, stepsOf } from './levels.ts';
import { type Alternative, type Rule, type RulesDefinition, typeOf } from './rule-types.ts';
import { type SetRule, valuesOf } from './states/set-state.ts';
import type { Attributes, RuledPlayer } from './types.ts';

/** About what 0.1 µs of a Lambda function with one processor do. */
const WORK = {
  player: 10,
  rule: 6,
  // Each rule in an `anyOf` has a state of its own; the others share one for each kind.
  alternative: 20,
  ruleOfPlayer: 0.5,
  value: 3,
  other: 4,
  pair: 3,
  word: 0.2,
} as const;

/**
 * The work of preparing tickets for searches under the rules of a queue: what a plan does with all of them before its first
 * search can ask for the time. It grows with the players, their values and the rules, and where players name each other, or
 * where they list values, faster than with their number: for `common` and `latency` every ticket has a bit for every value of
 * the pool, and each pair of tickets that avoid each other, or have met, is kept.
 *
 * Tickets are added one by one, so that a caller takes as many as it has time for.
 */
export class Preparation {
  readonly #attributes: Attributes;
  /** Of all rules, and those in `anyOf`. */
  readonly #rules: number;
  /** Of their states, for each ticket. */
  readonly #workOfRules: number;
  readonly #sets: readonly ValuesOfPool[];
  readonly #countsMeetings: boolean;
  /** By player: the tickets that contain it, and how often others avoid it or have met it. */
  readonly #tickets = new Map<string, number>();
  readonly #named = new Map<string, number>();
  #players = 0;
  #work = 0;

  constructor({ attributes = {}, rules = [] }: RulesDefinition) {
    this.#attributes = attributes;
    const all = rules.flatMap((rule) => [rule, ...alternativesOf(rule).map((inner) => ({ rule, inner }))]);
    this.#rules = all.length;
    this.#workOfRules = WORK.rule * rules.length + WORK.alternative * (all.length - rules.length);
    this.#countsMeetings = rules.some(({ type }) => type === 'recent');
    this.#sets = all.flatMap((one) =>
      'inner' in one ? setsOf(one.inner, stepsOf(one.rule).length) : setsOf(one, stepsOf(one).length),
    );
  }

  /** Adds a ticket. Returns the work of all that were added, in units of about 0.1 µs. */
  add({ players }: { readonly players: readonly RuledPlayer[] }): number {
    this.#work += this.#workOfRules;
    for (const player of players) this.#addPlayer(player);
    let words = 0;
    for (const { values, wordsPerValue } of this.#sets) words += wordsPerValue * values.size;
    return this.#work + WORK.word * words * this.#players;
  }

  #addPlayer(player: RuledPlayer): void {
    const { playerId, avoid = [] } = player;
    const met = this.#countsMeetings ? (player.met ?? []) : [];
    this.#players++;
    this.#work += WORK.player + WORK.ruleOfPlayer * this.#rules + WORK.other * (avoid.length + met.length);
    for (const { rule, values } of this.#sets) {
      for (const value of valuesOf(rule, player, this.#attributes)) {
        values.add(value);
        this.#work += WORK.value;
      }
    }
    this.#work += WORK.pair * (this.#named.get(playerId) ?? 0);
    this.#tickets.set(playerId, (this.#tickets.get(playerId) ?? 0) + 1);
    for (const other of avoid) this.#name(other);
    for (const [other] of met) this.#name(other);
  }

  #name(other: string): void {
    this.#work += WORK.pair * (this.#tickets.get(other) ?? 0);
    this.#named.set(other, (this.#named.get(other) ?? 0) + 1);
  }
}

/** A rule that keeps a bit of each value for each ticket, and the values of the pool so far. */
interface ValuesOfPool {
  readonly rule: SetRule;
  readonly values: Set<string>;
  readonly wordsPerValue: number;
}

/** The bits of a rule's values; none of a rule of another kind. @param steps of its relaxation */
function setsOf(rule: Rule | Alternative, steps: number): ValuesOfPool[] {
  if (rule.type !== 'common' && rule.type !== 'latency') return [];
  const isStated = typeOf(rule)
    .states({ ...rule, name: '' }, {})
    .some(({ by }) => by === 'sets');
  // A latency with a cost keeps the latencies themselves too.
  const numbers = rule.type === 'latency' && 'cost' in rule ? 2 : 0;
  return isStated
    ? [{ rule: rule as SetRule, values: new Set(), wordsPerValue: (steps + 1) / 32 + numbers }]
    : [];
}
