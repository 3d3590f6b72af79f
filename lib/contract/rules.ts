import * as z from 'zod';
import { NUMBER_LIMITS } from '../rules/number-limits.ts';
import { expected } from './expectation.ts';

/** The limits of attributes and rules. */
export const RULE_LIMITS = {
  attributesMax: 20,
  valuesMax: 50,
  textMax: 64,
  regionsMax: 40,
  rulesMax: 30,
  stepsMax: 20,
  innerRulesMax: 10,
  avoidMax: 50,
} as const;

/** Names of attributes and regions. */
const fieldName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, {
  error: expected('1 to 64 of the characters A–Z a–z 0–9 _ . -, the first a letter'),
});
const ruleName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_. -]{0,63}$/, {
  error: expected('1 to 64 of the characters A–Z a–z 0–9 _ . - and space, the first a letter or digit'),
});

const value = z.number().min(-NUMBER_LIMITS.valueMax).max(NUMBER_LIMITS.valueMax);
const text = z.string().min(1).max(RULE_LIMITS.textMax);
const texts = z
  .array(text)
  .min(1)
  .max(RULE_LIMITS.valuesMax)
  .refine((values) => new Set(values).size === values.length, 'Expected each value once, got one twice');

const visibleTo = z.enum(['backend', 'match']).optional().meta({
  description:
    'Who reads the value: backend (default): backends and game servers alone; match: also the players of the ticket and of its match',
});

