import type { Conversion } from '../relaxation.ts';
import type { FlexMatchRule } from './rule-set.ts';
import type { Source } from './source.ts';

/** Rules of the queue that together stand for one of the source. */
export interface Converted extends Conversion {
  /** The property whose expansions change nothing, where the source forbids nothing. */
  readonly free?: string | undefined;
}

/** A type of rule of FlexMatch: the counterpart of a rule, or the reason why there is none. */
export type FlexRuleType = (rule: FlexMatchRule, source: Source) => Converted | string;

/** AWS says that partyAggregation does not change what is compared; see docs/from-flexmatch.md. */
export const PARTY_NOTE = 'each player of a party counts, whatever partyAggregation says';
