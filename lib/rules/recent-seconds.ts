import type { RulesDefinition } from './rule-types.ts';

/** The longest `seconds` of the queue's `recent` rules; 0 without such a rule. */
export function recentSeconds({ rules = [] }: RulesDefinition): number {
  return rules.reduce((most, rule) => (rule.type === 'recent' ? Math.max(most, rule.seconds) : most), 0);
}
