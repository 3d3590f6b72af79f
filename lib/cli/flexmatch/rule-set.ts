import * as z from 'zod';

/**
 * A FlexMatch rule set, as the public reference of GameLift describes it. Numbers may be written as text. Unknown
 * fields are kept, so that the import can name them.
 */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

const attribute = z.looseObject({
  name: z.string().min(1),
  type: z.enum(['string', 'number', 'string_list', 'string_number_map']),
  default: z.unknown().optional(),
});

const team = z.looseObject({
  name: z.string().min(1),
  maxPlayers: number,
  minPlayers: number,
  quantity: number.optional(),
});

const rule = z.looseObject({
  name: z.string().min(1),
  type: z.string(),
  description: z.string().optional(),
  measurements: texts.optional(),
  referenceValue: z.union([z.number(), z.string(), z.array(z.string())]).optional(),
  operation: z.string().optional(),
  maxDistance: number.optional(),
  minDistance: number.optional(),
  minCount: number.optional(),
  maxCount: number.optional(),
  maxLatency: number.optional(),
  batchAttribute: z.string().optional(),
  statement: z.string().optional(),
  partyAggregation: z.string().optional(),
});

const expansion = z.looseObject({
  target: z.string(),
  steps: z.array(z.looseObject({ waitTimeSeconds: number, value: number })).min(1),
});

export const flexMatchRuleSet = z.looseObject({
  name: z.string().optional(),
  ruleLanguageVersion: z.literal('1.0'),
  playerAttributes: z.array(attribute).optional(),
  algorithm: z.looseObject({ expansionAgeSelection: z.string().optional() }).optional(),
  teams: z.array(team).min(1),
  rules: z.array(rule).optional(),
  expansions: z.array(expansion).optional(),
});

export type FlexMatchRuleSet = z.output<typeof flexMatchRuleSet>;
export type FlexMatchRule = z.output<typeof rule>;
