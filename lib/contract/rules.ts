import * as z from 'zod';
import { fieldName, RULE_LIMITS, relaxOf, text, value } from '../rules/fields.ts';
import { RULE_TYPES, type Rule } from '../rules/rule-types.ts';
import { eachOnce, expected } from '../vocabulary/expected.ts';
import { NUMBER_LIMITS } from '../vocabulary/number-limits.ts';

const ruleName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_. -]{0,63}$/, {
  error: expected('1 to 64 of the characters A–Z a–z 0–9 _ . - and space, the first a letter or digit'),
});

const texts = z.array(text).max(RULE_LIMITS.valuesMax).superRefine(eachOnce('value'));

const visibleTo = z.enum(['backend', 'match']).optional().meta({
  description:
    'Who reads the value: backend: backends and game servers alone; match: also the players of the ticket and of its match (default backend)',
});

const valueDefault = <T extends z.ZodType>(type: T) =>
  type.optional().meta({
    description: 'The value of a player who has none (default none: the ticket is rejected)',
  });
const values = texts
  .min(1)
  .optional()
  .meta({ description: 'The values that a player may have (default any)' });

const attribute = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('number'),
    default: valueDefault(value),
    min: value.optional().meta({ description: 'The least value (default no limit)' }),
    max: value.optional().meta({ description: 'The greatest value (default no limit)' }),
    visibleTo,
  }),
  z.strictObject({
    type: z.literal('string'),
    default: valueDefault(text),
    values,
    visibleTo,
  }),
  z.strictObject({
    type: z.literal('strings'),
    default: valueDefault(texts),
    values,
    visibleTo,
  }),
]);

const hasAtMost = (most: number) => (record: object) => Object.keys(record).length <= most;

/** The attributes that players of the queue may or must have. */
export const attributes = z
  .record(fieldName, attribute)
  .refine(hasAtMost(RULE_LIMITS.attributesMax), {
    error: expected(`at most ${RULE_LIMITS.attributesMax} attributes`),
  })
  .meta({
    description:
      'Attributes of players by name. A player without a value has the default; without a default its ticket is rejected',
  });

const cost = z.number().positive().max(NUMBER_LIMITS.weightMax).optional().meta({
  description:
    'Imbalance of each unit by which a match breaks the rule. A rule with a cost forbids nothing, unless it has a max too (default none)',
});

const rule = z.discriminatedUnion(
  'type',
  Object.values(RULE_TYPES).map((type) =>
    z.strictObject({
      name: ruleName.meta({ description: 'Unique in the list; reasons and statistics show it' }),
      ...type.keys,
      relax: relaxOf(type.changes),
      ...(type.cost !== 'none' && { cost }),
    }),
  ) as unknown as readonly [z.ZodObject],
) as unknown as z.ZodType<Rule>;

/** Conditions that a game must meet, or that cost imbalance when it does not. */
export const rules = z.array(rule).min(1).max(RULE_LIMITS.rulesMax).meta({
  description: 'Conditions that a match must meet, or that cost imbalance when it does not',
});

/** The tickets whose age relaxes the rules. */
export const relaxBy = z.enum(['each', 'oldest']).meta({
  description:
    'The waits that relax rules. each: every ticket has the limits of its own age, and a match must meet all of them. oldest: the limits of the oldest ticket of a match apply to all (default each)',
});

/** The values of one player. */
export const playerAttributes = z
  .record(fieldName, z.union([value, text, texts], { error: expected('a number, text or a list of texts') }))
  .refine(hasAtMost(RULE_LIMITS.attributesMax), {
    error: expected(`at most ${RULE_LIMITS.attributesMax} attributes`),
  })
  .meta({ description: 'Values of the attributes of the queue' });

/** The error of a value that is no latency, such as that of a ping which failed. */
const latency = (issue: { readonly input?: unknown }) =>
  `${expected(`milliseconds from 0 to ${RULE_LIMITS.latencyMsMax}`)(issue)}: omit a region that was not measured`;
/** The latencies of one player. */
export const latencyMs = z
  .record(
    fieldName,
    z.number({ error: latency }).min(0, { error: latency }).max(RULE_LIMITS.latencyMsMax, { error: latency }),
  )
  .refine(hasAtMost(RULE_LIMITS.regionsMax), {
    error: expected(`at most ${RULE_LIMITS.regionsMax} regions`),
  })
  .meta({
    description:
      'Milliseconds to each region that the player can reach. Omit a region that was not measured: 0 is the best latency',
  });
