import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { eventBus } from '../lib/aws/event-bus.ts';
import { logger } from '../lib/aws/log.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { toChange } from '../lib/aws/stream.ts';
import { publish } from '../lib/service/events/publish.ts';

const deps = {
  queues: queueStore(documentClient(), environment('QUEUES_TABLE')),
  bus: eventBus(new EventBridgeClient({ requestHandler: REQUEST_TIMEOUTS }), environment('EVENT_BUS_NAME')),
};

/** Streams are in order: Lambda goes on from the first record that is reported as failed. */
export const handler = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const records = event.Records.map((record) => ({ record, change: toChange(record) })).filter(
    ({ change }) => change !== undefined,
  );
  const again = await publish(
    deps,
    records.map(({ change }) => change!),
  );
  const first = records[Math.min(...again)];
  if (first === undefined) return { batchItemFailures: [] };
  logger.warn('the bus refused events', { count: again.length });
  return { batchItemFailures: [{ itemIdentifier: first.record.dynamodb!.SequenceNumber! }] };
};
