import type { Context, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { countForAlarm } from '../lib/aws/count-for-alarm.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { logger } from '../lib/aws/log.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import * as aws from '../lib/aws/services.ts';
import { answersChanges, readableChanges } from '../lib/aws/stream.ts';
import { readPushRetry } from '../lib/service/domain/push-retry.ts';
import { type PushDeps, push } from '../lib/service/watching/push.ts';
import { pushAgain } from '../lib/service/watching/push-again.ts';

const sqs = sqsClient();
const retriesUrl = environment('PUSH_RETRIES_URL');
const client = documentClient();
const deps: PushDeps = {
  queues: aws.queues(client),
  tickets: aws.readTickets(client),
  matches: aws.matches(client),
  connections: aws.connections(client),
  sockets: aws.sockets(),
  retries: aws.pushRetries(sqs),
  clock,
};

/** The function reads changes from the tables' streams, and retries from an SQS queue. */
export const handler = (event: DynamoDBStreamEvent | SQSEvent, context: Context) =>
  event.Records[0]?.eventSource === 'aws:sqs'
    ? fromRetries(event as SQSEvent, context)
    : fromStream(event as DynamoDBStreamEvent);

const fromRetries = messageConsumer(sqs, [retriesUrl], {
  read: readPushRetry,
  idsOf: ({ queue, ticketIds }) => ({ queue, ticketIds }),
  consume: async (retry) => {
    const result = await pushAgain(deps, retry);
    if (result.outcome !== 'dropped') return result;
    countForAlarm('PushesDropped');
    return { outcome: 'refused', why: 'players could not be reached on their sockets' };
  },
});

async function fromStream(event: DynamoDBStreamEvent): Promise<void> {
  const changes = readableChanges(event.Records);
  const count = await push(
    deps,
    changes.map(({ change }) => change),
    answersChanges(event.Records),
  );
  if (count > 0) logger.warn('players could not be reached on their sockets', { count });
}
