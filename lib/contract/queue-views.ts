import * as z from 'zod';
import { limitOf } from './limit.ts';
import { assignment, matchView } from './match.ts';
import { queueDefinition, queueName } from './queue-definition.ts';

/** The maximum of matches in a response. */
const LATEST_MATCHES_MAX = 100;
/** The maximum of waiting tickets in a response. */
const WAITING_SAMPLE_MAX = 1_000;

/** The query of a request for the latest matches of a queue. */
export const latestQuery = z.object({ limit: limitOf(LATEST_MATCHES_MAX, 20) });

/** A match in the format for operators of a queue. */
const matchSummary = matchView
  .extend({
    assignment: z.object(assignment.shape).omit({ tokens: true }).optional().meta({
      description: 'The game server, without the tokens of its players',
    }),
  })
  .meta({ id: 'MatchSummary' });
export type MatchSummary = z.output<typeof matchSummary>;

/** The latest matches of a queue, the newest first. */
export const latestMatches = z.object({ matches: z.array(matchSummary) }).meta({ id: 'LatestMatches' });

/** The query of a request for a sample of the waiting tickets of a queue. */
export const waitingQuery = z.object({ limit: limitOf(WAITING_SAMPLE_MAX, 200) });

const waitingTicket = z.object({
  skill: z.number().meta({ description: 'The mean skill of its players' }),
  size: z.number().int().meta({ description: 'The number of its players' }),
  roles: z.array(z.string()).optional().meta({
    description: 'The roles that its players accept, each once; absent when they accept every role',
  }),
  region: z.string().optional().meta({
    description:
      'The region with the least latency for its worst player; absent when its players have no latency to a common region',
  }),
  ageSeconds: z.number().meta({ description: 'How long it has been waiting' }),
});

/** A sample of the waiting tickets of a queue. */
export const waitingSample = z
  .object({
    waiting: z.array(waitingTicket).meta({ description: 'In order of skill' }),
    isComplete: z.boolean().meta({
      description:
        'true: these are all waiting tickets. false: more are waiting; the sample is taken evenly along the skills, so rare skills have more than their share',
    }),
  })
  .meta({ id: 'WaitingSample' });
export type WaitingSample = z.output<typeof waitingSample>;

/** The query of a request for the definitions of all queues. */
export const queueListQuery = z.object({
  continuation: queueName.optional().meta({
    description: 'The `continuation` of the previous response (default: from the beginning)',
  }),
});

/** Definitions of queues. */
export const queueList = z
  .object({
    queues: z.array(queueDefinition).meta({ description: 'Sorted by name' }),
    unreadable: z.array(queueName).optional().meta({
      description:
        'In the first response. Queues whose definition the deployed version cannot read, usually after a rollback: they get no matches until a version that reads it is deployed, or the definition is replaced',
    }),
    continuation: queueName.optional().meta({
      description:
        'Repeat the request with it: the definitions of further queues did not fit into the response',
    }),
  })
  .meta({ id: 'QueueList' });
export type QueueList = z.output<typeof queueList>;
