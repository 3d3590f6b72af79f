import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { readPool } from '../../lib/aws/read-pool.ts';

it('of a pool with thousands of keys 32 are read at once, and all items come in order', async () => {
  let running = 0;
  let most = 0;
  const client = {
    async send({ input }: QueryCommand) {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return { Items: [{ poolOrder: input.TableName }] };
    },
  } as unknown as DynamoDBDocumentClient;
  const keys = Array.from({ length: 2_000 }, (_, key) => String(key).padStart(4, '0'));
  const queries = keys.toReversed().map((TableName) => ({ TableName }));
  const { items, readUntil } = await readPool(client, queries, 20_000, () => true);
  expect(most).toBe(32);
  expect(items.map(({ poolOrder }) => poolOrder)).toEqual(keys);
  expect(readUntil).toBeUndefined();
});
