import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { StoreBusy } from '../../lib/service/ports/store-busy.ts';

const readFrom = (port: number) =>
  documentClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: { requestTimeout: 1, throwOnRequestTimeout: true },
  }).send(new GetItemCommand({ TableName: 't', Key: { id: { S: 'i' } } }));

it('a store that does not respond in time, or is not there, counts as busy, like one that throttles', async () => {
  const silent = createServer(() => {});
  onTestFinished(() => void silent.close());
  onTestFinished(() => silent.closeAllConnections());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  await expect(readFrom(port)).rejects.toThrow(StoreBusy);
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
  await expect(readFrom(port)).rejects.toThrow(StoreBusy);
});
