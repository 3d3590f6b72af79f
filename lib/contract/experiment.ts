import * as z from 'zod';
import type { Schedule } from '../experiments/schedule.ts';
import { recentSeconds } from '../rules/moments.ts';
import { expected } from '../vocabulary/expected.ts';
import { type FieldProblem, invalid, Problem, parseWith } from './problem.ts';
import {
  checkQueueDefinition,
  type QueueDefinition,
  queueDefinition,
  schemaKey,
} from './queue-definition.ts';

/**
 * The fields that a variant may change: those that only the search reads. So every waiting ticket fits every variant, and no
 * state of a ticket or match depends on the variant in force when it was written.
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
/** The minimum length of a block. A tick takes up to a minute, so a shorter block would contain little more than its burn-in. */
const BLOCK_MINUTES_MIN = 5;
const BLOCK_MINUTES_MAX = 24 * 60;
const DAYS_MAX = 90;
/**
 * The maximum of blocks. The results need an item read for each block, and the intervals of all measures 4,096 draws of all
 * rounds: 22 requests and about a second of CPU time.
 */
export const BLOCKS_MAX = 2_200;

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
      description: `Keys of the definition with the values they have in this variant, of ${Object.keys(CHANGEABLE).join(', ')}; null removes a key. Other keys are those of the definition`,
    }),
});

/** An experiment on a queue: blocks of time, in each of which the whole queue has one variant. */
export const experimentDefinition = z
  .strictObject({
    $schema: schemaKey,
    name: name.meta({ description: 'The name of the experiment' }),
    variants: z
      .array(variant)
      .min(2)
      .max(VARIANTS_MAX)
      .refine(
        (variants) => new Set(variants.map((one) => one.name)).size === variants.length,
        'Expected variants with distinct names, got two with the same name',
      )
      .meta({ description: 'The variants; the others are compared with the first' }),
    blockMinutes: z
      .number()
      .min(BLOCK_MINUTES_MIN)
      .max(BLOCK_MINUTES_MAX)
      .meta({ description: 'How long a variant is in force before the next is drawn, in minutes' }),
    burnInMinutes: z
      .union([z.literal('auto'), z.number().min(0).max(BLOCK_MINUTES_MAX)], {
        error: expected('"auto" or a number of minutes'),
      })
      .optional()
      .meta({
        description:
          'For how many minutes at the beginning and at the end of a block tickets are not counted, because they meet tickets of the block before, or are matched in the next one; less than half of a block. "auto": the time-out of the queue, at most a quarter of a block (default "auto")',
      }),
    days: z
      .number()
      .positive()
      .max(DAYS_MAX)
      .meta({
        description: `How many days it lasts: whole rounds of one block for each variant, as many as begin in this time; at most ${BLOCKS_MAX} blocks`,
      }),
    stop: z
      .strictObject({
        waitP99Seconds: z.number().positive().max(86_400).meta({
          description:
            'The longest wait in seconds that 99 of 100 players of a block may have; of fewer than 100 players the longest of all',
        }),
      })
      .optional()
      .meta({
        description:
          'Ends the experiment on a running queue when a block of a variant exceeds this. Variants without changes are exempt, because their definition is in force after the end',
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
    const blocks = roundsOf({ blockMinutes, days }, variants.length) * variants.length;
    if (blocks > BLOCKS_MAX)
      context.addIssue({
        code: 'custom',
        path: ['days'],
        message: `Expected at most ${BLOCKS_MAX} blocks, got ${blocks}: set fewer days or longer blocks`,
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
 * @throws Problem (400) that names every invalid field, including variants that are no valid definition of a queue, or two variants
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
      const definition = variantOf(queue, changes);
      problems.push(...demands(queue, definition, at));
      return definition;
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

/** The schedule of an experiment's variants. */
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
    rounds: roundsOf({ blockMinutes, days }, variants.length),
  };
}

function roundsOf({ blockMinutes, days }: { blockMinutes: number; days: number }, variants: number): number {
  return Math.floor((days * DAY_MINUTES) / (blockMinutes * variants));
}

/**
 * The data that a variant requires of tickets and the queue's own definition does not. A ticket waits under several variants, so
 * all of them have to work with its data.
 */
function demands(queue: QueueDefinition, variant: QueueDefinition, at: number): FieldProblem[] {
  const pointer = `#/variants/${at}/changes/rules`;
  const hasLatency = ({ rules = [] }: QueueDefinition) => rules.some(({ type }) => type === 'latency');
  const problems: FieldProblem[] = [];
  if (hasLatency(variant) && !hasLatency(queue))
    problems.push({
      pointer,
      detail:
        'Expected no rule of type latency, because the queue has none and its waiting tickets have no latencies, got one: add the rule to the definition of the queue first',
    });
  const [own, wanted] = [recentSeconds(queue), recentSeconds(variant)];
  if (own !== wanted)
    problems.push({
      pointer,
      detail: `Expected rules of type recent with the longest \`seconds\` of the queue (${own === 0 ? 'it has no such rule' : own}), because meetings are kept for that long and read when a ticket is posted, got ${wanted === 0 ? 'no such rule' : wanted}`,
    });
  return problems;
}

/**
 * The definition of a variant.
 * @throws Problem (400) when it is none
 */
export function variantOf(
  queue: QueueDefinition,
  changes: ExperimentDefinition['variants'][number]['changes'],
): QueueDefinition {
  const merged: Record<string, unknown> = { ...queue, ...changes };
  for (const [key, value] of Object.entries(merged)) if (value === null) delete merged[key];
  // Parsed values have their keys in the order of the schema, so that equal definitions are equal as texts.
  return queueDefinition.parse(checkQueueDefinition(merged, 'a variant'));
}

/**
 * The faults of a variant, at the positions of its changes. A fault elsewhere contradicts the changes, so it is reported there.
 */
function inChanges(problem: Problem, at: number): FieldProblem[] {
  return problem.errors.map(({ pointer, detail }) => ({
    pointer: `#/variants/${at}/changes${pointer.slice(1)}`,
    detail,
  }));
}
