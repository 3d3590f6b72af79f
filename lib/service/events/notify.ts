import type { MusterEvent } from '../../contract/events.ts';
import type { Webhook } from '../../contract/queue-definition.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { signed } from './signature.ts';
import { subscribers } from './subscribers.ts';

/** How long a receiver may take to answer. */
const ANSWER_MS = 5_000;

/** An event on its way to one webhook, or, without `url`, to all of its queue's that want it. */
export interface Delivery {
  readonly event: MusterEvent;
  readonly url?: string;
}

export type DeliveryOutcome =
  | { outcome: 'done' }
  | { outcome: 'retry'; why: string }
  /** It never will work. */
  | { outcome: 'refused'; why: string };

/**
 * Delivers an event to the webhooks of its queue, signed by the Standard Webhooks scheme.
 *
 * An event for several webhooks is parted into one message each, so that a slow or dead receiver
 * delays nobody else's. A crash after a POST and before the message is deleted repeats the POST with
 * the same `webhook-id`; receivers tell by it.
 */
export async function deliver(
  deps: {
    readonly queues: QueueStore;
    readonly secrets: Secrets;
    readonly outbound: Outbound;
    readonly part: (deliveries: readonly Delivery[]) => Promise<void>;
  },
  { event, url }: Delivery,
  nowMs: number,
): Promise<DeliveryOutcome> {
  const definition = (await deps.queues.get(event.queue))?.definition;
  const webhooks = subscribers(definition, event.type).filter(
    (webhook) => url === undefined || webhook.url === url,
  );
  if (webhooks.length > 1) {
    await deps.part(webhooks.map((webhook) => ({ event, url: webhook.url })));
    return { outcome: 'done' };
  }
  const [webhook] = webhooks;
  return webhook === undefined ? { outcome: 'done' } : post(deps, webhook, event, nowMs);
}

async function post(
  deps: { readonly secrets: Secrets; readonly outbound: Outbound },
  webhook: Webhook,
  { type, ...data }: MusterEvent,
  nowMs: number,
): Promise<DeliveryOutcome> {
  const body = JSON.stringify({ type, timestamp: data.time, data });
  const headers = signed(await deps.secrets.get(webhook.secret), data.eventId, body, nowMs);
  const result = await deps.outbound.post(webhook.url, body, headers, ANSWER_MS);
  if (result.outcome === 'forbidden') return { outcome: 'refused', why: result.error };
  if (result.outcome === 'unreachable') return { outcome: 'retry', why: result.error };
  // 410 is the scheme's word for "never again".
  if ((result.status >= 200 && result.status < 300) || result.status === 410) return { outcome: 'done' };
  return { outcome: 'retry', why: `the receiver answered ${result.status}` };
}
