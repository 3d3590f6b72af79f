import * as z from 'zod';
import { parseWith } from '../../contract/problem.ts';
import { expected } from '../../vocabulary/expected.ts';
import { distinct, inOrder, refuseLists } from '../importer.ts';
import { reading } from '../reading.ts';

/** A number, which may be written as text. */
export const number = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/)
      .transform(Number),
  ],
  { error: expected('a number') },
);
const numberFrom = (least: number) =>
  number.refine((value) => value >= least, { error: expected(`a number from ${least} up`) });
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

/** An attribute, whose default is a value of its type. */
const attributeOf = <T extends string, D extends z.ZodType>(type: T, value: D) =>
  z.object({ name: z.string().min(1), type: z.literal(type), default: value.optional() });
const attribute = z.discriminatedUnion('type', [
  attributeOf('string', z.string()),
  attributeOf('number', number),
  attributeOf('string_list', z.array(z.string())),
  attributeOf('string_number_map', z.record(z.string(), number)),
]);

const team = z
  .looseObject({
    name: z.string().min(1),
    maxPlayers: number,
    minPlayers: number,
    quantity: numberFrom(1).optional(),
  })
  .superRefine(inOrder('minPlayers', 'maxPlayers'));

const rule = z.object({
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
  distanceReference: z.unknown().optional(),
  sortDirection: z.string().optional(),
  sortAttribute: z.string().optional(),
  mapKey: z.string().optional(),
  statement: z.string().optional(),
  partyAggregation: z.string().optional(),
});

const step = z.object({
  waitTimeSeconds: numberFrom(0),
  value: number,
});

const expansion = z.object({
  target: z.string(),
  steps: distinct(step, 'waitTimeSeconds').min(1),
});

/** A FlexMatch rule set, as the public reference of GameLift describes it. */
export const flexMatchRuleSet = z.object({
  name: z.string().optional(),
  ruleLanguageVersion: z.literal('1.0'),
  playerAttributes: distinct(attribute, 'name').optional(),
  algorithm: z
    .object({
      strategy: z.unknown(),
      batchingPreference: z.unknown(),
      balancedAttribute: z.unknown(),
      sortByAttributes: z.unknown(),
      expansionAgeSelection: z.unknown(),
      backfillPriority: z.unknown(),
    })
    .partial()
    .optional(),
  teams: distinct(team, 'name').min(1),
  rules: distinct(rule, 'name').optional(),
  expansions: distinct(expansion, 'target').optional(),
});

export type FlexMatchRuleSet = z.output<typeof flexMatchRuleSet>;
export type FlexMatchRule = z.output<typeof rule>;

/** @throws Problem */
export function readRuleSet(json: unknown, path: string): FlexMatchRuleSet {
  refuseLists(json, path, 'one rule set', ['rulesets']);
  return reading(json, parseWith(flexMatchRuleSet, json, path));
}
