import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logger } from '../../../lib/aws/log.ts';
import { matchIdOf } from '../../../lib/aws/match-message.ts';
import { type Consumer, messageConsumer, PROVISION_BACKOFF } from '../../../lib/aws/message-consumer.ts';
import { sqsClient } from '../../../lib/aws/message-queue.ts';
import type { MatchStatus } from '../../../lib/contract/match.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import { provision } from '../../../lib/service/placement/provision.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { match, NOW_MS } from '../../aws/samples.ts';
import { builtApp } from '../../infra/built-app.ts';
import { functionNamed, resourcesOf, target } from '../../infra/resources.ts';
import { definition } from '../definitions.ts';

const { template } = builtApp();

/** How often the queue of `provision` delivers a message before it becomes a dead letter. */
const triesMax: number = resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
  .filter(({ Properties }) => functionNamed(template, Properties.FunctionName) === 'provision')
  .map(({ Properties }) => template.Resources[target(Properties.EventSourceArn)]!)
  .map(({ Properties }) => Properties.RedrivePolicy.maxReceiveCount)[0];

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

describe('a match that is to be placed', () => {
  let nowMs: number;
  beforeEach(() => {
    nowMs = NOW_MS;
    vi.spyOn(logger, 'warn').mockImplementation(() => {});
    vi.spyOn(logger, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Delivers the message of a new match until it is deleted or becomes a dead letter. */
  const live = async (
    timeoutSeconds: number,
    { isDown, isStoreDown = () => false }: { isDown: () => boolean; isStoreDown?: () => boolean },
  ) => {
    const deadlineMs = nowMs + timeoutSeconds * SECOND_MS;
    let stored: StoredMatch = match('q', 'm', ['a'], {
      status: 'PLACING',
      deadline: new Date(deadlineMs).toISOString(),
    });
    const asked: number[] = [];
    const deps: Parameters<typeof provision>[0] = {
      outcomes: { add: async () => true, recent: async () => [] },
      failedShareMax: 1,
      presence: { of: async () => new Map() },
      queues: { get: async () => ({ definition: queueDefinition }) } as never,
      matches: {
        get: async () => {
          if (isStoreDown()) throw new StoreBusy('out of order');
          return stored;
        },
        assign: async () => {
          stored = { ...stored, status: 'COMPLETED' };
        },
        advance: async (_id: string, _from: MatchStatus, status: MatchStatus) => {
          stored = { ...stored, status };
          return true;
        },
      } as never,
      provisioners: () => ({
        place: async () => {
          asked.push(nowMs - deadlineMs);
          return isDown()
            ? { outcome: 'retry', why: 'the provisioner returned status 503' }
            : { outcome: 'assigned', assignment: { address: 'game.example' } };
        },
      }),
    };
    const ended = await handOut(() => provision(deps, 'm', nowMs));
    return { ...ended, status: stored.status, asked };
  };

  const queueDefinition = definition({ provisioner: { type: 'http', url: 'https://games.example' } });

  const handOut = async (consume: Consumer<unknown>['consume']) => {
    const client = sqsClient({ region: 'us-east-1' });
    const sqs = mockClient(client);
    const handler = messageConsumer(
      client,
      ['https://sqs.example/0/name'],
      { read: (body) => body, idsOf: () => ({}), consume },
      PROVISION_BACKOFF,
    );
    for (let tries = 1; tries <= triesMax; tries++) {
      sqs.reset();
      const { batchItemFailures } = await handler(received('{}', tries), CONTEXT);
      if (batchItemFailures.length === 0) return { ended: 'done', tries };
      const [postponed] = sqs.commandCalls(ChangeMessageVisibilityCommand);
      nowMs += postponed!.args[0].input.VisibilityTimeout! * SECOND_MS;
    }
    return { ended: 'dead letter', tries: triesMax };
  };

  const phases = [0, 0.999].flatMap((random) =>
    [0, 10, 50, 119].map((seconds) => [seconds, random] as const),
  );

  it.each(phases)(
    'is placed although the provisioner fails for two minutes (%d s in, random %d)',
    async (seconds, random) => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      nowMs += seconds * SECOND_MS;
      const placed = await live(300, { isDown: () => nowMs < NOW_MS + 2 * MINUTE_MS });
      expect(placed).toMatchObject({ ended: 'done', status: 'COMPLETED' });
      expect(nowMs).toBeLessThan(NOW_MS + 3 * MINUTE_MS + SECOND_MS);
    },
  );

  it.each([0, 0.999])(
    'is placed although the provisioner fails for 20 minutes, if it may take an hour (random %d)',
    async (random) => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      const placed = await live(3_600, { isDown: () => nowMs < NOW_MS + 20 * MINUTE_MS });
      expect(placed).toMatchObject({ ended: 'done', status: 'COMPLETED' });
      expect(nowMs).toBeLessThan(NOW_MS + 21 * MINUTE_MS + SECOND_MS);
    },
  );

  it('is placed after the store fails for two minutes', async () => {
    const placed = await live(300, {
      isDown: () => false,
      isStoreDown: () => nowMs < NOW_MS + 2 * MINUTE_MS,
    });
    expect(placed).toMatchObject({ ended: 'done', status: 'COMPLETED' });
  });

  it.each([
    [1, 0],
    [30, 0],
    [300, 0],
    [3_600, 0],
    [3_600, 0.999],
  ])(
    'is retried until its placement times out after %d s, and is no dead letter (random %d)',
    async (timeoutSeconds, random) => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      const { ended, status, asked } = await live(timeoutSeconds, { isDown: () => true });
      expect([ended, status]).toEqual(['done', 'PLACING']);
      expect(asked.at(-1)).toBeLessThan(0);
      expect(asked.at(-1)).toBeGreaterThanOrEqual(-3 * SECOND_MS);
    },
  );

  it.each([0, 0.999])(
    'whose message fails every time becomes a dead letter within three hours (random %d)',
    async (random) => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      expect(await handOut(() => Promise.reject(new Error('poison')))).toMatchObject({
        ended: 'dead letter',
      });
      expect(nowMs).toBeLessThan(NOW_MS + 180 * MINUTE_MS);
    },
  );

  it('whose message cannot be read is postponed like any other that fails', async () => {
    const client = sqsClient({ region: 'us-east-1' });
    const sqs = mockClient(client);
    const handler = messageConsumer(client, ['https://sqs.example/0/name'], {
      read: matchIdOf,
      idsOf: (matchId) => ({ matchId }),
      consume: async () => ({ outcome: 'done' }),
    });
    for (const body of ['', '{', '{}', 'null']) {
      sqs.reset();
      const { batchItemFailures } = await handler(received(body, 1), CONTEXT);
      expect(batchItemFailures).toHaveLength(1);
      expect(sqs.commandCalls(ChangeMessageVisibilityCommand)).toHaveLength(1);
    }
  });
});

const CONTEXT = { getRemainingTimeInMillis: () => 30_000 } as Context;

function received(body: string, tries: number): SQSEvent {
  const attributes = { ApproximateReceiveCount: String(tries) };
  const eventSourceARN = 'arn:aws:sqs:us-east-1:000000000000:name';
  const record = { messageId: 'm', receiptHandle: 'r', body, attributes, eventSourceARN };
  return { Records: [record] } as unknown as SQSEvent;
}
