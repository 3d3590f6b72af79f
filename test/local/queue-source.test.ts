import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { callAws } from '../../lib/local/aws-json.ts';
import { type QueueSource, startQueueSource } from '../../lib/local/queue-source.ts';
import { SQS_TARGET, type Sqs, startSqs } from '../../lib/local/sqs.ts';
import { fakeFunction, resourceOf, scratchDir, stackOf, until } from './fixtures.ts';

type SqsEvent = { Records: { messageId: string; body: string; attributes: Record<string, string> }[] };

const queueNames = ['Plain', 'Partial', 'Confused', 'Failing', 'Delayed', 'Many', 'Fair'];
const stack = stackOf({
  DeadLetters: { Type: 'AWS::SQS::Queue' },
  ...Object.fromEntries(
    queueNames.map((name) => [
      name,
      {
        Type: 'AWS::SQS::Queue',
        Properties: {
          // A failed message becomes visible again after a second.
          VisibilityTimeout: ['Partial', 'Confused', 'Failing'].includes(name) ? 1 : 600,
          RedrivePolicy: {
            deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] },
            maxReceiveCount: 2,
          },
        },
      },
    ]),
  ),
});
const queues = stack.resources('AWS::SQS::Queue');

let sqs: Sqs;
const sources: QueueSource[] = [];
beforeAll(async () => {
  sqs = await startSqs(queues);
});
afterAll(async () => {
  await sqs.endWaitsUntil(Promise.all(sources.map((source) => source.stop())));
  await sqs.stop();
});

const send = (QueueUrl: string, MessageBody: string, rest: object = {}) =>
  callAws(sqs.service, SQS_TARGET, 'SendMessage', { QueueUrl, MessageBody, ...rest });

/** Connects the queue to a function until the end of the file. */
function connect(queueName: string, answer: (event: SqsEvent) => unknown, mapping: object = {}) {
  const queue = resourceOf(stack, 'AWS::SQS::Queue', queueName);
  const target = fakeFunction('Consumer', answer);
  const source = startQueueSource({
    mapping: resourceOf(
      stackOf({
        Mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { BatchSize: 10, ...mapping } },
      }),
      'AWS::Lambda::EventSourceMapping',
      'Mapping',
    ),
    queue,
    target,
    sqs: sqs.service,
    delays: NO_DELAYS,
    log: () => {},
  });
  sources.push(source);
  return { queue, events: target.events as SqsEvent[] };
}

const isEmpty = (queueName: string) => {
  const { ready, delayed, inFlight } = sqs.inspect(queueName);
  return ready.length + delayed.length + inFlight.length === 0;
};
const deadLetters = () => sqs.inspect('DeadLetters').ready.map(({ body }) => body);

