import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import type { DeadlineTimer } from '../service/ports/deadline-timer.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import type { TickSender } from '../service/ports/tick-sender.ts';
import { toWire } from '../service/ticks/tick-message.ts';
import { REQUEST_TIMEOUTS, REQUEST_TRIES } from './request-timeouts.ts';
import { unlessThrottled } from './throttling.ts';

/** The longest delay SQS has. */
const DELAY_SECONDS_MAX = 900;
const BATCH = 10;
/** Tries of a batch of which SQS takes only a part. */
const ATTEMPTS = 4;

export interface OutgoingMessage {
  readonly body: unknown;
  readonly delaySeconds?: number;
}

/** @param config what the environment does not say; a function needs nothing */
export function sqsClient(config: SQSClientConfig = {}): SQSClient {
  return new SQSClient({ maxAttempts: REQUEST_TRIES, requestHandler: REQUEST_TIMEOUTS, ...config });
}

/**
 * Sends messages in batches. What SQS refuses is tried again.
 * @throws StoreBusy when some are still refused; the others are sent
 */
export async function sendAll(
  client: SQSClient,
  url: string,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  const entries = messages.map(({ body, delaySeconds = 0 }, i) => ({
    Id: String(i),
    MessageBody: JSON.stringify(body),
    DelaySeconds: Math.min(DELAY_SECONDS_MAX, Math.max(0, Math.floor(delaySeconds))),
  }));
  const batches = Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, i) =>
    entries.slice(i * BATCH, (i + 1) * BATCH),
  );
  await Promise.all(batches.map((batch) => sendBatch(client, url, batch)));
}

async function sendBatch(
  client: SQSClient,
  url: string,
  batch: SendMessageBatchRequestEntry[],
): Promise<void> {
  let left = batch;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const command = new SendMessageBatchCommand({ QueueUrl: url, Entries: left });
    const { Failed = [] } = await unlessThrottled(() => client.send(command));
    if (Failed.length === 0) return;
    const failed = new Set(Failed.map(({ Id }) => Id));
    left = left.filter(({ Id }) => failed.has(Id));
    await sleep(Math.random() * 50 * 2 ** attempt);
  }
  throw new StoreBusy(`${left.length} messages could not be sent`);
}

/** Sends ticks so that each arrives when it is due; SQS counts in whole seconds, so up to one early. */
export function tickSender(client: SQSClient, url: string): TickSender {
  return {
    send: (messages, nowMs) =>
      sendAll(
        client,
        url,
        messages.map((tick) => ({ body: toWire(tick), delaySeconds: (tick.slotMs - nowMs) / 1_000 })),
      ),
  };
}

/** Sends matches to `deadline`, which checks them after a time. */
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

/** Lets a message that was received come back after a time instead of the queue's own. */
export async function comeBack(
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
