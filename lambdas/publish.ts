import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSEvent,
} from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { connectionStore } from '../lib/aws/connection-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, optionalEnvironment } from '../lib/aws/environment.ts';
import { eventBus } from '../lib/aws/event-bus.ts';
import { experimentStore } from '../lib/aws/experiment-store.ts';
import { logger } from '../lib/aws/log.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { eventParking, sqsClient } from '../lib/aws/message-queue.ts';
import { outcomeStore } from '../lib/aws/outcome-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { reportQueue } from '../lib/aws/report-queue.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { sockets } from '../lib/aws/sockets.ts';
import { toChange } from '../lib/aws/stream.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import { allOf } from '../lib/service/concurrency/all-of.ts';
import { readParkedEvent } from '../lib/service/domain/parked-event.ts';
import { Unreadable } from '../lib/service/domain/unreadable.ts';
import { countOutcomes } from '../lib/service/events/count-outcomes.ts';
import { countRejected } from '../lib/service/events/count-rejected.ts';
import { type CountUnmatchedDeps, countUnmatched } from '../lib/service/events/count-unmatched.ts';
import { type Change, type PublishDeps, publish, publishParked } from '../lib/service/events/publish.ts';
import { subjectOf, traceOf } from '../lib/service/events/trace.ts';
import { cachedQueues } from '../lib/service/queues/cached-queues.ts';
import type { CountDeps } from '../lib/service/queues/count-queue.ts';
import { type PushDeps, push } from '../lib/service/watching/push.ts';

const sqs = sqsClient();
const parkedUrl = environment('PARKED_EVENTS_URL');
const parking = eventParking(sqs, parkedUrl);
const client = documentClient();
const deps: PublishDeps & CountDeps & CountUnmatchedDeps = {
  outcomes: outcomeStore(client, environment('RANGES_TABLE')),
  experiments: experimentStore(client, environment('RANGES_TABLE')),
  failedShareMax: Number(environment('FAILED_SHARE')),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  bus: eventBus(new EventBridgeClient({ requestHandler: REQUEST_TIMEOUTS }), environment('EVENT_BUS_NAME')),
  parking: {
    async park(events, why) {
      await parking.park(events, why);
      logger.error('a queue cannot be read, so its events are parked', {
        queue: why.queue,
        count: events.length,
        error: why,
      });
      countParked();
    },
  },
};

const socketsUrl = optionalEnvironment('SOCKETS_URL');
const pushDeps: PushDeps | undefined =
  socketsUrl === undefined
    ? undefined
    : {
        queues: deps.queues,
        tickets: ticketStore(client, environment('TICKETS_TABLE')),
        matches: singleMatchStore(client, environment('MATCHES_TABLE')),
        connections: connectionStore(client, environment('CONNECTIONS_TABLE')),
        sockets: sockets(socketsUrl),
        clock,
      };

/** The function reads changes from the tables' streams, and events that it has parked. */
export const handler = (event: DynamoDBStreamEvent | SQSEvent, context: Context) =>
  event.Records[0]?.eventSource === 'aws:sqs'
    ? fromParking(event as SQSEvent, context)
    : fromStream(event as DynamoDBStreamEvent);

const fromParking = messageConsumer(sqs, [parkedUrl], {
  read: readParkedEvent,
  idsOf: ({ event }) => ({ eventId: event.eventId, type: event.type, ...subjectOf(event) }),
  consume: async (parked) => {
    const result = await publishParked(deps, parked, clock.now());
    if (result.outcome === 'waiting') countParked();
    return result;
  },
});

/** Counts events that are parked, and tries to publish them, for the alarm. */
function countParked(): void {
  const metrics = new Metrics();
  metrics.addMetric('EventsParked', MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}

/**
 * Streams are in order: Lambda continues from the first record that is reported as failed. A record that cannot be
 * parsed never becomes an event, however often it is retried. It is logged and skipped, so that it does not delay the
 * other events of its shard.
 */
async function fromStream(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const records = event.Records.flatMap((record) => {
    const change = changeOf(record);
    return change === undefined ? [] : [{ record, change }];
  });
  const changes = records.map(({ change }) => change);
  const [refused, unsent] = await allOf([
    publish(deps, changes),
    pushDeps === undefined ? Promise.resolve([]) : push(pushDeps, changes),
  ]);
  const again = [...refused, ...unsent];
  const first = records[Math.min(...again)];
  const published = records.slice(0, first === undefined ? undefined : records.indexOf(first));
  for (const { change } of published) {
    const trace = traceOf(change);
    if (trace !== undefined) logger.info('event', { ...trace });
  }
  const counted = await countOutcomes(
    deps,
    published.map(({ change }) => change),
    clock.now(),
  );
  for (const queue of counted) reportQueue(queue);
  await countUnmatched(
    deps,
    published.map(({ change }) => change),
    clock.now(),
  );
  if (first === undefined) return { batchItemFailures: [] };
  const rejected = refused.flatMap((index) => changes[index] ?? []);
  await countRejected(deps, rejected, clock.now());
  if (refused.length > 0) logger.warn('the bus rejected events', { count: refused.length });
  if (unsent.length > 0) logger.warn('changes could not be sent to sockets', { count: unsent.length });
  return { batchItemFailures: [{ itemIdentifier: first.record.dynamodb!.SequenceNumber! }] };
}

function changeOf(record: DynamoDBRecord): Change | undefined {
  try {
    return toChange(record);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    logger.error('a change cannot be parsed and becomes no event', { eventId: record.eventID, error });
    return undefined;
  }
}
