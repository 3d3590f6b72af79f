import type { Constraints } from '../engine/types.ts';
import { type Meetings, noMeetings } from './met.ts';
import { RuleStates } from './rule-states.ts';
import type { RulesDefinition } from './types.ts';

/** The moment and the place of a search. */
export interface SearchMoment {
  readonly nowMs: number;
  /** The most players of a game. */
  readonly seats: number;
  /** The kind of each team of a game, by name. @default the queue names none */
  readonly kinds?: readonly string[] | undefined;
  /** @default nobody has met anybody */
  readonly meetings?: Meetings | undefined;
}

/**
 * The rules of a queue for searches at one moment, each search pool with its own; undefined when neither the queue has
 * rules nor a player avoids another.
 */
export function compileRules(
  { attributes = {}, rules = [], relaxBy = 'each' }: RulesDefinition,
  { nowMs, seats, kinds, meetings = noMeetings }: SearchMoment,
  hasAvoid: boolean,
): (() => Constraints) | undefined {
  if (rules.length === 0 && !hasAvoid) return undefined;
  return () => new RuleStates({ attributes, rules, relaxBy, nowMs, seats, kinds, meetings });
}
