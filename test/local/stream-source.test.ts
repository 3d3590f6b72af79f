import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { callAws } from '../../lib/local/aws-json.ts';
import { type DynamoDB, startDynamoDB } from '../../lib/local/dynamodb.ts';
import { DYNAMODB_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import { LocalCloudError } from '../../lib/local/local-cloud-error.ts';
import { type Sqs, startSqs } from '../../lib/local/sqs.ts';
import { openStreamPositions, type StreamPositions } from '../../lib/local/stream-positions.ts';
import { type StreamSource, startStreamSource } from '../../lib/local/stream-source.ts';
import { EMULATORS, fakeFunction, resourceOf, scratchDir, stackOf, until } from './fixtures.ts';

type StreamEvent = {
  Records: {
    eventID: string;
    eventName: string;
    dynamodb: { SequenceNumber: string; Keys: { id: { S: string } } };
  }[];
};

const tableNames = [
  'Shape',
  'Filtered',
  'Batches',
  'Bisected',
  'Partial',
  'GivenUp',
  'Resumed',
  'Untold',
  'TwoReaders',
];
const stack = stackOf({
  Failures: { Type: 'AWS::SQS::Queue' },
  ...Object.fromEntries(
    tableNames.map((name) => [
      name,
      {
        Type: 'AWS::DynamoDB::GlobalTable',
        Properties: {
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        },
      },
    ]),
  ),
});

let dynamodb: DynamoDB;
let sqs: Sqs;

const sources: StreamSource[] = [];
const putUntold = (TableName: string, id: string, rest: object = {}) =>
  callAws(dynamodb.service, DYNAMODB_TARGET, 'PutItem', { TableName, Item: { id: { S: id }, ...rest } });
/** Wakes the readers, as the local cloud does after each write. */
const put: typeof putUntold = async (...item) => {
  await putUntold(...item);
  for (const source of sources) source.wake();
};

/** Connects the table's stream to a function until it is stopped or the test ends. */
function connect(
  tableName: string,
  answer: (event: StreamEvent) => unknown,
  mapping: object = {},
  positions: StreamPositions = openStreamPositions(),
  logicalId = 'Mapping',
) {
  const table = resourceOf(stack, 'AWS::DynamoDB::GlobalTable', tableName);
  const target = fakeFunction('Consumer', answer);
  const Properties = { EventSourceArn: `${table.arn}/stream/label`, ...mapping };
  const source = startStreamSource({
    mapping: resourceOf(
      stackOf({ [logicalId]: { Type: 'AWS::Lambda::EventSourceMapping', Properties } }),
      'AWS::Lambda::EventSourceMapping',
      logicalId,
    ),
    table,
    target,
    dynamodb,
    sqs: sqs.service,
    positions,
    delays: NO_DELAYS,
    log: () => {},
  });
  sources.push(source);
  onTestFinished(() => source.stop());
  const events = target.events as StreamEvent[];
  return { source, events, ids: () => events.map(({ Records }) => Records.map(idOf)) };
}

const idOf = ({ dynamodb: { Keys } }: StreamEvent['Records'][number]) => Keys.id.S;
const failing = ({ Records }: StreamEvent) => {
  if (Records.some((record) => idOf(record) === 'bad')) throw new Error('a bad record');
};

describe.each(EMULATORS)('a stream of %s with a function', (emulator, canRun) => {
  describe.skipIf(!canRun)('on a machine that can run the emulator', () => {
    beforeAll(async () => {
      dynamodb = await startDynamoDB(stack.resources('AWS::DynamoDB::GlobalTable'), { emulator });
      sqs = await startSqs(stack.resources('AWS::SQS::Queue'));
    });
    afterAll(async () => {
      await dynamodb.stop();
      await sqs.stop();
    });

    test('passes records in the format of AWS, and none for a write that changed nothing', async () => {
      const { events } = connect('Shape', () => null, { BatchSize: 1 });
      await put('Shape', 'a', { n: { N: '1' } });
      await put('Shape', 'a', { n: { N: '1' } });
      await put('Shape', 'a', { n: { N: '2' } });
      await until(() => events.length === 2);
      const shape = {
        eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'us-east-1',
        eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/Shape/stream/label',
      };
      const dynamodbShape = {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { id: { S: 'a' } },
        SequenceNumber: expect.any(String),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      };
      const image = (n: string) => ({ id: { S: 'a' }, n: { N: n } });
      expect(events.map(({ Records }) => Records[0])).toEqual([
        { ...shape, eventName: 'INSERT', dynamodb: { ...dynamodbShape, NewImage: image('1') } },
        {
          ...shape,
          eventName: 'MODIFY',
          dynamodb: { ...dynamodbShape, OldImage: image('1'), NewImage: image('2') },
        },
      ]);
    });

    test('passes only records that match a filter', async () => {
      const Pattern = JSON.stringify({
        eventName: ['INSERT'],
        dynamodb: { NewImage: { status: { S: ['QUEUED'] } } },
      });
      const { ids } = connect('Filtered', () => null, { FilterCriteria: { Filters: [{ Pattern }] } });
      await put('Filtered', 'no', { status: { S: 'PLACING' } });
      await put('Filtered', 'yes', { status: { S: 'QUEUED' } });
      await put('Filtered', 'yes', { status: { S: 'CANCELLED' } });
      await put('Filtered', 'last', { status: { S: 'QUEUED' } });
      await until(() => ids().flat().includes('last'));
      expect(ids().flat()).toEqual(['yes', 'last']);
    });

    test('passes earlier records in batches and in order', async () => {
      const all = Array.from({ length: 7 }, (_, index) => `r${index}`);
      for (const id of all) await put('Batches', id);
      const { ids } = connect('Batches', () => null, { BatchSize: 3 });
      await until(() => ids().flat().length === 7);
      expect(ids()).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
    });

    test('passes all records to each of two readers, independently of the other', async () => {
      const positions = openStreamPositions();
      const fails = () => {
        throw new Error('always');
      };
      const failed = connect('TwoReaders', fails, {}, positions, 'First');
      const other = connect('TwoReaders', () => null, {}, positions, 'Second');
      for (const id of ['a', 'b', 'c']) await put('TwoReaders', id);
      await until(() => other.ids().flat().length === 3);
      expect(other.ids().flat()).toEqual(['a', 'b', 'c']);
      await until(() => failed.events.length > 1);
      expect(failed.ids()[1]![0]).toBe('a');
    });

    test('halves a batch that fails, so that only the bad record is given up', async () => {
      for (const id of ['a', 'b', 'bad', 'c']) await put('Bisected', id);
      const { ids } = connect('Bisected', failing, {
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 0,
      });
      await put('Bisected', 'after');
      await until(() => ids().flat().includes('after'));
      expect(
        ids()
          .flat()
          .filter((id) => id === 'bad').length,
      ).toBe(1);
    });

    test('continues at the first record that the function reports as failed', async () => {
      for (const id of ['a', 'b', 'c']) await put('Partial', id);
      let failures = 1;
      const { ids } = connect(
        'Partial',
        ({ Records }) => ({
          batchItemFailures: Records.filter((record) => idOf(record) === 'b' && failures-- > 0).map(
            ({ dynamodb }) => ({
              itemIdentifier: dynamodb.SequenceNumber,
            }),
          ),
        }),
        { FunctionResponseTypes: ['ReportBatchItemFailures'], BisectBatchOnFunctionError: true },
      );
      await until(() => ids().length === 2);
      expect(ids()).toEqual([
        ['a', 'b', 'c'],
        ['b', 'c'],
      ]);
    });

    test('reports a batch it gave up to the failure destination, and continues', async () => {
      await put('GivenUp', 'bad');
      const { ids } = connect('GivenUp', failing, {
        MaximumRetryAttempts: 1,
        DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:us-east-1:000000000000:Failures' } },
      });
      await until(() => sqs.inspect('Failures').ready.length === 1);
      await put('GivenUp', 'good');
      await until(() => ids().flat().includes('good'));
      expect(ids()).toEqual([['bad'], ['bad'], ['good']]);
      expect(JSON.parse(sqs.inspect('Failures').ready[0]!.body)).toMatchObject({
        version: '1.0',
        requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 2 },
        responseContext: { functionError: 'Unhandled' },
        DDBStreamBatchInfo: { batchSize: 1, streamArn: expect.stringContaining('table/GivenUp/stream/') },
      });
    });

    test('continues where an earlier run stopped', async () => {
      const file = join(scratchDir(), 'positions.json');
      const positions = openStreamPositions(file);
      const first = connect('Resumed', () => null, {}, positions);
      await put('Resumed', 'before');
      await until(() => first.ids().flat().includes('before'));
      await first.source.stop();
      positions.close();
      await put('Resumed', 'between');
      const second = connect('Resumed', () => null, {}, openStreamPositions(file));
      await until(() => second.ids().flat().includes('between'));
      expect(second.ids().flat()).toEqual(['between']);
    });

    test('also reads a record without being woken after the write', async () => {
      const { ids } = connect('Untold', () => null);
      await put('Untold', 'first');
      await until(() => ids().flat().includes('first'));
      await putUntold('Untold', 'a');
      await until(() => ids().flat().includes('a'));
    });

    test('throws for a malformed filter', () => {
      const Filters = [{ Pattern: '{"eventName":"INSERT"}' }];
      const start = () => connect('Shape', () => null, { FilterCriteria: { Filters } });
      expect(start).toThrow(LocalCloudError);
      expect(start).toThrow("A filter of Mapping: The pattern's eventName must be an object");
    });
  });
});
