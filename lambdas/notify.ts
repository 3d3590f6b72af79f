import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { countForAlarm } from '../lib/aws/count-for-alarm.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { fromEnvelope } from '../lib/aws/event-bus.ts';
import { httpHandler, ok } from '../lib/aws/http.ts';
import { logger } from '../lib/aws/log.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { deliverySender, sqsClient } from '../lib/aws/message-queue.ts';
import * as aws from '../lib/aws/services.ts';
import { Throttle } from '../lib/aws/throttle.ts';
import { isFailing } from '../lib/contract/webhook-failing.ts';
import { type Delivery, readDelivery } from '../lib/service/domain/delivery.ts';
import { DeliveryLog } from '../lib/service/events/delivery-log.ts';
import { type DeliveryOutcome, deliver } from '../lib/service/events/notify.ts';
import { testWebhooks } from '../lib/service/events/test-webhooks.ts';
import { subjectOf } from '../lib/service/events/trace.ts';

const client = documentClient();
const sqs = sqsClient();
const urls = {
  first: environment('NOTIFY_QUEUE_URL'),
  slowLane: environment('NOTIFY_SLOW_LANE_URL'),
  deadLetters: environment('NOTIFY_DEAD_LETTERS_URL'),
};
const deps = {
  queues: aws.queues(client),
  receivers: aws.receiversWithCache(client),
  deliveries: new DeliveryLog(aws.deliveryRecords(client), Date.now),
  erased: aws.erased(client),
  secrets: aws.secrets(),
  outbound: aws.outbound(),
  sender: deliverySender(sqs, urls),
  now: Date.now,
  random: Math.random,
};

/** A message is either an event from a rule of the bus or a delivery that this function has sent. */
const isFromBus = (body: unknown) => typeof body === 'object' && body !== null && 'detail-type' in body;

/** The function also serves a route of the API, because it may read the secrets and call the receivers. */
export const handler = (event: SQSEvent | APIGatewayProxyEventV2, context: Context) =>
  'Records' in event ? consume(event, context) : serve(event, context);

const serve = httpHandler('notify', {
  'POST /queues/{queue}/webhooks/test': async ({ path: { queue } }) => ok(await testWebhooks(deps, queue)),
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

const reports = new Throttle(30_000);

/** Reports a failing webhook, and a receiver that is marked as down. */
function report({ event: { queue } }: Delivery, result: DeliveryOutcome): void {
  if (!('why' in result)) return;
  const { why, webhook, down, failures, recent } = result;
  if (down !== undefined) logger.warn('a webhook receiver is down', { webhook, queue, why, ...down });
  if (failures === undefined) return;
  const fails = isFailing({ failures, recent });
  if (!reports.isDue(`${queue} ${webhook} ${fails}`)) return;
  logger.error('a webhook fails', { webhook, queue, why, failures, recent });
  // A failing webhook counts for the alarm.
  if (!fails) return;
  countForAlarm('WebhookFailing');
}
