import type { Player } from '../engine/types.ts';
import type { Met } from './met.ts';

/** The attributes of players, by name. `skill` is a number attribute that every player has. */
export type Attributes = Readonly<Record<string, Attribute>>;

export type Attribute = NumberAttribute | StringAttribute | StringsAttribute;

interface SomeAttribute {
  /** Whether players of a match see the value. @default 'backend': they do not */
  readonly visibleTo?: 'backend' | 'match' | undefined;
}

export interface NumberAttribute extends SomeAttribute {
  readonly type: 'number';
  /** The value of a player without one. @default none: each player must have a value */
  readonly default?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export interface StringAttribute extends SomeAttribute {
  readonly type: 'string';
  readonly default?: string | undefined;
  /** The allowed values. @default every text of 1 to 64 characters */
  readonly values?: readonly string[] | undefined;
}

/** A list of 1 to 50 different texts. */
export interface StringsAttribute extends SomeAttribute {
  readonly type: 'strings';
  readonly default?: readonly string[] | undefined;
  readonly values?: readonly string[] | undefined;
}

export type AttributeValue = number | string | readonly string[];

/** A player with the values that rules use. */
export interface RuledPlayer extends Player {
  readonly attributes?: Readonly<Record<string, AttributeValue>> | undefined;
  /** Milliseconds to each region; missing regions are out of reach. */
  readonly latencyMs?: Readonly<Record<string, number>> | undefined;
  /** The ids of players that must not be in the same game. */
  readonly avoid?: readonly string[] | undefined;
  /** A bot has a skill but no attributes and no latencies, and rules do not count it. */
  readonly bot?: true | undefined;
  /** The players whom this player met in matches of the queue, the latest first. Muster adds them to the ticket. */
  readonly met?: readonly Met[] | undefined;
}

/** Whether a rule applies to the whole game or to each team. */
export type Scope = 'game' | 'team';

/** How a party counts in a `within` rule: each player, or one value for all. */
export type PartyValue = 'each' | 'mean' | 'least' | 'greatest';

export interface SameRule {
  readonly type: 'same';
  readonly attribute: string;
  readonly scope?: Scope | undefined;
}
export interface DifferentRule {
  readonly type: 'different';
  readonly attribute: string;
  readonly scope?: Scope | undefined;
}
export interface WithinRule {
  readonly type: 'within';
  readonly attribute: string;
  readonly max?: number | undefined;
  readonly party?: PartyValue | undefined;
  readonly scope?: Scope | undefined;
}
export interface CommonRule {
  readonly type: 'common';
  readonly attribute: string;
  /** @default 1 */
  readonly atLeast?: number | undefined;
  readonly scope?: Scope | undefined;
}
export interface CountRule {
  readonly type: 'count';
  readonly attribute: string;
  readonly value: string | number;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  readonly scope?: Scope | undefined;
  /** Counts only in the teams of this kind, each separately. */
  readonly team?: string | undefined;
}
export interface BalanceRule {
  readonly type: 'balance';
  readonly attribute: string;
  readonly max?: number | undefined;
}
export interface CompareRule {
  readonly type: 'compare';
  readonly left: Side;
  readonly right: Side;
  readonly op?: Op | undefined;
  /** Instead of `op`: the maximum difference. */
  readonly max?: number | undefined;
}
export interface LatencyRule {
  readonly type: 'latency';
  readonly max?: number | undefined;
}
export interface RecentRule {
  readonly type: 'recent';
  readonly seconds: number;
  /** @default 'game' */
  readonly scope?: 'game' | 'opponents' | 'teammates' | undefined;
}
export interface AnyOfRule {
  readonly type: 'anyOf';
  readonly rules: readonly InnerRule[];
}

/** An operand of `compare`: a number, or a measure of the players of the game or of the teams of a kind. */
export type Side = number | Measure;
export interface Measure {
  readonly of: 'mean' | 'sum' | 'least' | 'greatest' | 'count';
  readonly attribute: string;
  readonly team?: string | undefined;
}
export type Op = '<=' | '>=' | '=';

/** The rules that `anyOf` may combine. */
export type InnerRule =
  | SameRule
  | DifferentRule
  | WithinRule
  | CommonRule
  | CountRule
  | BalanceRule
  | CompareRule;

/** A rule without its name, cost and relaxation. */
export type RuleBody = InnerRule | LatencyRule | RecentRule | AnyOfRule;

export type Rule = RuleBody & {
  readonly name: string;
  /** The imbalance of each unit by which a game breaks the rule. A rule with a cost forbids nothing, unless it has a `max`. */
  readonly cost?: number | undefined;
  readonly relax?: readonly RelaxStep[] | undefined;
};

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
}

/** The age that relaxes a rule: each ticket's own, or that of the oldest ticket for all. */
export type RelaxBy = 'each' | 'oldest';

/** The part of a queue definition that its rules need. */
export interface RulesDefinition {
  readonly attributes?: Attributes | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** @default 'each' */
  readonly relaxBy?: RelaxBy | undefined;
}
