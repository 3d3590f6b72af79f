import { readFileSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  AWS_DELAYS,
  type AwsDelays,
  awsDelays,
  type DelayedStep,
  NO_DELAYS,
  STREAM_POLL,
} from '../../lib/local/aws-delays.ts';
import { type AwsService, jsonReply } from '../../lib/local/aws-json.ts';
import { DYNAMODB_TARGET, STREAMS_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import { EVENTS_TARGET, makeEventBus } from '../../lib/local/event-bus.ts';
import { makeFunctions } from '../../lib/local/lambda.ts';
import { stepOf } from '../../lib/local/request-step.ts';
import { SQS_TARGET } from '../../lib/local/sqs.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { newDir, stackOf, writeCode } from './fixtures.ts';

const STEPS = Object.keys(AWS_DELAYS) as DelayedStep[];

describe('the delays of AWS', () => {
  it.each(STEPS)('have the stated percentiles for %s', (step) => {
    const delays = awsDelays(seededRandom(7));
    const times = Array.from({ length: 20_000 }, () => delays.ms(step)).sort((a, b) => a - b);
    const { p50Ms, p99Ms } = AWS_DELAYS[step];
    expect(times[10_000]! / p50Ms).toBeCloseTo(1, 1);
    expect(times[19_800]! / p99Ms).toBeCloseTo(1, 0);
    expect(times.at(-1)).toBeLessThanOrEqual(3 * p99Ms);
  });

  it('are the same in every run', () => {
    const draw = () => {
      const delays = awsDelays();
      return STEPS.map((step) => delays.ms(step));
    };
    expect(draw()).toEqual(draw());
  });

  it('delay the result of work that ends sooner', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let done = false;
    const result = awsDelays()
      .atLeast('dynamodbRead', async () => 'read')
      .then((read) => {
        done = true;
        return read;
      });
    await vi.advanceTimersByTimeAsync(0.5);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(await result).toBe('read');
  });

  it('end immediately when they are stopped, and later delays are skipped', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const delays = awsDelays();
    const before = delays.wait('lambdaColdStart');
    delays.stop();
    await before;
    const after = delays.wait('lambdaColdStart');
    await vi.advanceTimersByTimeAsync(0);
    await after;
  });

  it('depend on the operation that a function calls', () => {
    expect([
      stepOf(DYNAMODB_TARGET, 'GetItem'),
      stepOf(DYNAMODB_TARGET, 'UpdateItem'),
      stepOf(DYNAMODB_TARGET, 'Query'),
      stepOf(DYNAMODB_TARGET, 'TransactWriteItems'),
      stepOf(SQS_TARGET, 'SendMessage'),
      stepOf(EVENTS_TARGET, 'PutEvents'),
      stepOf(STREAMS_TARGET, 'GetRecords'),
    ]).toEqual([
      'dynamodbRead',
      'dynamodbWrite',
      'dynamodbPage',
      'dynamodbTransaction',
      'sqsRequest',
      'eventBusRequest',
      undefined,
    ]);
  });

  it('are listed in docs/local.md', () => {
    const docs = readFileSync(new URL('../../docs/local.md', import.meta.url), 'utf8');
    for (const step of STEPS) {
      const { p50Ms, p99Ms, source } = AWS_DELAYS[step];
      expect(docs).toContain(`| \`${step}\` | ${p50Ms} | ${p99Ms} | ${source} |`);
    }
    expect(docs).toContain(STREAM_POLL.source);
  });
});

describe('delays of the local cloud', () => {
  it('let the bus accept an event before it delivers it, and deliver every event before it stops', async () => {
    const sent: string[] = [];
    const sqs: AwsService = async ({ input }) => {
      sent.push(input.MessageBody);
      return jsonReply({});
    };
    const { promise: onItsWay, resolve: arrive } = Promise.withResolvers<void>();
    const delays: AwsDelays = { ...NO_DELAYS, instant: false, wait: () => onItsWay };
    const bus = makeEventBus({ stack: BUS, sqs, delays, log: () => {} });
    const input = { Entries: [{ Source: 'muster', DetailType: 'Any', Detail: '{}' }] };
    const put = await bus.service({
      target: EVENTS_TARGET,
      operation: 'PutEvents',
      body: JSON.stringify(input),
      input,
    });
    expect(JSON.parse(put.body).FailedEntryCount).toBe(0);
    expect(sent).toEqual([]);
    arrive();
    await bus.stop();
    expect(sent).toHaveLength(1);
  });

  it('delay each cold start of a worker and each invocation', async () => {
    const asked: DelayedStep[] = [];
    const delays: AwsDelays = {
      ...NO_DELAYS,
      ms: (step) => {
        asked.push(step);
        return 0;
      },
      wait: async (step) => void asked.push(step),
    };
    const [echo] = makeFunctions(
      stackOf({
        Echo: { Type: 'AWS::Lambda::Function', Properties: { Handler: 'index.handler', Role: 'r' } },
      }).resources('AWS::Lambda::Function'),
      { assetPathOf, awsEndpoint: '', delays, log: () => {}, failed: () => {} },
    );
    onTestFinished(() => echo!.stop());
    for (const event of [1, 2]) expect(await echo!.invoke(event)).toEqual({ ok: true, payload: event });
    expect(asked).toEqual(['lambdaInvocation', 'lambdaColdStart', 'lambdaInvocation']);
  });
});

const dir = newDir();
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const assetPathOf = writeCode(dir, { Echo: 'export const handler = async (event) => event;' });

const BUS = stackOf({
  Queue: { Type: 'AWS::SQS::Queue' },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: { source: ['muster'] },
      Targets: [{ Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } }],
    },
  },
  Policy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: 'Queue' }],
      PolicyDocument: {
        Statement: [
          { Effect: 'Allow', Action: 'sqs:SendMessage', Principal: { Service: 'events.amazonaws.com' } },
        ],
      },
    },
  },
});
