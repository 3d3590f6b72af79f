import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { eventBus } from '../lib/aws/event-bus.ts';
import { logger } from '../lib/aws/log.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { toChange } from '../lib/aws/stream.ts';
import { type Change, publish } from '../lib/service/events/publish.ts';
import { Unreadable } from '../lib/service/ports/unreadable.ts';
import { cachedQueues } from '../lib/service/queues/cached-queues.ts';

const deps = {
  queues: cachedQueues(queueStore(documentClient(), environment('QUEUES_TABLE')), clock),
  bus: eventBus(new EventBridgeClient({ requestHandler: REQUEST_TIMEOUTS }), environment('EVENT_BUS_NAME')),
};

/**
 * Streams are in order: Lambda continues from the first record that is reported as failed. A record that cannot be
 * parsed never becomes an event, however often it is retried. It is logged and skipped, so that it does not delay the
 * other events of its shard.
 */
export const handler = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const records = event.Records.flatMap((record) => {
    const change = changeOf(record);
    return change === undefined ? [] : [{ record, change }];
  });
  const again = await publish(
    deps,
    records.map(({ change }) => change),
  );
  const first = records[Math.min(...again)];
  if (first === undefined) return { batchItemFailures: [] };
  logger.warn('the bus rejected events', { count: again.length });
  return { batchItemFailures: [{ itemIdentifier: first.record.dynamodb!.SequenceNumber! }] };
};

function changeOf(record: DynamoDBRecord): Change | undefined {
  try {
    return toChange(record);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    logger.error('a change cannot be parsed and becomes no event', { eventId: record.eventID, error });
    return undefined;
  }
}
