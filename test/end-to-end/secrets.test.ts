import { expect, it } from 'vitest';
import { startLocalCloud } from '../../lib/local/local-cloud.ts';
import { synthesized } from '../infra/synthesized.ts';
import { definition } from '../service/definitions.ts';
import { fresh, studioAround } from './muster.ts';
import { SECRET } from './receiver.ts';

/** With the rule of a deployment: `muster serve` lets every queue use every secret. */
const { template, assetPathOf } = synthesized({ secretGrants: { granted: ['arena-granted'] } });
const cloud = await startLocalCloud({ template, assetPathOf, port: 0 });
const { api, receiver } = await studioAround(cloud);

async function put(name: string, secret: string, path = '/hook') {
  const webhooks = [{ url: receiver.url(path), secret }];
  return api.put(`/queues/${name}`, definition({ name, webhooks }));
}

it('a definition with another queue’s secret is rejected with 400, and the error names the secret and its field', async () => {
  const queue = fresh('queue');
  const { status, body } = await put(queue, 'duel/hook');
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    { pointer: '#/webhooks/0/secret', detail: expect.stringContaining('got duel/hook') },
  ]);
  expect((await api.get(`/queues/${queue}`)).status).toBe(404);
});

it('a queue signs with its own secret, a shared one, or one that is granted to it', async () => {
  const own = fresh('queue');
  for (const [queue, secret] of [
    [own, `${own}/hook`],
    [fresh('queue'), 'shared/hook'],
    ['arena-granted', 'granted'],
  ] as const) {
    cloud.secrets.set(secret, SECRET);
    const path = `/${queue}`;
    expect((await put(queue, secret, path)).status).toBe(201);
    await api.ticket(queue, 1);
    const delivery = await receiver.deliveries.first((one) => one.path === path);
    expect(delivery.verified().type).toBe('TicketQueued');
  }
});
