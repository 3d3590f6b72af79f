import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { eventBus } from '../lib/aws/event-bus.ts';
import { logger } from '../lib/aws/log.ts';
import { reportQueue } from '../lib/aws/report-queue.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import * as aws from '../lib/aws/services.ts';
import { readableChanges } from '../lib/aws/stream.ts';
import { countOutcomes, countRejected } from '../lib/service/events/count-outcomes.ts';
import { type CountUnmatchedDeps, countUnmatched } from '../lib/service/events/count-unmatched.ts';
import { type PublishDeps, publish } from '../lib/service/events/publish.ts';
import { traceOf } from '../lib/service/events/trace.ts';
import type { CountDeps } from '../lib/service/queues/count-queue.ts';

const client = documentClient();
const deps: PublishDeps & CountDeps & CountUnmatchedDeps = {
  outcomes: aws.outcomes(client),
  experiments: aws.experiments(client),
  failedShareMax: aws.failedShareMax(),
  queues: aws.queues(client),
  bus: eventBus(new EventBridgeClient({ requestHandler: REQUEST_TIMEOUTS }), environment('EVENT_BUS_NAME')),
};

/** Streams are in order: Lambda continues from the first record that is reported as failed. */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const records = readableChanges(event.Records);
  const changes = records.map(({ change }) => change);
  const refused = await publish(deps, changes);
  const first = records[Math.min(...refused)];
  const published = changes.slice(0, first === undefined ? undefined : records.indexOf(first));
  for (const change of published) {
    const trace = traceOf(change);
    if (trace !== undefined) logger.info('event', { ...trace });
  }
  const counted = await countOutcomes(deps, published, clock.now());
  for (const queue of counted) reportQueue(queue);
  await countUnmatched(deps, published, clock.now());
  if (first === undefined) return { batchItemFailures: [] };
  const rejected = refused.flatMap((index) => changes[index] ?? []);
  await countRejected(deps, rejected, clock.now());
  logger.warn('the bus rejected events', { count: refused.length });
  return { batchItemFailures: [{ itemIdentifier: first.record.dynamodb!.SequenceNumber! }] };
}
