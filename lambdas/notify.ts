import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, privateAddressesAllowed } from '../lib/aws/environment.ts';
import { fromEnvelope } from '../lib/aws/event-bus.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { sendAll, sqsClient } from '../lib/aws/message-queue.ts';
import { outbound } from '../lib/aws/outbound.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { secretsManager } from '../lib/aws/secrets.ts';
import { type Delivery, readDelivery } from '../lib/service/events/delivery.ts';
import { deliver } from '../lib/service/events/notify.ts';
import { cachedQueues } from '../lib/service/queues/cached-queues.ts';

const sqs = sqsClient();
const url = environment('NOTIFY_QUEUE_URL');
const deps = {
  queues: cachedQueues(queueStore(documentClient(), environment('QUEUES_TABLE')), clock),
  secrets: secretsManager(
    new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS }),
    environment('SECRETS_PREFIX'),
    JSON.parse(environment('SECRET_GRANTS')),
  ),
  outbound: outbound({ privateAllowed: privateAddressesAllowed() }),
  sendEach: (deliveries: readonly Delivery[]) =>
    sendAll(
      sqs,
      url,
      deliveries.map((body) => ({ body })),
    ),
};

/** A message is either an event from a rule of the bus or a delivery that this function has sent to itself. */
const isFromBus = (body: unknown) => typeof body === 'object' && body !== null && 'detail-type' in body;

export const handler = messageConsumer(sqs, url, {
  read: (body): Delivery => (isFromBus(body) ? { event: fromEnvelope(body) } : readDelivery(body)),
  idsOf: ({ event, url = 'all' }) => ({
    eventId: event.eventId,
    type: event.type,
    queue: event.queue,
    webhook: url,
  }),
  consume: (delivery) => deliver(deps, delivery, Date.now()),
});
