import * as z from 'zod';
import type { Schedule } from '../experiments/schedule.ts';
import { expected } from '../rules/expected.ts';
import { type FieldProblem, invalid, Problem, parseWith } from './problem.ts';
import { checkQueueDefinition, type QueueDefinition, queueDefinition } from './queue-definition.ts';

/**
 * What a variant may change: what only the search reads. Every ticket that waits then fits every variant, and no state of a
 * ticket or match depends on the variant that was in force when it was written.
 */
const CHANGEABLE = {
  imbalance: true,
  beta: true,
  release: true,
  rules: true,
  relaxBy: true,
  short: true,
} as const;

const VARIANTS_MAX = 4;
/** A tick takes up to a minute, and a block of a few ticks measures little but its burn-in. */
const BLOCK_MINUTES_MIN = 5;
const BLOCK_MINUTES_MAX = 24 * 60;
const DAYS_MAX = 90;

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
  error: expected('1 to 64 of the characters A–Z a–z 0–9 _ . -, the first a letter or digit'),
});

const variant = z.strictObject({
  name: name.meta({ description: 'Unique in the experiment' }),
  changes: z
    .strictObject(
      Object.fromEntries(Object.keys(CHANGEABLE).map((key) => [key, z.unknown().optional()])) as Record<
        keyof typeof CHANGEABLE,
        z.ZodOptional<z.ZodUnknown>
      >,
    )
    .meta({
      description:
        'Keys of the definition with the values they have in this variant; null removes a key. What no key names is as in the definition',
    }),
});

/** An experiment on a queue: blocks of time, in each of which the whole queue has one variant. */
export const experimentDefinition = z
  .strictObject({
    name,
    variants: z
      .array(variant)
      .min(2)
      .max(VARIANTS_MAX)
      .refine(
        (variants) => new Set(variants.map((one) => one.name)).size === variants.length,
        'Expected variants with distinct names, got two with the same name',
      )
      .meta({ description: 'The first is what the others are compared with' }),
    blockMinutes: z
      .number()
      .min(BLOCK_MINUTES_MIN)
      .max(BLOCK_MINUTES_MAX)
      .meta({ description: 'How long a variant is in force before the next is drawn' }),
    burnInMinutes: z
      .union([z.literal('auto'), z.number().min(0).max(BLOCK_MINUTES_MAX)], {
        error: expected('"auto" or a number of minutes'),
      })
      .optional()
      .meta({
        description:
          'For how long at the beginning and at the end of a block tickets are not counted, because they meet tickets of the block before, or are matched in the next one; "auto" (default): the time-out of the queue, at most a quarter of a block',
      }),
    days: z.number().positive().max(DAYS_MAX).meta({
      description:
        'How long it lasts: whole rounds of one block for each variant, as many as begin in this time',
    }),
  })
  .superRefine(({ blockMinutes, burnInMinutes, days, variants }, context) => {
    if (typeof burnInMinutes === 'number' && 2 * burnInMinutes >= blockMinutes)
      context.addIssue({
        code: 'custom',
        path: ['burnInMinutes'],
        message: `Expected less than half of blockMinutes (${blockMinutes}), got ${burnInMinutes}: no ticket would count`,
      });
    const roundMinutes = blockMinutes * variants.length;
    if (days * DAY_MINUTES < roundMinutes)
      context.addIssue({
        code: 'custom',
        path: ['days'],
        message: `Expected at least a round of one block for each variant (${roundMinutes} minutes), got ${days * DAY_MINUTES} minutes`,
      });
  })
  .meta({ id: 'ExperimentDefinition' });
export type ExperimentDefinition = z.output<typeof experimentDefinition>;

const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/**
 * Reads an experiment on a queue and makes the definition of each variant.
 *
 * @param source the origin of the value, with which the error message begins
 * @returns the experiment, and the definitions in the order of its variants
 * @throws Problem (400) that names every invalid field: also when a variant is no valid definition of a queue, or two variants
 *   are the same
 */
export function checkExperiment(
  value: unknown,
  queue: QueueDefinition,
  source: string,
): { readonly experiment: ExperimentDefinition; readonly definitions: readonly QueueDefinition[] } {
  const experiment = parseWith(experimentDefinition, value, source);
  const problems: FieldProblem[] = [];
  const definitions = experiment.variants.map(({ changes }, at) => {
    try {
      return variantOf(queue, changes);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push(...inChanges(error, at));
      return queue;
    }
  });
  if (problems.length > 0) throw invalid(source, problems);
  const texts = definitions.map((definition) => JSON.stringify(definition));
  texts.forEach((text, at) => {
    const same = texts.indexOf(text);
    if (same < at)
      problems.push({
        pointer: `#/variants/${at}/changes`,
        detail: `Expected a variant that differs from the others, got the same definition as that of "${experiment.variants[same]!.name}"`,
      });
  });
  if (problems.length > 0) throw invalid(source, problems);
  return { experiment, definitions };
}

/** When which variant of an experiment is in force. */
export function scheduleOf(
  { blockMinutes, burnInMinutes = 'auto', days, variants }: ExperimentDefinition,
  { timeoutSeconds }: Pick<QueueDefinition, 'timeoutSeconds'>,
  { seed, startMs }: Pick<Schedule, 'seed' | 'startMs'>,
): Schedule {
  const burnIn = burnInMinutes === 'auto' ? Math.min(blockMinutes / 4, timeoutSeconds / 60) : burnInMinutes;
  return {
    seed,
    startMs,
    blockMs: blockMinutes * MINUTE_MS,
    burnInMs: burnIn * MINUTE_MS,
    variants: variants.length,
    rounds: Math.floor((days * DAY_MINUTES) / (blockMinutes * variants.length)),
  };
}

/** @throws Problem (400) */
function variantOf(
  queue: QueueDefinition,
  changes: ExperimentDefinition['variants'][number]['changes'],
): QueueDefinition {
  const merged: Record<string, unknown> = { ...queue, ...changes };
  for (const [key, value] of Object.entries(merged)) if (value === null) delete merged[key];
  // Parsed values have their keys in the order of the schema, so that equal definitions are equal as texts.
  return queueDefinition.parse(checkQueueDefinition(merged, 'a variant'));
}

/** What is wrong with a variant, at the place of its changes; what they do not name is a contradiction with them. */
function inChanges(problem: Problem, at: number): FieldProblem[] {
  return problem.errors.map(({ pointer, detail }) => ({
    pointer: `#/variants/${at}/changes${pointer.slice(1)}`,
    detail,
  }));
}
