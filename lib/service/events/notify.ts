import { toWebhookBody } from '../../contract/events.ts';
import type { Webhook } from '../../contract/queue-definition.ts';
import type { Delivery } from '../domain/delivery.ts';
import { subscribers } from '../domain/subscribers.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { DeliverySender } from '../ports/delivery-sender.ts';
import type { ErasedPlayers } from '../ports/erased-players.ts';
import type { Outbound, OutboundResult } from '../ports/outbound.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { ReceiverRecord, ReceiverStore } from '../ports/receiver-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { backoffSeconds } from './backoff.ts';
import type { DeliveryLog, RecordedFailure } from './delivery-log.ts';
import { admit, isCutShort, isDown, type Lane, postponeMs, RESPONSE_MS, recordResult } from './receivers.ts';
import { canSign, signed } from './signature.ts';
import { withoutErased } from './without-erased.ts';

/**
 * The maximum of posts of one delivery, not counting those to a receiver that was down. The last one is about 36 minutes after
 * the first.
 */
const TRIES = 8;

/** How long a delivery is kept for a receiver that is slow or down, and while its queue cannot be read. */
const KEPT_MS = { receiver: 24 * 3_600_000, unreadable: 13 * 24 * 3_600_000 } as const;

export interface NotifyDeps {
  readonly queues: QueueStore;
  readonly receivers: ReceiverStore;
  readonly erased: Pick<ErasedPlayers, 'findErased' | 'lastAtMs'>;
  readonly secrets: Secrets;
  /** The statistics of each webhook. */
  readonly deliveries: DeliveryLog;
  readonly outbound: Outbound;
  readonly sender: DeliverySender;
  readonly now: () => number;
  /** A random number in [0, 1). */
  readonly random: () => number;
}

export type DeliveryOutcome =
  | { outcome: 'done' }
  /**
   * It was not posted and returns in the slow lane, because its receiver is slow or down, another delivery is the first to a new
   * receiver, or its queue cannot be read.
   */
  | ({ outcome: 'postponed'; afterMs: number } & Failure)
  /** It was posted without success and is in the slow lane. */
  | ({ outcome: 'tried'; afterMs: number; failed: number } & Failure)
  /** The delivery is a dead letter. */
  | ({ outcome: 'given up' } & Failure)
  /** A retry cannot succeed. */
  | ({ outcome: 'refused' } & Failure);

export interface Failure extends Partial<RecordedFailure> {
  readonly why: string;
  readonly webhook: string;
  /** The record of the receiver, if this delivery has marked it as down. */
  readonly down?: ReceiverRecord;
}

/**
 * Delivers an event to the webhooks of its queue, signed by the Standard Webhooks scheme.
 *
 * New deliveries arrive in one SQS queue, and each passes through it once. Retries, and deliveries to receivers that are slow or
 * down, use the slow lane. So the first queue is only delayed by receivers that have been fast so far and by one post to each new
 * receiver, each for at most 2 s. Each step may be repeated:
 *
 *     read      the queue and the secret. While the queue cannot be read, or the secret is missing or malformed, the delivery
 *               waits in the slow lane
 *     split     an event for several webhooks, or of a queue that could not be read, becomes one new delivery for each webhook,
 *               so that they are independent. A crash after it, before this message is deleted: split again
 *     admit     see `receivers.ts`
 *     blank     players who were erased while the event waited: see `without-erased.ts`
 *     post      a crash after it: posted again with the same `webhook-id`, which receivers use to discard duplicates. A receiver
 *               that does not respond in 2 s gets 5 s in the slow lane
 *     record    the result; see `receivers.ts` and `delivery-log.ts`. A crash after it: the failure counts twice
 *     send on   to the slow lane, in one request with those of the same moment, or to the dead letters after the last try. It is a
 *               new message, so it is not in flight. A crash after it, before this message is deleted: both messages remain, so
 *               the event may be posted more often, and may be a dead letter although it was delivered
 *
 * @throws StoreBusy when a step fails; the message is retried
 */
