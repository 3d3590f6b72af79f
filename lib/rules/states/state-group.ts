import type { Constraints } from '../../engine/types.ts';
import type { RuledTicket } from '../rule-type.ts';
import type { Rule } from '../rule-types.ts';

/** A waiting ticket with its level of relaxation in each rule of the queue. */
export interface EnteredTicket extends RuledTicket {
  /** By the rule's index: the level that searches use. */
  readonly levels: ArrayLike<number>;
}

/** A rule with its index among the rules of the queue. */
export interface IndexedRule<R extends Rule = Rule> {
  readonly rule: R;
  readonly index: number;
}

/**
 * Rules of one kind of incremental state. Tickets join one by one and leave in reverse order. A rule that the joined
 * tickets violate is also violated by every larger set. All numbers are those of `RuleStates`.
 */
export interface StateGroup
  extends Pick<Constraints, 'admits' | 'join' | 'leave' | 'hasCosts' | 'cost' | 'costWith'> {
  /** Starts without joined tickets. */
  start(): void;
}

/** The players of a game. */
export interface Seats {
  readonly fewest: number;
  readonly most: number;
}
