import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DYNAMODB_LIMITS } from '../memory-dynamodb/aws-limits.ts';
import { type EmulatedTables, STORES, startTables, suiteName } from './emulated-tables.ts';

const {
  expressionBytesMax,
  itemBytesMax,
  transactionWritesMax,
  transactionBytesMax,
  batchGetKeysMax,
  partitionKeyBytesMax,
  sortKeyBytesMax,
} = DYNAMODB_LIMITS;

/** Sends a call that is within a limit or, by `more`, just above it. */
type Call = (client: DynamoDBDocumentClient, names: EmulatedTables['names'], more: 0 | 1) => Promise<unknown>;

const put = (TableName: string, Item: object) => ({ Put: { TableName, Item } });

const CALLS: Record<string, Call> = {
  'an expression': (client, { ranges }, more) => {
    const count = 300;
    const names = Object.fromEntries(Array.from({ length: count }, (_, i) => [`#n${1000 + i}`, `a${i}`]));
    const sets = Object.keys(names).map((one) => `${one}=:v`);
    const text = `SET ${sets.join(',')}`;
    return client.send(
      new UpdateCommand({
        TableName: ranges,
        Key: { item: 'limit-expression' },
        UpdateExpression: text.padEnd(expressionBytesMax + more, ' '),
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ':v': 1 },
      }),
    );
  },
  'an item': (client, { ranges }, more) => {
    const item = 'limit-item';
    const text = 'x'.repeat(itemBytesMax - 'item'.length - item.length - 'text'.length + more);
    return client.send(new PutCommand({ TableName: ranges, Item: { item, text } }));
  },
  'the writes of a transaction': (client, { ranges }, more) =>
    client.send(
      new TransactWriteCommand({
        TransactItems: Array.from({ length: transactionWritesMax + more }, (_, i) =>
          put(ranges, { item: `limit-write-${i}` }),
        ),
      }),
    ),
  'the bytes of a transaction': (client, { ranges }, more) => {
    const size = Math.floor(transactionBytesMax / 12) - 200 + 400 * more;
    return client.send(
      new TransactWriteCommand({
        TransactItems: Array.from({ length: 12 }, (_, i) =>
          put(ranges, { item: `limit-bytes-${i}`, text: 'x'.repeat(size) }),
        ),
      }),
    );
  },
  'the keys of a batch': (client, { ranges }, more) =>
    client.send(
      new BatchGetCommand({
        RequestItems: {
          [ranges]: {
            Keys: Array.from({ length: batchGetKeysMax + more }, (_, i) => ({ item: `limit-${i}` })),
          },
        },
      }),
    ),
  'a partition key': (client, { ranges }, more) =>
    client.send(
      new PutCommand({ TableName: ranges, Item: { item: 'k'.repeat(partitionKeyBytesMax + more) } }),
    ),
  'a sort key': (client, { queues }, more) =>
    client.send(
      new PutCommand({
        TableName: queues,
        Item: { queue: 'limit', item: 'k'.repeat(sortKeyBytesMax + more) },
      }),
    ),
  'the sort key of an index': (client, { tickets }, more) =>
    client.send(
      new PutCommand({
        TableName: tickets,
        Item: { ticketId: 'limit', pool: 'limit', poolOrder: 'k'.repeat(sortKeyBytesMax + more) },
      }),
    ),
};

/** What an emulator takes although AWS refuses it. The others refuse it in the same tests. */
const DIFFERENCES: Partial<Record<(typeof STORES)[number]['emulator'], readonly string[]>> = {
  dynoxide: ['the sort key of an index'],
};

describe.each(STORES)('$emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(suiteName('a limit of DynamoDB', emulator, skipped), () => {
    let tables: EmulatedTables;
    beforeAll(async () => {
      tables = await startTables(emulator);
    });
    afterAll(() => tables?.stop());

    it.each(Object.entries(CALLS))('is kept by the size of %s', async (what, call) => {
      const client = tables.client();
      await call(client, tables.names, 0);
      const above = await call(client, tables.names, 1).then(
        () => 'taken',
        ({ name }: Error) => name,
      );
      const isTaken = DIFFERENCES[emulator]?.includes(what) ?? false;
      expect(above).toMatch(isTaken ? /^taken$/ : /^(ValidationException|TransactionCanceledException)$/);
    });
  });
});
