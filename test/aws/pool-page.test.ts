import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { poolPage } from '../../lib/aws/pool-page.ts';
import { StoreBusy } from '../../lib/service/ports/store-busy.ts';
import { PATIENCE_MS } from '../patience.ts';

/** A client of a table that responds with this. */
async function clientOf(status: number, body: object) {
  const table = createServer((_, response) => response.writeHead(status).end(JSON.stringify(body)));
  onTestFinished(() => void table.close());
  await new Promise<void>((resolve) => table.listen(0, '127.0.0.1', resolve));
  const client = documentClient({
    endpoint: `http://127.0.0.1:${(table.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: { requestTimeout: PATIENCE_MS },
  });
  onTestFinished(() => client.destroy());
  return client;
}

const QUERY = { TableName: 't' };

it('a page of the pool has its items with values of every type, and the key of the last one', async () => {
  const client = await clientOf(200, {
    Items: [
      { poolOrder: { S: '1' }, enqueuedAt: { N: '17e11' }, players: { S: 'ünïcode 🎮' } },
      { poolOrder: { S: '2' }, players: { L: [{ M: { skill: { N: '1.5' }, none: { NULL: true } } }] } },
    ],
    Count: 2,
    LastEvaluatedKey: { poolOrder: { S: '2' }, ticketId: { S: 'b' } },
  });
  expect(await poolPage(client, QUERY)).toEqual({
    items: [
      { poolOrder: '1', enqueuedAt: 17e11, players: 'ünïcode 🎮' },
      { poolOrder: '2', players: [{ skill: 1.5, none: null }] },
    ],
    last: { poolOrder: '2', ticketId: 'b' },
  });
});

it('the last page of the pool has no key', async () => {
  expect(await poolPage(await clientOf(200, { Items: [], Count: 0 }), QUERY)).toEqual({ items: [] });
});

it('a read of the pool that is throttled is reported as a busy store', async () => {
  const error = { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException', message: 'slow down' };
  await expect(poolPage(await clientOf(400, error), QUERY)).rejects.toThrow(StoreBusy);
});
