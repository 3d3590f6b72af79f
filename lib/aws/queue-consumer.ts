import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Backoff, backoffSeconds } from './backoff.ts';
import { logger } from './log.ts';
import { comeBack } from './message-queue.ts';

export type Consumed =
  | { outcome: 'done' }
  /** `withinMs`: after so many milliseconds another try is of no use. */
  | { outcome: 'retry'; why: string; withinMs?: number }
  /** It never will work: the message is done with. */
  | { outcome: 'refused'; why: string };

/**
 * A provisioner that is back after an outage hears of every match within a minute. A placement may take an hour,
 * which is about 90 tries; the queue's `maxReceiveCount` has room for them.
 */
export const PROVISION_BACKOFF: Backoff = { secondsMax: 60 };

/**
 * A Lambda handler for the messages of a queue. Messages of a batch are handled side by side, so a slow
 * one does not hold up its neighbours; one that has to be tried again, or that met an error, comes back
 * after a growing time until the queue's limit, then it goes to the dead letters.
 * @param idsOf what to find a message's way by in the logs
 * @param backoff how long it waits between two tries
 */
export function queueConsumer<Body>(
  client: SQSClient,
  url: string,
  idsOf: (body: Body) => Record<string, string>,
  consume: (body: Body) => Promise<Consumed>,
  backoff: Backoff = {},
) {
  const processor = new BatchProcessor(EventType.SQS);
  const one = async (record: SQSRecord): Promise<void> => {
    const tries = Number(record.attributes.ApproximateReceiveCount);
    let ids: Record<string, string | number> = { messageId: record.messageId, tries };
    const read = async (): Promise<Consumed> => {
      const body: Body = JSON.parse(record.body);
      ids = { ...ids, ...idsOf(body) };
      return consume(body);
    };
    const result = await read().catch((error: Error): Consumed => {
      logger.error('a message met an error', { ...ids, error });
      return { outcome: 'retry', why: error.message };
    });
    if (result.outcome === 'done') return;
    if (result.outcome === 'refused') return logger.error('given up', { ...ids, why: result.why });
    const seconds = backoffSeconds(tries, Math.random(), { ...backoff, withinMs: result.withinMs });
    logger.warn('to be tried again', { ...ids, why: result.why, seconds });
    await comeBack(client, url, record.receiptHandle, seconds);
    throw new Error(result.why);
  };
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    logger.addContext(context);
    return processPartialResponse(event, one, processor, { context, throwOnFullBatchFailure: false });
  };
}
