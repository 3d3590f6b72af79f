import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { backoffSeconds } from './backoff.ts';
import { logger } from './log.ts';
import { comeBack } from './message-queue.ts';

export type Consumed =
  | { outcome: 'done' }
  | { outcome: 'retry'; why: string }
  /** No other try can succeed: the message is deleted. */
  | { outcome: 'refused'; why: string };

export interface Consumer<Message> {
  /**
   * Reads a message that this or another version of Muster has written.
   * @throws Unreadable
   */
  readonly read: (body: unknown) => Message;
  /** Fields of the log by which a message can be found. */
  readonly idsOf: (message: Message) => Record<string, string>;
  readonly consume: (message: Message) => Promise<Consumed>;
}

/**
 * A Lambda handler for the messages of an SQS queue. The messages of a batch are handled in parallel, so a
 * slow one does not delay the others. A message to be tried again, one that met an error and one that cannot
 * be read come back after a growing delay; at the SQS queue's limit they go to the dead letters.
 */
export function queueConsumer<Message>(client: SQSClient, url: string, consumer: Consumer<Message>) {
  const processor = new BatchProcessor(EventType.SQS);
  const one = async (record: SQSRecord): Promise<void> => {
    const tries = Number(record.attributes.ApproximateReceiveCount);
    const ids: Record<string, unknown> = { messageId: record.messageId, tries };
    const handle = async (): Promise<Consumed> => {
      const message = consumer.read(JSON.parse(record.body));
      Object.assign(ids, consumer.idsOf(message));
      return consumer.consume(message);
    };
    const result = await handle().catch((error: Error): Consumed => {
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
