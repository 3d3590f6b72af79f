import * as z from 'zod';
import { ladderDefinition } from './ladder.ts';
import { queueName } from './queue-definition.ts';

/** All ladders. */
export const ladderList = z
  .object({
    ladders: z.array(ladderDefinition).meta({ description: 'Sorted by name' }),
    unreadable: z.array(queueName).optional().meta({
      description:
        'Ladders whose definition the deployed version cannot read, usually after a rollback. `PUT /ladders/{ladder}` replaces it',
    }),
  })
  .meta({ id: 'LadderList' });
export type LadderList = z.output<typeof ladderList>;

const share = z.number().nullable();

/** The quality of the odds of a ladder's matches. */
export const ladderOdds = z
  .object({
    ladder: z.string(),
    results: z.number().int().meta({ description: 'The rated matches that the other numbers are from' }),
    slope: z.number().meta({
      description:
        'Corrects how sure odds from ratings are. 1 changes nothing; below 1, the ratings alone are too sure. Learnt from results',
    }),
    logLoss: share.meta({ description: 'Of the odds; 0 is perfect. null without results' }),
    brier: share.meta({ description: 'Of the odds; 0 is perfect. null without results' }),
    alike: z
      .object({ logLoss: share, brier: share })
      .meta({ description: 'The same, if all teams had had the same odds' }),
    bins: z
      .array(
        z.object({
          from: z.number(),
          to: z.number(),
          count: z.number().int(),
          predicted: share.meta({ description: 'The mean of the odds in this bin' }),
          happened: share.meta({ description: 'The share that has won; a draw is shared' }),
          low: share.meta({ description: 'The lower end of its interval of 95%' }),
          high: share.meta({ description: 'The upper end of its interval of 95%' }),
        }),
      )
      .meta({ description: 'Ten bins of odds. Of two teams one is counted' }),
  })
  .meta({ id: 'LadderOdds' });
export type LadderOdds = z.output<typeof ladderOdds>;
