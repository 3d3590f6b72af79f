import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ask, askOf, queuesOf } from '../../lib/cli/client.ts';
import { Failure } from '../../lib/cli/failure.ts';

/** Response bodies by path. */
const bodies = new Map<string, string>();
const server = createServer((request, response) => response.end(bodies.get(request.url!)));
let ask: Ask;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ask = await askOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(() => server.close());

const definition = {
  name: 'duel',
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 60,
};

describe('the queues of a running service', () => {
  it('are read without the fields that a later version has added', async () => {
    bodies.set('/queues', JSON.stringify({ queues: [{ ...definition, addedLater: 1 }] }));
    expect(await queuesOf(ask)).toEqual([definition]);
  });

  it('fail with the invalid fields when they have another form', async () => {
    bodies.set('/queues', JSON.stringify({ queues: [{ ...definition, teamSize: 'many' }] }));
    await expect(queuesOf(ask)).rejects.toThrow(Failure);
    await expect(queuesOf(ask)).rejects.toThrow(
      /^GET \/queues: Expected a response of Muster, got one that this version cannot read: #\/0\/teamSize: /,
    );
  });

  it('fail with a hint when the URL is not that of a service', async () => {
    bodies.set('/queues', '<!doctype html>');
    await expect(queuesOf(ask)).rejects.toThrow(
      'GET /queues: Expected a response of Muster, got no JSON. Check the URL.',
    );
  });
});
