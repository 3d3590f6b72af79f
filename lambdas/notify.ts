import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, privateAddressesAllowed } from '../lib/aws/environment.ts';
import { fromEnvelope } from '../lib/aws/event-bus.ts';
import { sendAll, sqsClient } from '../lib/aws/message-queue.ts';
import { outbound } from '../lib/aws/outbound.ts';
import { queueConsumer } from '../lib/aws/queue-consumer.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { secretsManager } from '../lib/aws/secrets.ts';
import { type Delivery, deliver } from '../lib/service/events/notify.ts';

const sqs = sqsClient();
const url = environment('NOTIFY_QUEUE_URL');
const deps = {
  queues: queueStore(documentClient(), environment('QUEUES_TABLE')),
  secrets: secretsManager(
    new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS }),
    environment('SECRETS_PREFIX'),
  ),
  outbound: outbound({ privateAllowed: privateAddressesAllowed() }),
  part: (deliveries: readonly Delivery[]) =>
    sendAll(
      sqs,
      url,
      deliveries.map((body) => ({ body })),
    ),
};

/** Messages are events as a rule sends them, or deliveries this function has sent itself. */
type Message = Delivery | Parameters<typeof fromEnvelope>[0];

const deliveryOf = (message: Message): Delivery =>
  'detail-type' in message ? { event: fromEnvelope(message) } : message;

export const handler = queueConsumer(
  sqs,
  url,
  (message: Message) => {
    const { event, url = 'all' } = deliveryOf(message);
    return { eventId: event.eventId, type: event.type, queue: event.queue, webhook: url };
  },
  (message) => deliver(deps, deliveryOf(message), Date.now()),
);
