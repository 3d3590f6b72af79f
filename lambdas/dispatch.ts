import { clock } from '../lib/aws/clock.ts';
import { overdueMatches } from '../lib/aws/deadline-index.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { experimentStore } from '../lib/aws/experiment-store.ts';
import { logger } from '../lib/aws/log.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { deadlineTimer, sqsClient, tickSender } from '../lib/aws/message-queue.ts';
import { outcomeStore } from '../lib/aws/outcome-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { rangeStore } from '../lib/aws/range-store.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import { bucketLimits } from '../lib/service/domain/bucket-limits.ts';
import { dispatch } from '../lib/service/ticks/dispatch.ts';

const client = documentClient();
const sqs = sqsClient();
const deps = {
  clock,
  queues: queueStore(client, environment('QUEUES_TABLE')),
  ranges: rangeStore(client, environment('RANGES_TABLE')),
  outcomes: outcomeStore(client, environment('RANGES_TABLE')),
  experiments: experimentStore(client, environment('RANGES_TABLE')),
  matches: singleMatchStore(client, environment('MATCHES_TABLE')),
  tickets: ticketStore(client, environment('TICKETS_TABLE')),
  ticks: tickSender(sqs, environment('TICK_QUEUE_URL')),
  overdue: overdueMatches(client, environment('MATCHES_TABLE'), Math.random),
  timer: deadlineTimer(sqs, environment('DEADLINE_QUEUE_URL')),
  limits: bucketLimits(Number(environment('BUCKET_CAPACITY'))),
};

export const handler = async (): Promise<void> => {
  const { awake, overdue, cut, stopped, failed } = await dispatch(deps, Date.now());
  logger.info('dispatched', { awake });
  if (overdue > 0)
    logger.warn('matches are past their deadline but have not ended, or were abandoned', { overdue });
  if (cut.length > 0) logger.warn('queues had more work than there was time for', { queues: cut });
  for (const one of stopped) logger.warn('an experiment was stopped by its own rule', one);
  for (const { what, error } of failed)
    logger.error('a task of this minute failed', { what, error: error as Error });
  if (failed.length > 0)
    throw new Error(
      `${failed.map(({ what }) => what).join(', ')} failed and will run again in the next minute`,
    );
};