export async function deliver(deps: NotifyDeps, delivery: Delivery): Promise<DeliveryOutcome> {
  const { event, url } = delivery;
  const definition = await unlessUnreadable(
    async () => (await deps.queues.get(event.queue, DEFINITION_AGE_MS))?.definition,
  );
  if (definition instanceof UnreadableQueue)
    return postpone(deps, delivery, untilUpMs(deps, delivery), definition.message, {
      keptMs: KEPT_MS.unreadable,
    });
  const all = subscribers(definition, event.type);
  const webhooks = url === undefined ? all : all.filter((webhook) => webhook.url === url);
  const wasUnreadable = url === undefined && delivery.slowSinceMs !== undefined;
  if (webhooks.length > 1 || wasUnreadable) {
    await deps.sender.split(webhooks.map((webhook) => ({ event, url: webhook.url, secret: webhook.secret })));
    return { outcome: 'done' };
  }
  const [webhook] = webhooks;
  if (webhook !== undefined) return deliverTo(deps, webhook, delivery);
  return url === undefined ? { outcome: 'done' } : deliverElsewhere(deps, { ...delivery, url }, all);
}

/**
 * Delivers an event whose URL is no longer in the definition to the webhook with the same secret, if any: its receiver has moved.
 * Otherwise the event is lost, and the log names it.
 */
async function deliverElsewhere(
  deps: NotifyDeps,
  delivery: DeliveryTo,
  webhooks: readonly Webhook[],
): Promise<DeliveryOutcome> {
  const { event, url, secret, failed: tries, slowSinceMs } = delivery;
  await endWait(deps, delivery);
  const [moved, ...others] = webhooks.filter((webhook) => webhook.secret === secret);
  if (moved === undefined || others.length > 0)
    return { outcome: 'refused', why: 'the queue has no webhook with this URL any more', webhook: url };
  const history = { ...(tries && { failed: tries }), ...(slowSinceMs && { slowSinceMs }) };
  return deliverTo(deps, moved, { event, ...history });
}

async function deliverTo(deps: NotifyDeps, webhook: Webhook, delivery: Delivery): Promise<DeliveryOutcome> {
  const { url } = webhook;
  const to = { ...delivery, url, secret: webhook.secret };
  const secret = await deps.secrets.get(webhook.secret, delivery.event.queue);
  if (secret.outcome === 'refused') return refuse(deps, to, secret.why);
  const unusable = secret.outcome === 'missing' ? secret.why : unusableSecret(webhook.secret, secret.value);
  if (secret.outcome === 'missing' || unusable !== undefined) {
    const recorded = await failed(deps, to, unusable!);
    return postpone(deps, to, untilUpMs(deps, to), unusable!, { recorded });
  }
  const lane: Lane = delivery.slowSinceMs === undefined ? 'first' : 'slow';
  const admission = await admit(deps.receivers, url, lane, deps.now());
  switch (admission.outcome) {
    case 'slow':
      return postpone(deps, to, 0, 'the receiver is slow');
    case 'down':
      return postpone(
        deps,
        to,
        untilUpMs(deps, to),
        'the receiver is down, or it is new and another delivery is its first',
      );
    case 'post':
      return postTo(deps, to, secret.value, lane, admission.receiver);
  }
}

function unusableSecret(name: string, value: string): string | undefined {
  return canSign(value) ? undefined : `the secret ${name} is not whsec_ and base64`;
}

/** A delivery to one webhook. */
type DeliveryTo = Delivery & { readonly url: string };

async function postTo(
  deps: NotifyDeps,
  delivery: DeliveryTo,
  secret: string,
  lane: Lane,
  receiver: ReceiverRecord | undefined,
): Promise<DeliveryOutcome> {
  const { url } = delivery;
  const event = await withoutErased(deps.erased, delivery.event, deps.now());
  const startMs = deps.now();
  const body = JSON.stringify(toWebhookBody(event));
  const headers = signed(secret, event.eventId, body, startMs);
  const result = await deps.outbound.post(url, body, headers, RESPONSE_MS[lane]);
  const nowMs = deps.now();
  const down = await recordResult(deps.receivers, url, receiver, result, { lane, startMs, nowMs });
  if (isResponse(result) && isDelivered(result)) {
    await delivered(deps, delivery, result.status);
    return { outcome: 'done' };
  }
  if (result.outcome === 'forbidden') return refuse(deps, delivery, result.error);
  if (!isResponse(result) && isCutShort(result, lane)) return postpone(deps, delivery, 0, result.error);
  const status = isResponse(result) ? result.status : undefined;
  const why = isResponse(result) ? `the receiver returned status ${status}` : result.error;
  const recorded = await failed(deps, delivery, why, status);
  const failure = { why, webhook: url, ...(down && { down }), ...recorded };
  // A receiver that is still down is no failure of this event.
  const isStillDown = receiver?.downUntilMs !== undefined && isDown(result);
  const tries = (delivery.failed ?? 0) + (isStillDown ? 0 : 1);
  const afterMs = isStillDown ? untilUpMs(deps, delivery) : backoffSeconds(tries, deps.random()) * 1_000;
  const isSent = await sendOn(deps, { ...delivery, failed: tries }, afterMs);
  return isSent
    ? { outcome: 'tried', afterMs, failed: tries, ...failure }
    : { outcome: 'given up', ...failure };
}

