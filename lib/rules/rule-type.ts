import type * as z from 'zod';
import type { CustomOptions } from './custom/types.ts';
import type { Meetings } from './met.ts';
import type { Attribute, Attributes, RuledPlayer } from './types.ts';

/**
 * A type of rule: all that Muster knows about it. Each has a module in `by-type`, and `rule-types.ts` lists them. A cost never
 * lowers the imbalance, and a rule only removes games, so lower bounds stay valid whatever the type.
 */
export interface RuleType<R> {
  /** The schemas of its keys, and of those of them that a relaxation may change. */
  readonly keys: z.core.$ZodShape;
  readonly changes: z.core.$ZodShape;
  /**
   * Whether a rule of this type can cost imbalance. It may then forbid as well: with `max`, where that is a limit of the cost's units,
   * or always.
   */
  readonly cost: 'none' | 'instead' | 'beside max' | 'beside';
  /** What the rule means for a whole game. It is simple and slow; searches use the states, and call this at the end. */
  evaluate(rule: R, game: RuledGame, context: RuleContext): Verdict;
  /** The types that its key `attribute` may name; omitted when it has no such key. */
  readonly reads?: readonly Attribute['type'][];
  /** Contradictions of a definition, besides those of `attribute`, `scope` and `team`. @default none */
  faults?(
    rule: R,
    cost: number | undefined,
    attributes: Attributes,
    surroundings: RulesSurroundings,
  ): RuleFault[];
  /** Why the rule holds in every game, and costs nothing in any; undefined when it may have an effect. @default undefined */
  idle?(
    rule: R,
    cost: number | undefined,
    attributes: Attributes,
    surroundings: RulesSurroundings,
  ): RuleFault | undefined;
  /** Why a rule that forbids, and that is never off, forbids every game. @default it does not */
  impossible?(rule: R & Named, attributes: Attributes, surroundings: RulesSurroundings): RuleFault[];
  /** The direction in which a relaxation may change a key: 1 up, −1 down, 0 not at all. @default `max` and `atMost` up, others down */
  looser?(rule: R, key: keyof RelaxStep): 1 | -1 | 0;
  /** The attributes that the rule reads. @default that of its key `attribute` */
  attributes?(rule: R): readonly string[];
  /** Whether the rule depends on the division into teams. @default when it has the scope of a team, or names one */
  dependsOnTeams?(rule: R): boolean;
  /** Whether complete teams can violate the rule whoever plays on the others. @default when it depends on teams */
  judgesTeamsAlone?(rule: R): boolean;
  /** Whether nothing but the numbers of players in the teams counts. @default false */
  isOfSizes?(rule: R): boolean;
  /** Whether only a whole game determines if the rule holds, or what it costs. @default when it depends on teams */
  isFinal?(rule: R & Named): boolean;
  /** A rule of each team, or of the teams of a kind, as one over the players of a team. @default by its `scope` and `team` */
  betweenMates?(rule: R, kind?: string): R | undefined;
  /** The states with which a search turns back early, and the rule that each of them judges. */
  states(rule: R & Named, teams: TeamsOfQueue): readonly Stated<R>[];
  /** No game of these players has more units of the rule than this. */
  unitsMax(rule: R, players: readonly RuledPlayer[], seats: number, attributes: Attributes): number;
}

/** What a rule has besides its body. */
export interface Named extends Relaxing {
  readonly name: string;
  /** The imbalance of each unit by which a game breaks the rule. A rule with a cost forbids nothing, unless it has a `max`. */
  readonly cost?: number | undefined;
}

export interface Relaxing {
  readonly relax?: readonly RelaxStep[] | undefined;
}

/** The changes for a ticket that has waited this long. */
export interface RelaxStep {
  readonly waitSeconds: number;
  readonly off?: true | undefined;
  readonly max?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  readonly seconds?: number | undefined;
  readonly left?: number | undefined;
  readonly right?: number | undefined;
  readonly options?: CustomOptions | undefined;
}

/** The kinds of search state, one for each group in `states`. */
export type StateKind =
  | 'sets'
  | 'ranges'
  | 'pairs'
  | 'values'
  | 'team-values'
  | 'comparisons'
  | 'acceptance'
  | 'custom'
  | 'alternatives';

/** A rule that a state judges: the rule itself, or what it means for the whole game. */
export interface Stated<R> {
  readonly by: StateKind;
  readonly rule: R & Named;
}

/** The teams of a queue as far as searches know them. */
export interface TeamsOfQueue {
  /** The number of teams; undefined where rules of teams are only judged. */
  readonly teams?: number | undefined;
  /** The kind of each team of a game, by name; undefined when the queue names none. */
  readonly kinds?: readonly string[] | undefined;
}

/** The part of a ticket that rules use. */
export interface RuledTicket {
  readonly ticketId: string;
  readonly players: readonly RuledPlayer[];
  /** Milliseconds since the epoch. @default now */
  readonly enqueuedAtMs?: number | undefined;
}

/** A whole game. */
export interface RuledGame {
  /** The tickets of each team, in the order of the queue's teams; of a divided party those of its players who play there. */
  readonly teams: readonly (readonly RuledTicket[])[];
  /** The tickets of the game, each once and whole. @default those of the teams */
  readonly tickets?: readonly RuledTicket[] | undefined;
  /** The kind of each team, by name; absent when the queue names none. */
  readonly kinds?: readonly string[] | undefined;
}

/** The data that evaluation needs besides the game. */
export interface RuleContext {
  readonly attributes: Attributes;
  readonly nowMs: number;
  readonly meetings: Meetings;
  /** Calls the studio's functions. @default none: a custom rule holds */
  readonly calls?: { evaluate(rule: object, game: RuledGame): Verdict } | undefined;
}

/** The result of a rule for a game. */
export interface Verdict {
  readonly holds: boolean;
  /** The units by which the game breaks the rule, which a cost multiplies; 0 when it does not. With `scope: "team"` the sum over the teams. */
  readonly units: number;
  /** How far the game is from holding, where more exchanges of players lower that than `units`. @default `units` */
  readonly lacking?: number;
  /** The values that all players share, for `common` over the game. */
  readonly values?: readonly string[];
  /** Whether it may be another one in other teams of the same players. @default whether the rule depends on teams */
  readonly isOfTeams?: boolean;
  /** Why a custom rule forbids the game. */
  readonly reason?: string;
  /** The region of the game, for `latency`. */
  readonly region?: string;
}

/** A fault of a definition, and its position. */
export interface RuleFault {
  readonly path: readonly (string | number)[];
  /** What was expected, what was found, and what to do. */
  readonly message: string;
}

/** The other fields of a definition that rules depend on. */
export interface RulesSurroundings {
  /** No ticket waits longer than this. @default a ticket may wait for any time */
  readonly timeoutSeconds?: number | undefined;
  /** The names of the kinds of team; undefined when the queue names none. */
  readonly teamKinds?: readonly string[] | undefined;
  /** The players of a team by kind; undefined when the queue names none. */
  readonly teamSizes?: Readonly<Record<string, number>> | undefined;
  /** The number of teams; undefined when the definition does not determine it. */
  readonly teams?: number | undefined;
  /** The players of the largest team; undefined when the definition does not determine it. */
  readonly teamSize?: number | undefined;
  /** The number of players in a game; undefined when the definition does not determine it. */
  readonly seats?: number | undefined;
  /** The fewest players with which a game may start. @default seats */
  readonly seatsMin?: number | undefined;
}
