import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { backoffSeconds } from './backoff.ts';
import { logger } from './log.ts';
import { comeBack } from './message-queue.ts';

export type Consumed =
  | { outcome: 'done' }
  | { outcome: 'retry'; why: string }
  /** It never will work: the message is done with. */
  | { outcome: 'refused'; why: string };

/**
 * A Lambda handler for the messages of a queue. Messages of a batch are handled side by side, so a slow
 * one does not hold up its neighbours; one that has to be tried again, or that met an error, comes back
 * after a growing time until the queue's limit, then it goes to the dead letters.
 * @param idsOf what to find a message's way by in the logs
 */
export function queueConsumer<Body>(
  client: SQSClient,
  url: string,
  idsOf: (body: Body) => Record<string, string>,
  consume: (body: Body) => Promise<Consumed>,
) {
  const processor = new BatchProcessor(EventType.SQS);
  const one = async (record: SQSRecord): Promise<void> => {
    const body: Body = JSON.parse(record.body);
    const tries = Number(record.attributes.ApproximateReceiveCount);
    const ids = { messageId: record.messageId, ...idsOf(body), tries };
    const result = await consume(body).catch((error: Error): Consumed => {
      logger.error('a message met an error', { ...ids, error });
      return { outcome: 'retry', why: error.message };
    });
    if (result.outcome === 'done') return;
    if (result.outcome === 'refused') return logger.error('given up', { ...ids, why: result.why });
    const seconds = backoffSeconds(tries, Math.random());
    logger.warn('to be tried again', { ...ids, why: result.why, seconds });
    await comeBack(client, url, record.receiptHandle, seconds);
    throw new Error(result.why);
  };
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    logger.addContext(context);
    return processPartialResponse(event, one, processor, { context, throwOnFullBatchFailure: false });
  };
}