async function refuse(deps: NotifyDeps, delivery: DeliveryTo, why: string): Promise<DeliveryOutcome> {
  const recorded = await failed(deps, delivery, why);
  await endWait(deps, delivery);
  return { outcome: 'refused', why, webhook: delivery.url, ...recorded };
}

/** Records a failure. */
function failed({ deliveries }: NotifyDeps, { event, url }: DeliveryTo, text: string, status?: number) {
  return deliveries.failed(event.queue, url, { text, ...(status !== undefined && { status }) });
}

/** Records that a webhook has received its event, or does not subscribe to it. */
async function delivered(deps: NotifyDeps, delivery: DeliveryTo, status: number): Promise<void> {
  if (status === GONE) await failed(deps, delivery, 'the receiver accepts no more events', status);
  else await deps.deliveries.succeeded(delivery.event.queue, delivery.url);
  await endWait(deps, delivery);
}

/** Records the end of a wait, if the delivery has waited. */
async function endWait(
  { deliveries }: NotifyDeps,
  { event, url, waits, slowSinceMs }: DeliveryTo,
): Promise<void> {
  if (waits) await deliveries.waitEnded(event.queue, url, slowSinceMs ?? 0);
}

/** The delay until a delivery whose receiver is down, or whose queue cannot be read, is checked again. */
function untilUpMs({ now, random }: NotifyDeps, { slowSinceMs = now() }: Delivery): number {
  return postponeMs(now() - slowSinceMs, random());
}

async function postpone(
  deps: NotifyDeps,
  delivery: Delivery,
  afterMs: number,
  why: string,
  { recorded, keptMs }: { readonly recorded?: RecordedFailure | undefined; readonly keptMs?: number } = {},
): Promise<DeliveryOutcome> {
  const failure = { why, webhook: delivery.url ?? 'all', ...recorded };
  const isSent = await sendOn(deps, delivery, afterMs, keptMs);
  return isSent ? { outcome: 'postponed', afterMs, ...failure } : { outcome: 'given up', ...failure };
}

type Responded = Extract<OutboundResult, { outcome: 'responded' }>;

/** By the Standard Webhooks scheme, this status means that the receiver accepts no more events. */
const GONE = 410;

function isDelivered({ status }: Responded): boolean {
  return (status >= 200 && status < 300) || status === GONE;
}

function isResponse(result: OutboundResult): result is Responded {
  return result.outcome === 'responded';
}

/**
 * Sends a delivery to the slow lane, or to the dead letters after its last try or at the end of its time. Returns false
 * for a dead letter.
 */
async function sendOn(
  deps: NotifyDeps,
  delivery: Delivery,
  afterMs: number,
  keptMs: number = KEPT_MS.receiver,
): Promise<boolean> {
  const { sender, now, deliveries } = deps;
  const { event, url, secret, failed: tries = 0, slowSinceMs = now() } = delivery;
  const to = { event, ...(url !== undefined && { url }), ...(secret !== undefined && { secret }) };
  const isOver = tries >= TRIES || now() + afterMs - slowSinceMs > keptMs;
  if (isOver) {
    // A dead letter that is redriven starts with new tries, so it keeps no history.
    await sender.deadLetter(to);
    if (url !== undefined) await endWait(deps, { ...delivery, url });
    return false;
  }
  // A delivery that enters the slow lane without a failure does not count as waiting.
  const waits = delivery.waits ?? (url !== undefined && afterMs > 0);
  await sender.slowLane({ ...to, failed: tries, slowSinceMs, ...(waits && { waits }) }, afterMs);
  if (waits && delivery.waits === undefined) await deliveries.waitStarted(event.queue, url!, slowSinceMs);
  else if (waits) await deliveries.stillWaiting(event.queue, url!, slowSinceMs);
  return true;
}
