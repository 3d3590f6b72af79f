import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { countForAlarm } from '../lib/aws/count-for-alarm.ts';
import { deliveryStore } from '../lib/aws/delivery-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, privateAddressesAllowed } from '../lib/aws/environment.ts';
import { erasedPlayers } from '../lib/aws/erased-players.ts';
import { fromEnvelope } from '../lib/aws/event-bus.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { logger } from '../lib/aws/log.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { deliverySender, sqsClient } from '../lib/aws/message-queue.ts';
import { Occasionally } from '../lib/aws/occasionally.ts';
import { outbound } from '../lib/aws/outbound.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { receiverStore } from '../lib/aws/receiver-store.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { secretsManager } from '../lib/aws/secrets.ts';
import { parseSecretGrants } from '../lib/contract/secret-grants.ts';
import { isFailing } from '../lib/contract/webhook-failing.ts';
import { type Delivery, readDelivery } from '../lib/service/domain/delivery.ts';
import { DeliveryLog } from '../lib/service/events/delivery-log.ts';
import { type DeliveryOutcome, deliver } from '../lib/service/events/notify.ts';
import { recentReceivers } from '../lib/service/events/recent-receivers.ts';
import { testWebhooks } from '../lib/service/events/test-webhooks.ts';
import { subjectOf } from '../lib/service/events/trace.ts';
import { cachedQueues } from '../lib/service/queues/read-queues.ts';

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
  deliveries: new DeliveryLog(deliveryStore(client, environment('RECEIVERS_TABLE')), Date.now),
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

/** The function also serves a route of the API, because it may read the secrets and call the receivers. */
export const handler = (event: SQSEvent | APIGatewayProxyEventV2, context: Context) =>
  'Records' in event ? consume(event, context) : serve(event, context);

const serve = httpHandler('notify', {
  'POST /queues/{queue}/webhooks/test': async ({ path: { queue } }) => ({
    status: 200,
    body: await testWebhooks(deps, queue),
  }),
});

const consume = messageConsumer(sqs, [urls.first, urls.slowLane], {
  read: (body): Delivery => (isFromBus(body) ? { event: fromEnvelope(body) } : readDelivery(body)),
  idsOf: ({ event, url = 'all' }) => ({
    eventId: event.eventId,
    type: event.type,
    ...subjectOf(event),
    webhook: url,
  }),
  consume: async (delivery) => {
    const result = await deliver(deps, delivery);
    report(delivery, result);
    return result;
  },
});

const reports = new Occasionally(30_000);

/** Reports a webhook that fails, and a receiver that is marked as down. */
function report({ event: { queue } }: Delivery, result: DeliveryOutcome): void {
  if (!('why' in result)) return;
  const { why, webhook, down, failures, recent } = result;
  if (down !== undefined) logger.warn('a webhook receiver is down', { webhook, queue, why, ...down });
  if (failures === undefined) return;
  const fails = isFailing({ failures, recent });
  if (!reports.isDue(`${queue} ${webhook} ${fails}`)) return;
  logger.error('a webhook fails', { webhook, queue, why, failures, recent });
  // One that fails counts for the alarm.
  if (!fails) return;
  countForAlarm('WebhookFailing');
}
