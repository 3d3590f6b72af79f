import * as z from 'zod';
import { expected } from '../../vocabulary/expected.ts';
import { fieldName, RULE_LIMITS, text, value } from '../fields.ts';
import type { RuleType } from '../rule-type.ts';

/** The most units of a custom cost. Searches count on it. */
export const CUSTOM_UNITS_MAX = 10_000;

const option = z.union(
  [value, text, z.boolean(), z.array(z.union([value, text])).max(RULE_LIMITS.valuesMax)],
  {
    error: expected('a number, text, true, false or a list of numbers and texts'),
  },
);
const options = z
  .record(fieldName, option)
  .refine((all) => Object.keys(all).length <= RULE_LIMITS.optionsMax, {
    error: expected(`at most ${RULE_LIMITS.optionsMax} options`),
  })
  .optional()
  .meta({ description: 'What the function receives beside the match (default {})' });

const keys = {
  type: z.literal('custom'),
  function: z
    .string()
    .regex(/^[A-Za-z_$][\w$]{0,63}$/, { error: expected('the name of a function, of at most 64 characters') })
    .meta({ description: 'A function that the deployed code exports by this name' }),
  options,
};
export type CustomRuleBody = z.output<z.ZodObject<typeof keys>>;

/**
 * The studio's function returns true. With a cost it returns the units. A function that fails refuses the game, a cost too. Where
 * games are not searched, as when a ticket is posted, there are no functions, and the rule says nothing.
 */
export const custom: RuleType<CustomRuleBody> = {
  keys,
  changes: { options },
  // A cost that fails forbids its game.
  cost: 'beside',
  evaluate: (rule, game, { calls }) => calls?.evaluate(rule, game) ?? { holds: true, units: 0 },
  looser: () => 1,
  // What a function reads is not known, so players do not see its results.
  attributes: () => ['*'],
  dependsOnTeams: () => true,
  judgesTeamsAlone: () => false,
  isFinal: () => true,
  states: (rule) => [{ by: 'custom', rule }],
  unitsMax: () => CUSTOM_UNITS_MAX,
};
