import * as z from 'zod';
import { type Ladder, RATING_MODELS } from '../ratings/ladder.ts';
import { expected } from '../vocabulary/expected.ts';
import { wholeIn } from './limit.ts';
import { type FieldProblem, parseJson, parseWith } from './problem.ts';
import { queueName, schemaKey } from './queue-definition.ts';

/** The maximum of placement matches. */
const PLACEMENT_MATCHES_MAX = 100;
/** The largest and the smallest number of a scale of ratings. Squares of smaller ones vanish, and DynamoDB takes none below 1e-130. */
export const SCALE_MAX = 1_000_000_000;
const SCALE_MIN = 1e-9;

const above0 = z.number().min(SCALE_MIN).max(SCALE_MAX);
const from0 = z
  .number()
  .min(0)
  .max(SCALE_MAX)
  .refine((value) => value <= 0 || value >= SCALE_MIN, {
    error: expected(`0 or a number from ${SCALE_MIN} on`),
  });

/** The defaults of a ladder. */
export const LADDER_DEFAULTS: Ladder = {
  model: 'plackett-luce',
  initial: { mean: 1_500, deviation: 350 },
  beta: 175,
  drift: { perGame: 3, perDay: 5 },
};

/** A ladder definition written by a studio. Unknown keys are errors. */
export const ladderDefinition = z
  .strictObject({
    $schema: schemaKey,
    name: queueName.meta({ description: 'The name of the ladder, by which queues name it' }),
    model: z
      .enum(RATING_MODELS)
      .default(LADDER_DEFAULTS.model)
      .meta({ description: 'The model of openskill that rates the matches' }),
    initial: z
      .strictObject({
        mean: from0.meta({ description: 'The expected skill' }),
        deviation: above0.meta({ description: 'Its standard deviation, above 0' }),
      })
      .default(LADDER_DEFAULTS.initial)
      .meta({ description: "The rating of a player without a match, in the studio's own scale" }),
    beta: above0.default(LADDER_DEFAULTS.beta).meta({
      description: "How much chance is in a team's result: the standard deviation of its performance",
    }),
    drift: z
      .strictObject({
        perGame: from0.meta({ description: 'Added with each match' }),
        perDay: from0.meta({ description: 'Added with each day without a match' }),
      })
      .default(LADDER_DEFAULTS.drift)
      .meta({ description: 'How much a skill changes by a match and in a day, as standard deviations' }),
    // Without a default, so that a stored definition and its ETag do not change.
    placementMatches: wholeIn(0, PLACEMENT_MATCHES_MAX).exactOptional().meta({
      description:
        'How many matches the placement of a new player takes. Reads of a rating say how many are left; they change neither matches nor ratings (default 0)',
    }),
  })
  .meta({ id: 'LadderDefinition' });
export type LadderDefinition = z.output<typeof ladderDefinition>;

/**
 * Reads one ladder definition.
 * @param text JSON
 * @param source the origin of the text, with which the error message begins
 * @throws Problem (400) that names every invalid field, or the position of malformed JSON
 */
export function parseLadderDefinition(text: string, source: string): LadderDefinition {
  return parseWith(ladderDefinition, parseJson(text, source), source);
}

/**
 * The fields of a queue's file that name a ladder without a file.
 * @param ladders the names of the ladders with a file
 */
export function ladderProblems(
  { ladder }: { readonly ladder?: string | undefined },
  ladders: readonly string[],
): FieldProblem[] {
  if (ladder === undefined || ladders.includes(ladder)) return [];
  const known = ladders.length === 0 ? 'none was given' : ladders.join(', ');
  const detail = `Expected the name of a ladder that has a file (${known}), got ${ladder}: add ladders/${ladder}.json`;
  return [{ pointer: '#/ladder', detail }];
}
