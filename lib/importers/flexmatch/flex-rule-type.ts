import type { Conversion } from '../relaxation.ts';
import type { FlexMatchRule } from './rule-set.ts';
import type { Source } from './source.ts';

/** Rules of the queue that together stand for one of the source. */
export interface Converted extends Conversion {
  /** The property whose expansions change nothing, where the source forbids nothing. */
  readonly free?: string | undefined;
  /** The difference where the rule is a part of another one, or expands. */
  readonly differsInPart?: string;
}

/** A type of rule of FlexMatch: the counterpart of a rule, or the reason why there is none. */
export type FlexRuleType = (rule: FlexMatchRule, source: Source) => Converted | string;
