import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { listenForAws } from '../../lib/local/aws-endpoint.ts';

test('the endpoint of the local AWS services rejects what a page of another site sends', async () => {
  const aws = await listenForAws();
  const statusOf = async (headers: Record<string, string>) => {
    const asked = request(aws.url, { method: 'POST', headers });
    asked.end('{}');
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  try {
    expect(await statusOf({ host: 'dynamodb.evil.example' })).toBe(403);
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(403);
    // Calls of this machine reach the endpoint, which has not been opened here.
    expect(await statusOf({})).toBe(503);
  } finally {
    await aws.stop();
  }
});
