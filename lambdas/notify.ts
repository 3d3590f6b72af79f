import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, privateAddressesAllowed } from '../lib/aws/environment.ts';
import { erasedPlayers } from '../lib/aws/erased-players.ts';
import { fromEnvelope } from '../lib/aws/event-bus.ts';
import { logger } from '../lib/aws/log.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { deliverySender, sqsClient } from '../lib/aws/message-queue.ts';
import { outbound } from '../lib/aws/outbound.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { receiverStore } from '../lib/aws/receiver-store.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { secretsManager } from '../lib/aws/secrets.ts';
import { parseSecretGrants } from '../lib/contract/secret-grants.ts';
import { type Delivery, readDelivery } from '../lib/service/domain/delivery.ts';
import { type DeliveryOutcome, deliver } from '../lib/service/events/notify.ts';
import { recentReceivers } from '../lib/service/events/recent-receivers.ts';
import { cachedQueues } from '../lib/service/queues/cached-queues.ts';

const client = documentClient();
const sqs = sqsClient();
const urls = {
  first: environment('NOTIFY_QUEUE_URL'),
  slowLane: environment('NOTIFY_SLOW_LANE_URL'),
  deadLetters: environment('NOTIFY_DEAD_LETTERS_URL'),
};
const deps = {
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  receivers: recentReceivers(receiverStore(client, environment('RECEIVERS_TABLE')), Date.now),
  erased: erasedPlayers(client, environment('RECEIVERS_TABLE')),
  secrets: secretsManager(
    new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS }),
    environment('SECRETS_PREFIX'),
    parseSecretGrants(environment('SECRET_GRANTS')),
  ),
  outbound: outbound({ privateAllowed: privateAddressesAllowed() }),
  sender: deliverySender(sqs, urls),
  now: Date.now,
  random: Math.random,
};

/** A message is either an event from a rule of the bus or a delivery that this function has sent to itself. */
const isFromBus = (body: unknown) => typeof body === 'object' && body !== null && 'detail-type' in body;

export const handler = messageConsumer(sqs, [urls.first, urls.slowLane], {
  read: (body): Delivery => (isFromBus(body) ? { event: fromEnvelope(body) } : readDelivery(body)),
  idsOf: ({ event, url = 'all' }) => ({
    eventId: event.eventId,
    type: event.type,
    queue: event.queue,
    webhook: url,
  }),
  consume: async (delivery) => {
    const result = await deliver(deps, delivery);
    report(delivery, result);
    return result;
  },
});

/** Counts how often a receiver was marked as down, for the alarm. */
function report({ event }: Delivery, result: DeliveryOutcome): void {
  if (!('down' in result) || result.down === undefined) return;
  const { why, webhook, down } = result;
  logger.warn('a webhook receiver is down', { webhook, queue: event.queue, why, ...down });
  const metrics = new Metrics();
  metrics.addMetric('ReceiverDown', MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}
