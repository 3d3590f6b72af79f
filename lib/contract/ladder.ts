import * as z from 'zod';
import { type Ladder, RATING_MODELS } from '../ratings/ladder.ts';
import { queueName } from './queue-definition.ts';

/** The largest number of a scale of ratings. */
const SCALE_MAX = 1_000_000_000;

const above0 = z.number().positive().max(SCALE_MAX);
const from0 = z.number().min(0).max(SCALE_MAX);

/** The values of a ladder whose file does not say. */
export const LADDER_DEFAULTS: Ladder = {
  model: 'plackett-luce',
  initial: { mean: 1_500, deviation: 350 },
  beta: 175,
  drift: { perGame: 3, perDay: 5 },
};

/** A ladder definition written by a studio. Unknown keys are errors. */
export const ladderDefinition = z
  .strictObject({
    name: queueName,
    model: z
      .enum(RATING_MODELS)
      .default(LADDER_DEFAULTS.model)
      .meta({ description: 'The model of openskill that rates the matches' }),
    initial: z
      .strictObject({ mean: from0, deviation: above0 })
      .default(LADDER_DEFAULTS.initial)
      .meta({ description: "The rating of a player without a match, in the studio's own scale" }),
    beta: above0.default(LADDER_DEFAULTS.beta).meta({
      description: "How much chance is in a team's result: the standard deviation of its performance",
    }),
    drift: z
      .strictObject({ perGame: from0, perDay: from0 })
      .default(LADDER_DEFAULTS.drift)
      .meta({ description: 'How much a skill changes by a match and in a day, as standard deviations' }),
  })
  .meta({ id: 'LadderDefinition' });
export type LadderDefinition = z.output<typeof ladderDefinition>;
