import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, it, vi } from 'vitest';
import { logger } from '../../lib/aws/log.ts';
import { type Consumed, MESSAGE_MARGIN_MS, messageConsumer } from '../../lib/aws/message-consumer.ts';
import { sqsClient } from '../../lib/aws/message-queue.ts';
import { Unreadable } from '../../lib/service/domain/unreadable.ts';

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

it('a message that no try can handle is an error of the log at once, and a dead letter after half an hour', async () => {
  const error = vi.spyOn(logger, 'error').mockImplementation(() => {});
  vi.spyOn(logger, 'warn').mockImplementation(() => {});
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const client = sqsClient({ region: 'us-east-1' });
  const sqs = mockClient(client);
  const handler = messageConsumer(client, ['https://sqs.example/0/name'], {
    read: () => {
      throw new Unreadable('of a later version');
    },
    idsOf: () => ({}),
    consume: async () => ({ outcome: 'done' }),
  });
  const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
  const receivesOfNotify = 40;
  for (let tries = 1; tries <= receivesOfNotify; tries++) {
    const event = received('poison');
    event.Records[0]!.attributes.ApproximateReceiveCount = String(tries);
    expect((await handler(event, context)).batchItemFailures).toHaveLength(1);
    expect(error).toHaveBeenLastCalledWith('a message failed', expect.objectContaining({ tries }));
  }
  const seconds = sqs
    .commandCalls(ChangeMessageVisibilityCommand)
    .reduce((sum, { args }) => sum + args[0].input.VisibilityTimeout!, 0);
  expect(seconds / 60).toBeGreaterThan(25);
  expect(seconds / 60).toBeLessThan(40);
});

it('a message that fails is logged with what its work has found out', async () => {
  const error = vi.spyOn(logger, 'error').mockImplementation(() => {});
  vi.spyOn(logger, 'warn').mockImplementation(() => {});
  const client = sqsClient({ region: 'us-east-1' });
  mockClient(client);
  const handler = messageConsumer(client, ['https://sqs.example/0/name'], {
    read: (body) => body as string,
    idsOf: (matchId) => ({ matchId }),
    consume: async (_, learned): Promise<Consumed> => {
      learned({ ticketIds: ['t-1', 't-2'] });
      throw new Error('the store is gone');
    },
  });
  await handler(received('m-1'), { getRemainingTimeInMillis: () => 10_000 } as Context);
  const ids = { matchId: 'm-1', ticketIds: ['t-1', 't-2'] };
  expect(error).toHaveBeenCalledWith('a message failed', expect.objectContaining(ids));
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