const attribute = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('number'),
    default: value.optional(),
    min: value.optional(),
    max: value.optional(),
    visibleTo,
  }),
  z.strictObject({
    type: z.literal('string'),
    default: text.optional(),
    values: texts.optional(),
    visibleTo,
  }),
  z.strictObject({
    type: z.literal('strings'),
    default: texts.optional(),
    values: texts.optional(),
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

const attributeName = fieldName.meta({ description: 'An attribute of this queue, or skill' });
const gameOrTeam = z
  .enum(['game', 'team'])
  .optional()
  .meta({ description: 'All players of a game, or those of each team (default game)' });
const limit = z.number().min(0).max(NUMBER_LIMITS.valueMax);
const wholeCount = z.number().int().min(0).max(200);
const atLeastOne = z.number().int().min(1).max(RULE_LIMITS.valuesMax);
const seconds = z.number().positive().max(604_800);

const side = z.union(
  [
    value,
    z.strictObject({
      of: z.enum(['mean', 'sum', 'least', 'greatest', 'count']),
      attribute: attributeName,
      team: z.string().optional().meta({ description: 'A kind of team (default: the whole game)' }),
    }),
  ],
  { error: expected('a number or an object with of and attribute') },
);

/** The keys of each type of rule, and those of them that its relaxation may change. */
const bodies = {
  same: {
    keys: { type: z.literal('same'), attribute: attributeName, scope: gameOrTeam },
    changes: {},
  },
  different: {
    keys: { type: z.literal('different'), attribute: attributeName, scope: gameOrTeam },
    changes: {},
  },
  within: {
    keys: {
      type: z.literal('within'),
      attribute: attributeName,
      max: limit.optional(),
      party: z.enum(['each', 'mean', 'least', 'greatest']).optional(),
      scope: gameOrTeam,
    },
    changes: { max: limit.optional() },
  },
  common: {
    keys: {
      type: z.literal('common'),
      attribute: attributeName,
      atLeast: atLeastOne.optional(),
      scope: gameOrTeam,
    },
    changes: { atLeast: atLeastOne.optional() },
  },
  count: {
    keys: {
      type: z.literal('count'),
      attribute: attributeName,
      value: z.union([text, value], { error: expected('text or a number') }),
      atLeast: wholeCount.optional(),
      atMost: wholeCount.optional(),
      scope: gameOrTeam,
      team: z.string().optional().meta({ description: 'Counts in the teams of this kind alone' }),
    },
    changes: { atLeast: wholeCount.optional(), atMost: wholeCount.optional() },
  },
  balance: {
    keys: { type: z.literal('balance'), attribute: attributeName, max: limit.optional() },
    changes: { max: limit.optional() },
  },
  compare: {
    keys: {
      type: z.literal('compare'),
      left: side,
      right: side,
      op: z.enum(['<=', '>=', '=']).optional(),
      max: limit.optional().meta({ description: 'In place of op: the greatest difference' }),
    },
    changes: { max: limit.optional(), left: value.optional(), right: value.optional() },
  },
  latency: {
    keys: {
      type: z.literal('latency'),
      max: limit.optional().meta({ description: 'Milliseconds of every player to the region of the match' }),
    },
    changes: { max: limit.optional() },
  },
  recent: {
    keys: {
      type: z.literal('recent'),
      seconds: seconds.meta({ description: 'How long players who met stay apart; at most a week' }),
      scope: z.enum(['game', 'opponents', 'teammates']).optional(),
    },
    changes: { seconds: z.number().min(0).max(604_800).optional() },
  },
} as const;

const inner = z.discriminatedUnion('type', [
  z.strictObject(bodies.same.keys),
  z.strictObject(bodies.different.keys),
  z.strictObject(bodies.within.keys),
  z.strictObject(bodies.common.keys),
  z.strictObject(bodies.count.keys),
  z.strictObject(bodies.balance.keys),
  z.strictObject(bodies.compare.keys),
]);

const cost = z.number().positive().max(NUMBER_LIMITS.weightMax).optional().meta({
  description:
    'Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max',
});

function named<K extends z.core.$ZodShape, C extends z.core.$ZodShape>({
  keys,
  changes,
}: {
  readonly keys: K;
  readonly changes: C;
}) {
  const step = z.strictObject({
    waitSeconds: z.number().positive().max(NUMBER_LIMITS.valueMax),
    off: z.literal(true).optional(),
    ...changes,
  });
  const relax = z
    .array(step)
    .min(1)
    .max(RULE_LIMITS.stepsMax)
    .optional()
    .meta({ description: 'What changes for a ticket that has waited this long, in ascending order' });
  return { name: ruleName, ...keys, relax };
}

const rule = z.discriminatedUnion('type', [
  z.strictObject({ ...named(bodies.same), cost }),
  z.strictObject({ ...named(bodies.different), cost }),
  z.strictObject({ ...named(bodies.within), cost }),
  z.strictObject({ ...named(bodies.common), cost }),
  z.strictObject({ ...named(bodies.count), cost }),
  z.strictObject({ ...named(bodies.balance), cost }),
  z.strictObject({ ...named(bodies.compare), cost }),
  z.strictObject({ ...named(bodies.latency), cost }),
  z.strictObject({ ...named(bodies.recent), cost }),
  z.strictObject({
    ...named({
      keys: {
        type: z.literal('anyOf'),
        rules: z.array(inner).min(2).max(RULE_LIMITS.innerRulesMax),
      },
      changes: {},
    }),
  }),
]);

/** Conditions that a game must meet, or that cost imbalance when it does not. */
export const rules = z.array(rule).min(1).max(RULE_LIMITS.rulesMax).meta({
  description:
    'Conditions that a match must meet, or that cost imbalance when it does not; see docs/rules.md',
});

/** The tickets whose age relaxes the rules. */
export const relaxBy = z.enum(['each', 'oldest']).meta({
  description:
    'The waits that relax rules. each (default): every ticket has the limits of its own age, and a match must meet all of them. oldest: the limits of the oldest ticket of a match apply to all',
});

/** The values of one player. */
export const playerAttributes = z
  .record(fieldName, z.union([value, text, texts], { error: expected('a number, text or a list of texts') }))
  .refine(hasAtMost(RULE_LIMITS.attributesMax), {
    error: expected(`at most ${RULE_LIMITS.attributesMax} attributes`),
  })
  .meta({ description: 'Values of the attributes of the queue' });

/** The latencies of one player. */
export const latencyMs = z
  .record(fieldName, z.number().min(0).max(100_000))
  .refine(hasAtMost(RULE_LIMITS.regionsMax), {
    error: expected(`at most ${RULE_LIMITS.regionsMax} regions`),
  })
  .meta({ description: 'Milliseconds to each region that the player can reach' });
