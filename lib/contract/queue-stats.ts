import * as z from 'zod';

const seconds = z.number().nullable();

/** The statistics of a queue. */
export const queueStats = z
  .object({
    queue: z.string(),
    waiting: z.number().int().meta({ description: 'Tickets that were waiting at `waitingAt`' }),
    waitingAt: z.iso.datetime().nullable().meta({
      description:
        'The tick that counted the tickets: a tick or two ago while tickets are waiting. With several buckets, the oldest of the ticks that were counted. null before the first tick',
    }),
    oldestWaitSeconds: seconds.meta({ description: 'As of the last tick; null when no ticket was waiting' }),
    lastTickAt: z.iso.datetime().nullable(),
    tickMilliseconds: z
      .number()
      .nullable()
      .meta({ description: 'The duration of the last tick; with several buckets, the longest' }),
    recentMatches: z
      .object({
        count: z.number().int(),
        imbalanceMean: z.number().nullable(),
        waitSecondsP50: seconds,
        waitSecondsP99: seconds,
      })
      .meta({
        description:
          'Over the last matches of each bucket, 20 at most. The waits are those of matched tickets; for waiting tickets see `waiting` and `oldestWaitSeconds`',
      }),
  })
  .meta({ id: 'QueueStats' });
export type QueueStats = z.output<typeof queueStats>;
