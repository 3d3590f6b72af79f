import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Backoff, backoffSeconds } from '../service/events/backoff.ts';
import { logger } from './log.ts';
import { setVisibility } from './message-queue.ts';

export type Consumed =
  | { outcome: 'done' }
  /** `withinMs`: milliseconds after which a retry is useless. */
  | { outcome: 'retry'; why: string; withinMs?: number }
  /** Nothing has failed. The message becomes visible again after `afterMs`, at most 12 hours. */
  | { outcome: 'waiting'; why: string; afterMs: number }
  /** A try has failed. A new message for the next try is sent. */
  | { outcome: 'tried'; why: string }
  /** Nothing was tried. A new message for a later try is sent. */
  | { outcome: 'postponed'; why: string }
  /** The message is a dead letter. */
  | { outcome: 'given up'; why: string }
  /** A retry cannot succeed, so the message is deleted. */
  | { outcome: 'refused'; why: string };

type LogIds = Readonly<Record<string, unknown>>;

export interface Consumer<Message> {
  /**
   * Parses a message that this or another version of Muster has written.
   * @throws Unreadable
   */
  readonly read: (body: unknown) => Message;
  /** Log fields that identify a message. @param body as it was received */
  readonly idsOf: (message: Message, body: unknown) => LogIds;
  /** @param learned adds log fields that are only known during the work */
  readonly consume: (message: Message, learned: (ids: LogIds) => void) => Promise<Consumed>;
}

/**
 * After an outage, a provisioner is called for every match within a minute. A placement may take an hour, which is about 90
 * tries; the SQS queue's `maxReceiveCount` allows them.
 */
export const PROVISION_BACKOFF: Backoff = { secondsMax: 60 };

/** A failing message of `notify` is tried about 40 times in half an hour, one of `deadline` about 20 times in a quarter. */
const BACKOFF: Backoff = { secondsMax: 60 };

/** A message that has not ended fails at this time before the function's time limit. */
export const MESSAGE_MARGIN_MS = 1_000;

/**
 * A Lambda handler for the messages of an SQS queue. The messages of a batch are handled in parallel, so a slow one does not
 * delay the others. A message that takes longer than the function's time fails alone, a moment earlier. Otherwise all messages of
 * the batch would be received again. A message that must be retried, fails or cannot be parsed becomes visible again after a
 * growing delay. At the SQS queue's limit it goes to the dead letters.
 * @param urls the SQS queues that invoke the function
 * @param backoff the delays between the tries of a message
 */
export function messageConsumer<Message>(
  client: SQSClient,
  urls: readonly string[],
  consumer: Consumer<Message>,
  backoff: Backoff = BACKOFF,
) {
  const processor = new BatchProcessor(EventType.SQS);
  /** Reports the message as failed, so that it is not deleted. */
  const becomesVisible = async (record: SQSRecord, seconds: number, why: string): Promise<never> => {
    await setVisibility(client, urlOf(urls, record), record.receiptHandle, Math.max(1, seconds));
    throw new Error(why);
  };
  const one = async (record: SQSRecord, limitMs: number): Promise<void> => {
    const tries = Number(record.attributes.ApproximateReceiveCount);
    let ids: LogIds = { messageId: record.messageId, tries };
    const handle = async (): Promise<Consumed> => {
      const body: unknown = JSON.parse(record.body);
      const message = consumer.read(body);
      ids = { ...ids, ...consumer.idsOf(message, body) };
      return consumer.consume(message, (more) => {
        ids = { ...ids, ...more };
      });
    };
    const result = await withTimeLimit(limitMs, handle()).catch((error: Error): Consumed => {
      logger.error('a message failed', { ...ids, error });
      return { outcome: 'retry', why: error.message };
    });
    const { outcome, ...details } = result;
    if (result.outcome === 'done') return;
    // A message that only waits is not logged by default.
    if (result.outcome === 'postponed') return logger.debug('postponed', { ...ids, ...details });
    if (result.outcome === 'waiting') {
      logger.debug('a message is read again later', { ...ids, ...details });
      return becomesVisible(record, Math.ceil(result.afterMs / 1_000), result.why);
    }
    if (result.outcome === 'tried') return logger.warn('a message will be retried', { ...ids, ...details });
    // The alarm on the dead letters reports it. This line has the reason.
    if (result.outcome === 'given up')
      return logger.warn('a message is a dead letter', { ...ids, ...details });
    if (result.outcome === 'refused') return logger.error('given up', { ...ids, ...details });
    const seconds = backoffSeconds(tries, Math.random(), { ...backoff, withinMs: result.withinMs });
    logger.warn('a message will be retried', { ...ids, why: result.why, seconds });
    return becomesVisible(record, seconds, result.why);
  };
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    logger.addContext(context);
    const limitMs = Math.max(0, context.getRemainingTimeInMillis() - MESSAGE_MARGIN_MS);
    return processPartialResponse(event, (record: SQSRecord) => one(record, limitMs), processor, {
      context,
      throwOnFullBatchFailure: false,
    });
  };
}

/** The result of the work. @throws when it exceeds the limit */
async function withTimeLimit<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`expected a result within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** The queue that a message came from. An ARN and a URL both end in the queue's name. */
function urlOf(urls: readonly string[], { eventSourceARN }: SQSRecord): string {
  const name = eventSourceARN.split(':').at(-1);
  return urls.find((url) => url.endsWith(`/${name}`))!;
}
