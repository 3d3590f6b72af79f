import { randomUUID } from 'node:crypto';
import type { Webhook } from '../../contract/queue-definition.ts';
import { WEBHOOK_TEST, type WebhookTestBody, type WebhookTests } from '../../contract/webhook-test.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { openQueue } from '../queues/read-queues.ts';
import { withoutQuery } from '../queues/webhook-health.ts';
import { RESPONSE_MS } from './receivers.ts';
import { canSign, signed } from './signature.ts';

/** The number of characters of a response that are returned. */
const BODY_MAX = 500;

export interface TestWebhooksDeps {
  readonly queues: QueueStore;
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly now: () => number;
}

/**
 * Sends a signed test event to each webhook of a queue, including receivers that are down. Nothing is stored and nothing is
 * retried.
 * @throws Problem (404)
 */
export async function testWebhooks(deps: TestWebhooksDeps, queue: string): Promise<WebhookTests> {
  const { definition } = await openQueue(deps.queues, queue);
  const eventId = `test-${randomUUID()}`;
  const time = new Date(deps.now()).toISOString();
  const body: WebhookTestBody = { type: WEBHOOK_TEST, timestamp: time, data: { eventId, time, queue } };
  const webhooks = await Promise.all(
    (definition.webhooks ?? []).map((webhook) => testWebhook(deps, webhook, body)),
  );
  return { eventId, webhooks };
}

async function testWebhook(
  { secrets, outbound, now }: TestWebhooksDeps,
  webhook: Webhook,
  { data, ...rest }: WebhookTestBody,
): Promise<WebhookTests['webhooks'][number]> {
  const url = withoutQuery(webhook.url);
  const startMs = now();
  const fail = (error: string) => ({ url, isDelivered: false, milliseconds: now() - startMs, error });
  const secret = await secrets.get(webhook.secret, data.queue);
  if (secret.outcome !== 'found') return fail(secret.why);
  if (!canSign(secret.value)) return fail(`the secret ${webhook.secret} is not whsec_ and base64`);
  const text = JSON.stringify({ ...rest, data });
  const headers = signed(secret.value, data.eventId, text, startMs);
  const result = await outbound.post(webhook.url, text, headers, RESPONSE_MS.slow);
  if (result.outcome !== 'responded') return fail(result.error);
  const { status, body } = result;
  const isDelivered = status >= 200 && status < 300;
  return { url, isDelivered, milliseconds: now() - startMs, status, body: body.slice(0, BODY_MAX) };
}
