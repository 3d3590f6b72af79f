import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { TickMetrics, TickOutcome } from '../../lib/service/ticks/tick-outcome.ts';

const quiet: TickMetrics = {
  queue: 'ranked',
  waiting: 7,
  recent: [],
  timedOut: 0,
  isCut: false,
  missedLastChances: 0,
  failures: [],
  lostRaces: 0,
  busy: 0,
  durationMs: 120,
  ageMs: 30,
};

const tables = ['TICKETS', 'ENTRIES', 'MATCHES', 'RANGES', 'RATINGS', 'QUEUES', 'BACKFILLS'];

let outcome: TickOutcome;
vi.mock('../../lib/service/ticks/tick.ts', () => ({ tick: async () => outcome }));

beforeEach(() => {
  for (const [name, value] of Object.entries({
    AWS_REGION: 'us-east-1',
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_METRICS_NAMESPACE: 'Muster',
    BUCKET_CAPACITY: '200',
    TICK_QUEUE_URL: 'https://sqs.test/ticks',
    ...Object.fromEntries(tables.map((table) => [`${table}_TABLE`, table])),
  }))
    vi.stubEnv(name, value);
  const client = mockClient(DynamoDBDocumentClient);
  client.onAnyCommand().resolves({});
  onTestFinished(() => {
    client.restore();
    vi.unstubAllEnvs();
  });
});

/** The metrics that the function emits for a tick, by name, with its queue. */
async function emitted(metrics: TickMetrics): Promise<Record<string, unknown>> {
  outcome = { outcome: 'searched', matches: [], metrics, unreadable: [], tooLarge: [] };
  const { handler } = await import('../../lambdas/tick.ts');
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const body = JSON.stringify({ queue: 'ranked', slotMs: 1_000, layout: 1, range: 0 });
  await handler({ Records: [{ body }] } as SQSEvent);
  expect(log).toHaveBeenCalledOnce();
  return JSON.parse(log.mock.calls[0]![0] as string);
}

it('emits how many last chances a tick missed, for its queue', async () => {
  expect(await emitted({ ...quiet, isCut: true, missedLastChances: 3 })).toMatchObject({
    queue: 'ranked',
    SearchesCut: 1,
    LastChancesMissed: 3,
  });
});

it('emits how many calls of custom rules failed, and logs each function with its rule and queue', async () => {
  const { logger } = await import('../../lib/aws/log.ts');
  const error = vi.spyOn(logger, 'error').mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  const failure = {
    rule: 'Votes',
    function: 'enoughVotes',
    calls: 2,
    message: 'Expected true or a reason, got 7',
  };
  const failures = [failure, { ...failure, rule: 'Rivals', calls: 3 }];
  expect(await emitted({ ...quiet, failures })).toMatchObject({ queue: 'ranked', FunctionsFailed: 5 });
  expect(error).toHaveBeenCalledWith(
    'functions of custom rules fail',
    expect.objectContaining({ queue: 'ranked', failures }),
  );
});

it('omits the metrics that cost money while nothing is missed', async () => {
  const metrics = await emitted(quiet);
  expect(metrics).toMatchObject({ queue: 'ranked', Waiting: 7, Matches: 0 });
  for (const name of ['SearchesCut', 'LastChancesMissed', 'FunctionsFailed', 'ChoiceFreeNeeded'])
    expect(metrics).not.toHaveProperty(name);
});
