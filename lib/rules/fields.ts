import * as z from 'zod';
import { expected } from '../vocabulary/expected.ts';
import { NUMBER_LIMITS } from '../vocabulary/number-limits.ts';

/** The limits of attributes and rules. */
export const RULE_LIMITS = {
  attributesMax: 20,
  valuesMax: 50,
  textMax: 64,
  regionsMax: 40,
  latencyMsMax: 100_000,
  rulesMax: 30,
  stepsMax: 20,
  innerRulesMax: 10,
  avoidMax: 100,
  optionsMax: 20,
} as const;

/** Names of attributes and regions. */
export const fieldName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, {
  error: expected('1 to 64 of the characters A–Z a–z 0–9 _ . -, the first a letter'),
});

/** A number that may be negative. */
export const value = z.number().min(-NUMBER_LIMITS.valueMax).max(NUMBER_LIMITS.valueMax);
/** The greatest permitted difference. */
export const limit = z.number().min(0).max(NUMBER_LIMITS.valueMax);
export const text = z.string().max(RULE_LIMITS.textMax);
/** The limit of a rule that forbids beyond it. */
export const greatestDifference = limit
  .optional()
  .meta({ description: 'The greatest difference; absent with a cost alone' });
/** A number of values that lists share. */
export const sharedAtLeast = z
  .number()
  .int()
  .min(1)
  .max(RULE_LIMITS.valuesMax)
  .optional()
  .meta({ description: 'How many values (default 1)' });
/** A number of players. */
export const wholeCount = z.number().int().min(0).max(200);
export const attributeName = fieldName.meta({ description: 'An attribute of this queue, or skill' });
export const gameOrTeam = z
  .enum(['game', 'team'])
  .optional()
  .meta({ description: 'game: all players of a match together; team: those of each team (default game)' });
/** A kind of team, instead of a scope. */
export const oneKind = z.string().optional().meta({
  description: 'Only the teams of this kind, each separately; instead of scope (default all players)',
});

/** The steps of a relaxation that may change these keys. */
export function relaxOf(changes: z.core.$ZodShape) {
  const step = z.strictObject({
    waitSeconds: z
      .number()
      .positive()
      .max(NUMBER_LIMITS.valueMax)
      .meta({ description: 'From this wait of a ticket on; ascending' }),
    off: z.literal(true).optional().meta({ description: 'From then on the rule does not hold' }),
    ...changes,
  });
  return z.array(step).min(1).max(RULE_LIMITS.stepsMax).optional().meta({
    description: 'Looser limits for tickets that have waited; a limit never tightens (default none)',
  });
}
