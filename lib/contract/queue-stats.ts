import * as z from 'zod';

const seconds = z.number().nullable();

/** How a queue is doing. */
export const queueStats = z
  .object({
    queue: z.string(),
    waiting: z.number().int().meta({ description: 'Tickets that wait now' }),
    oldestWaitSeconds: seconds.meta({ description: 'As of the last tick; null when nobody waited' }),
    lastTickAt: z.iso.datetime().nullable(),
    tickMilliseconds: z
      .number()
      .nullable()
      .meta({ description: 'How long the last tick took; of several buckets, the longest' }),
    recentMatches: z
      .object({
        count: z.number().int(),
        imbalanceMean: z.number().nullable(),
        waitSecondsP50: seconds,
        waitSecondsP99: seconds,
      })
      .meta({
        description:
          'Over the last matches of each bucket, 20 at most. Waits are of the tickets matched; for those without a match see `waiting` and `oldestWaitSeconds`',
      }),
  })
  .meta({ id: 'QueueStats' });
export type QueueStats = z.output<typeof queueStats>;
