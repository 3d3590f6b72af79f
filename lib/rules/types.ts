import type { Player } from '../vocabulary/game.ts';
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
  /** The allowed values. @default every text of up to 64 characters */
  readonly values?: readonly string[] | undefined;
}

/** A list of up to 50 different texts. */
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
  /** The players that this player met in matches of the queue, the latest first. Muster adds them to the ticket. */
  readonly met?: readonly Met[] | undefined;
}
