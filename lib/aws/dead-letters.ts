import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { DeadLetters } from '../contract/dead-letters.ts';
import { unlessThrottled } from './throttling.ts';

/** The URLs of dead-letter queues by consumer, in the format of the template. */
const urlsByConsumer = z.record(z.string(), z.string());

/**
 * Counts dead letters.
 * @param urls JSON: the URLs of the dead-letter queues by consumer
 * @throws StoreBusy when SQS is throttling
 */
export function deadLetterCounts(client: SQSClient, urls: string): () => Promise<DeadLetters> {
  const queues = Object.entries(urlsByConsumer.parse(JSON.parse(urls)));
  return async () => ({
    consumers: await Promise.all(
      queues.map(async ([consumer, url]) => ({ consumer, messages: await countMessages(client, url) })),
    ),
  });
}

/** Includes messages that were received and are not deleted yet. */
async function countMessages(client: SQSClient, QueueUrl: string): Promise<number> {
  const command = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  const { Attributes = {} } = await unlessThrottled(() => client.send(command));
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}
