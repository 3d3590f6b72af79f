import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, it, vi } from 'vitest';
import { logger } from '../../lib/aws/log.ts';
import { type Consumed, MESSAGE_MARGIN_MS, messageConsumer } from '../../lib/aws/message-consumer.ts';
import { sqsClient } from '../../lib/aws/message-queue.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a message that does not end fails alone, before the time limit of the function', async () => {
  vi.spyOn(logger, 'error').mockImplementation(() => {});
  vi.spyOn(logger, 'warn').mockImplementation(() => {});
  const client = sqsClient({ region: 'us-east-1' });
  const sqs = mockClient(client);
  const consumed: string[] = [];
  const handler = messageConsumer(client, ['https://sqs.example/0/name'], {
    read: (body) => body as string,
    idsOf: () => ({}),
    consume: async (message): Promise<Consumed> => {
      if (message === 'endless') await new Promise(() => {});
      consumed.push(message);
      return { outcome: 'done' };
    },
  });
  const context = { getRemainingTimeInMillis: () => MESSAGE_MARGIN_MS + 20 } as Context;
  const { batchItemFailures } = await handler(received('one', 'endless', 'two'), context);
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'endless' }]);
  expect(consumed).toEqual(['one', 'two']);
  expect(sqs.commandCalls(ChangeMessageVisibilityCommand).map(({ args }) => args[0].input)).toEqual([
    { QueueUrl: 'https://sqs.example/0/name', ReceiptHandle: 'endless', VisibilityTimeout: 1 },
  ]);
});

function received(...bodies: readonly string[]): SQSEvent {
  const Records = bodies.map((body) => ({
    messageId: body,
    receiptHandle: body,
    body: JSON.stringify(body),
    attributes: { ApproximateReceiveCount: '1' },
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:name',
  }));
  return { Records } as unknown as SQSEvent;
}
