import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { DeadLetters } from '../contract/dead-letters.ts';
import { unlessThrottled } from './throttling.ts';

/** The URLs of dead-letter queues by consumer, as the template writes them. */
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

/** Those that were received and not deleted yet count as well. */
async function countMessages(client: SQSClient, QueueUrl: string): Promise<number> {
  const command = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  const { Attributes = {} } = await unlessThrottled(() => client.send(command));
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}
