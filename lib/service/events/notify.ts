import { type MusterEvent, toWebhookBody } from '../../contract/events.ts';
import type { Webhook } from '../../contract/queue-definition.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { DEFINITION_AGE_MS } from '../queues/definition-age.ts';
import type { Delivery } from './delivery.ts';
import { signed } from './signature.ts';
import { subscribers } from './subscribers.ts';

/** How long a receiver may take to respond. */
const ANSWER_MS = 5_000;

export type DeliveryOutcome =
  | { outcome: 'done' }
  | { outcome: 'retry'; why: string }
  /** A retry cannot succeed. */
  | { outcome: 'refused'; why: string };

/**
 * Delivers an event to the webhooks of its queue, signed by the Standard Webhooks scheme.
 *
 *     split   an event for several webhooks is sent on as one delivery for each, so that a slow or dead
 *             receiver delays no other. A crash after it, before this message is deleted: sent on again
 *     post    a crash after it, before the message is deleted: posted again with the same `webhook-id`,
 *             which receivers use to discard duplicates
 */
export async function deliver(
  deps: {
    readonly queues: QueueStore;
    readonly secrets: Secrets;
    readonly outbound: Outbound;
    /** Sends deliveries to the queue of this function. */
    readonly sendEach: (deliveries: readonly Delivery[]) => Promise<void>;
  },
  { event, url }: Delivery,
  nowMs: number,
): Promise<DeliveryOutcome> {
  const definition = (await deps.queues.get(event.queue, DEFINITION_AGE_MS))?.definition;
  const webhooks = subscribers(definition, event.type).filter(
    (webhook) => url === undefined || webhook.url === url,
  );
  if (webhooks.length > 1) {
    await deps.sendEach(webhooks.map((webhook) => ({ event, url: webhook.url })));
    return { outcome: 'done' };
  }
  const [webhook] = webhooks;
  return webhook === undefined ? { outcome: 'done' } : post(deps, webhook, event, nowMs);
}

async function post(
  deps: { readonly secrets: Secrets; readonly outbound: Outbound },
  webhook: Webhook,
  event: MusterEvent,
  nowMs: number,
): Promise<DeliveryOutcome> {
  const body = JSON.stringify(toWebhookBody(event));
  const secret = await deps.secrets.get(webhook.secret, event.queue);
  if (secret.outcome === 'refused') return secret;
  const headers = signed(secret.value, event.eventId, body, nowMs);
  const result = await deps.outbound.post(webhook.url, body, headers, ANSWER_MS);
  if (result.outcome === 'forbidden') return { outcome: 'refused', why: result.error };
  if (result.outcome === 'unreachable') return { outcome: 'retry', why: result.error };
  // 410 Gone means by the scheme that the receiver accepts no more events.
  if ((result.status >= 200 && result.status < 300) || result.status === 410) return { outcome: 'done' };
  return { outcome: 'retry', why: `the receiver returned status ${result.status}` };
}
