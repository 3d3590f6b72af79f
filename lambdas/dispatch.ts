import { clock } from '../lib/aws/clock.ts';
import { overdueMatches } from '../lib/aws/deadline-index.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { logger } from '../lib/aws/log.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import * as aws from '../lib/aws/services.ts';
import { dispatch } from '../lib/service/ticks/dispatch.ts';

const client = documentClient();
const sqs = sqsClient();
const deps = {
  clock,
  queues: aws.storedQueues(client),
  ranges: aws.ranges(client),
  outcomes: aws.outcomes(client),
  experiments: aws.experiments(client),
  matches: aws.matches(client),
  tickets: aws.tickets(client),
  ticks: aws.ticks(sqs),
  overdue: overdueMatches(client, environment('MATCHES_TABLE'), Math.random),
  timer: aws.timer(sqs),
  limits: aws.bucketLimits(),
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
