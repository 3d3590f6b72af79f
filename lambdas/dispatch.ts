import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { logger } from '../lib/aws/log.ts';
import { sqsClient, tickSender } from '../lib/aws/message-queue.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { rangeStore } from '../lib/aws/range-store.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import { dispatch } from '../lib/service/ticks/dispatch.ts';

const client = documentClient();
const deps = {
  queues: queueStore(client, environment('QUEUES_TABLE')),
  ranges: rangeStore(client, environment('RANGES_TABLE')),
  tickets: ticketStore(client, environment('TICKETS_TABLE')),
  ticks: tickSender(sqsClient(), environment('TICK_QUEUE_URL')),
};

export const handler = async (): Promise<void> => {
  const { awake, failed } = await dispatch(deps, Date.now());
  logger.info('dispatched', { awake });
  for (const { queue, error } of failed)
    logger.error('a queue could not be dispatched', { queue, error: error as Error });
  if (failed.length > 0)
    throw new Error(`${failed.length} queues could not be dispatched; the next minute tries again`);
};
