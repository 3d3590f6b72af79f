import * as z from 'zod';
import { queueDefinition, queueName } from './queue-definition.ts';

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
