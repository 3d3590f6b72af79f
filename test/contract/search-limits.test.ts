import { expect, it } from 'vitest';
import { LIMITS } from '../../lib/contract/queue-definition.ts';
import { rules } from '../../lib/contract/rules.ts';
import { RULE_LIMITS } from '../../lib/rules/fields.ts';
import { levelsOf } from '../../lib/rules/levels.ts';

/** What the search keeps in a byte: the level of a ticket under a rule, the players of a party, values that are needed. */
const BYTE_MAX = 255;
/** What it keeps as bits of a number with a sign. */
const BITS_MAX = 31;

it('the contract permits no more levels of a rule than a byte holds', () => {
  const { stepsMax, innerRulesMax } = RULE_LIMITS;
  const steps = (from: number) =>
    Array.from({ length: stepsMax }, (_, i) => ({ waitSeconds: from + i + 1, max: from + i + 1 }));
  const inner = Array.from({ length: innerRulesMax }, (_, i) => ({
    type: 'within',
    attribute: 'level',
    max: 0,
    relax: steps(i * stepsMax),
  }));
  const off = [{ waitSeconds: 10_000, off: true }];
  const [rule] = rules.parse([{ name: 'any', type: 'anyOf', rules: inner, relax: off }]);
  expect(levelsOf(rule!)).toHaveLength(stepsMax * innerRulesMax + 2);
  expect(levelsOf(rule!).length - 1).toBeLessThanOrEqual(BYTE_MAX);
});

it('the contract permits no more seats, values and alternatives than the search has room for', () => {
  expect(LIMITS.seatsMax).toBeLessThanOrEqual(BYTE_MAX);
  expect(RULE_LIMITS.valuesMax).toBeLessThanOrEqual(BYTE_MAX);
  expect(RULE_LIMITS.innerRulesMax).toBeLessThanOrEqual(BITS_MAX);
  expect(LIMITS.teamKindsMax).toBeLessThan(BITS_MAX);
});
