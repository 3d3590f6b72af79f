import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { documentClient } from '../../lib/aws/dynamo.ts';

it('the client prepares no copies of requests and responses for a logger', async () => {
  const table = createServer((_, response) => response.end('{"Item":{"id":{"S":"i"}}}'));
  onTestFinished(() => void table.close());
  await new Promise<void>((resolve) => table.listen(0, '127.0.0.1', resolve));
  const logger = { trace: vi.fn(), debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const client = documentClient({
    endpoint: `http://127.0.0.1:${(table.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    logger,
  });
  onTestFinished(() => client.destroy());
  const { Item } = await client.send(new GetCommand({ TableName: 't', Key: { id: 'i' } }));
  expect(Item).toEqual({ id: 'i' });
  expect(logger.info).not.toHaveBeenCalled();
});
