import type { Constraints } from '../engine/types.ts';
import { type Meetings, noMeetings } from './met.ts';
import { RuleStates } from './rule-states.ts';
import type { RulesDefinition } from './rule-types.ts';

/** The moment of a search, and the facts that its rules need. */
export interface SearchMoment {
  readonly nowMs: number;
  /** The maximum of players in a game. */
  readonly seats: number;
  /** The minimum of players in a game. @default seats */
  readonly seatsMin?: number | undefined;
  /** The kind of each team of a game, by name. @default the queue names none */
  readonly kinds?: readonly string[] | undefined;
  /** The number of teams, from which counts of teams limit those of the game. @default such counts are only judged */
  readonly teams?: number | undefined;
  /** The players of the largest team. @default what each team has to share is only judged */
  readonly teamSize?: number | undefined;
  /** @default no two players have met */
  readonly meetings?: Meetings | undefined;
  /** Pools of at least this many tickets are cut into facets where a rule separates them. @default 64 */
  readonly facetsFrom?: number | undefined;
}

/**
 * The rules of a queue for the searches of one pool at one moment; undefined when the queue has no rules and no player
 * avoids another.
 */
export function compileRules(
  { attributes = {}, rules = [], relaxBy = 'each' }: RulesDefinition,
  {
    nowMs,
    seats,
    seatsMin = seats,
    kinds,
    teams,
    teamSize,
    meetings = noMeetings,
    facetsFrom = 64,
  }: SearchMoment,
  hasAvoid: boolean,
): (() => Constraints) | undefined {
  if (rules.length === 0 && !hasAvoid) return undefined;
  return () =>
    new RuleStates({
      attributes,
      rules,
      relaxBy,
      nowMs,
      seats,
      seatsMin,
      kinds,
      teams,
      teamSize,
      meetings,
      facetsFrom,
    });
}