describe.concurrent('a queue with a function', () => {
  test('passes messages in the format of AWS to the function and deletes them', async () => {
    const { queue, events } = connect('Plain', () => null);
    await send(queue.ref, 'hello');
    await until(() => isEmpty('Plain'));
    expect(events).toEqual([
      {
        Records: [
          {
            messageId: expect.any(String),
            receiptHandle: expect.any(String),
            body: 'hello',
            attributes: {
              ApproximateReceiveCount: '1',
              ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
              SenderId: expect.any(String),
              SentTimestamp: expect.stringMatching(/^\d{13}$/),
            },
            messageAttributes: {},
            md5OfBody: '5d41402abc4b2a76b9719d911017c592',
            eventSource: 'aws:sqs',
            eventSourceARN: queue.arn,
            awsRegion: 'us-east-1',
          },
        ],
      },
    ]);
  });

  test('receives messages of groups with few messages in flight first, as fair queues of SQS do', async () => {
    const { ref } = resourceOf(stack, 'AWS::SQS::Queue', 'Fair');
    for (const body of ['noisy 1', 'noisy 2', 'noisy 3', 'noisy 4'])
      await send(ref, body, { MessageGroupId: 'noisy' });
    const receive = async (count: number) => {
      const { Messages = [] } = await callAws<{ Messages?: { Body: string }[] }>(
        sqs.service,
        SQS_TARGET,
        'ReceiveMessage',
        { QueueUrl: ref, MaxNumberOfMessages: count, VisibilityTimeout: 600 },
      );
      return Messages.map(({ Body }) => Body);
    };
    expect(await receive(2)).toEqual(['noisy 1', 'noisy 2']);
    for (const body of ['quiet 1', 'quiet 2']) await send(ref, body, { MessageGroupId: 'quiet' });
    expect(await receive(1)).toEqual(['quiet 1']);
    expect(await receive(3)).toEqual(['quiet 2', 'noisy 3', 'noisy 4']);
  });

  test('retries only the messages that the function reports as failed, until they are dead letters', async () => {
    const { queue, events } = connect(
      'Partial',
      ({ Records }) => ({
        batchItemFailures: Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({
          itemIdentifier: messageId,
        })),
      }),
      { FunctionResponseTypes: ['ReportBatchItemFailures'] },
    );
    await Promise.all(['good', 'bad', 'fine'].map((body) => send(queue.ref, body)));
    await until(() => deadLetters().includes('bad') && isEmpty('Partial'));
    const bodies = events.flatMap(({ Records }) => Records.map(({ body }) => body));
    expect(bodies.filter((body) => body === 'bad').length).toBeGreaterThanOrEqual(2);
    expect(new Set(bodies)).toEqual(new Set(['bad', 'fine', 'good']));
  });

  test('retries the whole batch when the function reports a message that is not in the batch', async () => {
    const { queue } = connect('Confused', () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] }), {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    await send(queue.ref, 'confused');
    await until(() => deadLetters().includes('confused'));
  });

  test('retries the batch when the function throws', async () => {
    const { queue, events } = connect('Failing', () => {
      throw new Error('no');
    });
    await send(queue.ref, 'doomed');
    await until(() => deadLetters().includes('doomed'));
    expect(events.map(({ Records }) => Records[0]!.attributes.ApproximateReceiveCount)).toEqual(['1', '2']);
  });

  test('does not deliver a delayed message before its delay has passed', async () => {
    const receivedAtMs: number[] = [];
    const { queue } = connect('Delayed', () => receivedAtMs.push(Date.now()));
    const sentAtMs = Date.now();
    await send(queue.ref, 'later', { DelaySeconds: 1 });
    await until(() => receivedAtMs.length > 0);
    expect(receivedAtMs[0]! - sentAtMs).toBeGreaterThanOrEqual(1_000);
  });

  test('runs at most as many invocations at a time as the mapping allows', async () => {
    let running = 0;
    let runningMax = 0;
    const twoRun = Promise.withResolvers<void>();
    const { queue } = connect(
      'Many',
      async () => {
        running++;
        runningMax = Math.max(runningMax, running);
        if (running === 2) twoRun.resolve();
        await twoRun.promise;
        running--;
      },
      { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } },
    );
    await Promise.all(Array.from({ length: 20 }, (_, index) => send(queue.ref, String(index))));
    await until(() => isEmpty('Many'));
    expect(runningMax).toBe(2);
  });
});

test('a data directory keeps all messages with their receive counts; those in flight are received again at once', async () => {
  const dataDir = scratchDir();
  const [queue] = stackOf({
    Kept: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 600 } },
  }).resources('AWS::SQS::Queue');
  const receive = async (from: Sqs) =>
    (
      await callAws<{ Messages: { Body: string; Attributes: object }[] }>(
        from.service,
        SQS_TARGET,
        'ReceiveMessage',
        {
          QueueUrl: queue!.ref,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        },
      )
    ).Messages[0]!;
  const first = await startSqs([queue!], { dataDir });
  for (const MessageBody of ['one', 'two']) {
    await callAws(first.service, SQS_TARGET, 'SendMessage', { QueueUrl: queue!.ref, MessageBody });
  }
  await receive(first);
  expect(first.inspect('Kept')).toMatchObject({ ready: [{ body: 'two' }], inFlight: [{ body: 'one' }] });
  // It is not stopped before the second starts, as after a kill.
  onTestFinished(() => first.stop());

  const second = await startSqs([queue!], { dataDir });
  onTestFinished(() => second.stop());
  expect(second.inspect('Kept').inFlight).toEqual([]);
  const again = [await receive(second), await receive(second)].map(({ Body, Attributes }) => ({
    Body,
    Attributes,
  }));
  expect(again).toEqual(
    expect.arrayContaining([
      { Body: 'one', Attributes: { ApproximateReceiveCount: '2' } },
      { Body: 'two', Attributes: { ApproximateReceiveCount: '1' } },
    ]),
  );
});
