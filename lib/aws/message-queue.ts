import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import { allOf } from '../service/concurrency/in-parallel.ts';
import { messageText } from '../service/events/message-text.ts';
import type { DeadlineTimer } from '../service/ports/deadlines.ts';
import type { DeliverySender } from '../service/ports/delivery-sender.ts';
import type { PushRetries } from '../service/ports/push-retries.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import type { TickSender } from '../service/ports/tick-sender.ts';
import { gathered, inBatches, untilAccepted } from './batches.ts';
import { REQUEST_TIMEOUTS, REQUEST_TRIES } from './request-timeouts.ts';
import { unlessThrottled } from './throttling.ts';

/** The maximum delay of SQS. */
const DELAY_SECONDS_MAX = 900;
/**
 * The maximum of a request: messages, and the bytes of their bodies. SQS has documented 1 MiB since August 2025 and
 * 256 KiB before.
 */
export const SEND_LIMIT = { count: 10, bytes: 256 * 1024 } as const;

/** The delay before the first retry of a push. */
const PUSH_RETRY_SECONDS = 1;

export interface OutgoingMessage {
  readonly body: unknown;
  readonly delaySeconds?: number;
  /**
   * The message group, 1 to 128 letters, digits and punctuation. Fair queues of SQS deliver messages of groups with many messages
   * in flight after those of others.
   */
  readonly group?: string;
}

/** @param config overrides the environment; functions need no overrides */
export function sqsClient(config: SQSClientConfig = {}): SQSClient {
  return new SQSClient({ maxAttempts: REQUEST_TRIES, requestHandler: REQUEST_TIMEOUTS, ...config });
}

/**
 * Sends messages in batches. Rejected messages are retried.
 * @throws StoreBusy when some are still rejected; the others are sent
 */
export async function sendAll(
  client: SQSClient,
  url: string,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  await allOf(sendEach(client, url, messages));
}

/** The same, with the result of each message. */
function sendEach(client: SQSClient, url: string, messages: readonly OutgoingMessage[]): Promise<void>[] {
  const entries = messages.map(({ body, delaySeconds = 0, group }, i) => ({
    Id: String(i),
    MessageBody: messageText(body),
    DelaySeconds: Math.min(DELAY_SECONDS_MAX, Math.max(0, Math.floor(delaySeconds))),
    ...(group !== undefined && { MessageGroupId: group }),
  }));
  const batches = inBatches(entries, SEND_LIMIT, ({ MessageBody }) => Buffer.byteLength(MessageBody));
  return batches.flatMap((batch) => {
    const rejected = sendBatch(client, url, batch);
    return batch.map(async (entry) => {
      if ((await rejected).includes(entry)) throw new StoreBusy('SQS keeps rejecting a message');
    });
  });
}

/** Returns the messages that are still rejected after all tries. */
function sendBatch(
  client: SQSClient,
  url: string,
  batch: readonly SendMessageBatchRequestEntry[],
): Promise<readonly SendMessageBatchRequestEntry[]> {
  return untilAccepted(batch, async (left) => {
    const command = new SendMessageBatchCommand({ QueueUrl: url, Entries: [...left] });
    const { Failed = [] } = await unlessThrottled(() => client.send(command));
    const failed = new Set(Failed.map(({ Id }) => Id));
    return left.filter(({ Id }) => failed.has(Id));
  });
}

/**
 * Sends ticks so that each arrives when it is due, or up to a second early, because SQS delays are whole seconds. Each queue of
 * the studio is a group, so that one with many or slow ticks does not delay the others.
 */
export function tickSender(client: SQSClient, url: string): TickSender {
  return {
    send: (messages, nowMs) =>
      sendAll(
        client,
        url,
        messages.map((tick) => ({
          body: tick,
          delaySeconds: (tick.slotMs - nowMs) / 1_000,
          group: tick.queue,
        })),
      ),
  };
}

/** Sends matches to `deadline` with a delay. */
export function deadlineTimer(client: SQSClient, url: string): DeadlineTimer {
  return {
    again: (matchIds, afterMs) =>
      sendAll(
        client,
        url,
        matchIds.map((matchId) => ({ body: { matchId }, delaySeconds: Math.ceil(afterMs / 1_000) })),
      ),
  };
}

/** The queues of `notify`, by URL. */
export interface DeliveryQueues {
  readonly first: string;
  readonly slowLane: string;
  readonly deadLetters: string;
}

/**
 * Sends deliveries to the queues of `notify`. Each queue of the studio is a group, so that one with many slow receivers does not
 * delay the others.
 */
export function deliverySender(client: SQSClient, urls: DeliveryQueues): DeliverySender {
  const slowLane = gathered<OutgoingMessage>((messages) => sendEach(client, urls.slowLane, messages));
  return {
    split: (deliveries) =>
      sendAll(
        client,
        urls.first,
        deliveries.map((body) => ({ body, group: body.event.queue })),
      ),
    slowLane: (body, afterMs) =>
      slowLane({ body, delaySeconds: Math.ceil(afterMs / 1_000), group: body.event.queue }),
    deadLetter: (body) => sendAll(client, urls.deadLetters, [{ body }]),
  };
}

/**
 * Sends pushes to the queue of their retries. Each queue of the studio is a group, so that a failing one does not delay the
 * others.
 */
export function pushRetries(client: SQSClient, url: string): PushRetries {
  return {
    send: (retries) =>
      sendAll(
        client,
        url,
        retries.map((body) => ({ body, delaySeconds: PUSH_RETRY_SECONDS, group: body.queue })),
      ),
  };
}

/** Makes a received message visible again after this time, instead of after the queue's visibility timeout. */
export async function setVisibility(
  client: SQSClient,
  url: string,
  receiptHandle: string,
  seconds: number,
): Promise<void> {
  await client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: url,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }),
  );
}
