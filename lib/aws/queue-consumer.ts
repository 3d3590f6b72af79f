import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { backoffSeconds } from '../service/backoff.ts';
import { logger } from './log.ts';
import { comeBack } from './message-queue.ts';

export type Consumed = { outcome: 'done' } | { outcome: 'retry'; why: string };

/**
 * A Lambda handler for the messages of a queue. Messages of a batch are handled side by side, so a slow
 * one does not hold up its neighbours; one that has to be tried again comes back after a growing time
 * until the queue's limit, then it goes to the dead letters.
 */
export function queueConsumer(
  client: SQSClient,
  url: string,
  consume: (body: unknown, record: SQSRecord) => Promise<Consumed>,
) {
  const processor = new BatchProcessor(EventType.SQS);
  const one = async (record: SQSRecord): Promise<void> => {
    const result = await consume(JSON.parse(record.body), record);
    if (result.outcome === 'done') return;
    const tries = Number(record.attributes.ApproximateReceiveCount);
    const seconds = backoffSeconds(tries, Math.random());
    logger.warn('to be tried again', { messageId: record.messageId, why: result.why, tries, seconds });
    await comeBack(client, url, record.receiptHandle, seconds);
    throw new Error(result.why);
  };
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
    processPartialResponse(event, one, processor, { context, throwOnFullBatchFailure: false });
}
