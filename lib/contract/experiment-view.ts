import * as z from 'zod';
import { experimentDefinition } from './experiment.ts';

/** The maximum of listed blocks. */
export const BLOCKS_LISTED = 100;

const mean = z.number().nullable();

export const experimentState = z.enum(['running', 'ended', 'stopped']).meta({
  description:
    '`running`: it has begun, or begins within two minutes. `ended`: after its last block, or by a request. `stopped`: by its `stop`, or because the queue has changed',
});

/** The effect of a variant on one measure. */
const effect = z
  .object({
    control: z.number().meta({ description: 'The mean over the players of the first variant' }),
    variant: z.number().meta({ description: 'The mean over the players of this variant' }),
    difference: z.number().meta({ description: '`variant` − `control`' }),
    low: mean.meta({
      description:
        'The lower end of the 95 % interval of the difference; null while there are too few rounds',
    }),
    high: mean.meta({ description: 'The upper end' }),
    pValue: z.number().meta({
      description: 'How likely a difference this far from 0 is when the variants differ in nothing',
    }),
    rounds: z.number().int().meta({ description: 'The rounds in which both variants have players' }),
    moreDaysToSee5Percent: mean.meta({
      description:
        'The number of further days after which a difference of 5 % is detected with a probability of 80 %; null without an interval',
    }),
    verdict: z.enum(['real', 'unclear', 'tooFewRounds']).meta({
      description:
        '`real`: 0 is outside the interval, and the experiment has run to its end. `unclear`: it is inside, or there are blocks to come, or it ended early. `tooFewRounds`: there is no interval yet',
    }),
    text: z.string().meta({ description: 'The same in one sentence' }),
  })
  .meta({ id: 'ExperimentEffect' });

/** The latest experiment on a queue. */
export const experimentView = z
  .object({
    queue: z.string(),
    definition: experimentDefinition,
    state: experimentState,
    reason: z.string().optional().meta({ description: 'Why it ended before its last block' }),
    beginsAt: z.iso.datetime(),
    endsAt: z.iso.datetime().meta({ description: 'When its last block ends, or when it ended' }),
    seed: z.number().int().meta({ description: 'The order of the variants in each round follows from it' }),
    burnInMinutes: z
      .number()
      .meta({ description: 'For how long at both ends of a block tickets are not counted' }),
    rounds: z.object({
      planned: z.number().int(),
      counted: z.number().int().meta({
        description:
          'Those of which all blocks are in the results: a block is when no counted ticket of it can still be waiting',
      }),
    }),
    inForce: z
      .object({ variant: z.string(), block: z.number().int(), until: z.iso.datetime() })
      .nullable()
      .meta({ description: 'The variant in force; null when there is none' }),
    players: z.number().int().meta({ description: 'The players that the results count' }),
    blocks: z
      .array(
        z.object({
          block: z.number().int().meta({ description: 'From 0 up' }),
          variant: z.string(),
          from: z.iso.datetime(),
          until: z.iso.datetime(),
          players: z.number().int(),
          waitSeconds: mean.meta({ description: 'The mean wait of its players; null without any' }),
        }),
      )
      .meta({ description: `The last ${BLOCKS_LISTED} blocks that the results count, the oldest first` }),
    variants: z
      .array(
        z.object({
          name: z.string(),
          measures: z.partialRecord(
            z.enum(['waitSeconds', 'waitSecondsP90', 'waitSecondsP99', 'imbalance', 'cancelled', 'timedOut']),
            effect,
          ),
        }),
      )
      .meta({
        description:
          'Each variant but the first, by measure: waits in seconds, the imbalance of matches, and the shares of players who cancel and who time out',
      }),
  })
  .meta({ id: 'Experiment' });
export type ExperimentView = z.output<typeof experimentView>;
