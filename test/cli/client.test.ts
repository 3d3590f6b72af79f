import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceClient, serviceClient } from '../../lib/cli/client.ts';
import { Failure } from '../../lib/cli/failure.ts';

/** Response bodies by path. */
const bodies = new Map<string, string>();
const server = createServer((request, response) => response.end(bodies.get(request.url!)));
let client: ServiceClient;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = await serviceClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => server.close());

const ticket = {
  ticketId: 't-1',
  queue: 'duel',
  status: 'QUEUED',
  enqueuedAt: '2026-01-31T12:00:00.000Z',
  players: [{ playerId: 'ann', skill: 1510 }],
};

describe('the client of a running service', () => {
  it('ignores fields that a later version has added', async () => {
    bodies.set('/tickets?ticketIds=t-1', JSON.stringify({ tickets: [{ ...ticket, addedLater: 1 }] }));
    expect(await client.tickets(['t-1'])).toEqual([ticket]);
    const definition = {
      name: 'duel',
      teamSize: 1,
      imbalance: { alpha: 1, p: 1, q: 2 },
      release: { policy: 'greedy' },
      tickSeconds: 1,
      timeoutSeconds: 60,
    };
    bodies.set('/queues', JSON.stringify({ queues: [{ ...definition, addedLater: 1 }] }));
    expect(await client.queues()).toEqual([definition]);
  });

  it('fails with the invalid fields when a response has another form', async () => {
    bodies.set('/tickets?ticketIds=t-1', JSON.stringify({ tickets: [{ ...ticket, status: 'DREAMING' }] }));
    await expect(client.tickets(['t-1'])).rejects.toThrow(Failure);
    await expect(client.tickets(['t-1'])).rejects.toThrow(
      /^GET \/tickets: Expected a response of Muster, got one that this version cannot read: #\/0\/status: Expected one of "QUEUED"/,
    );
  });

  it('fails with a hint when the URL is not that of a service', async () => {
    bodies.set('/queues', '<!doctype html>');
    await expect(client.queues()).rejects.toThrow(
      'GET /queues: Expected a response of Muster, got no JSON. Check the URL.',
    );
  });
});
