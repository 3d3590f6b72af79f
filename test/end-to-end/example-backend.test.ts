import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { WebhookRejected } from '../../lib/client/index.ts';
import { definition } from '../service/definitions.ts';
import { testMuster } from './muster.ts';
import { SECRET, SECRET_NAME } from './receiver.ts';

test('the example backend posts tickets and accepts only signed webhooks', async () => {
  const muster = await testMuster();
  vi.stubEnv('MUSTER_URL', muster.cloud.url);
  vi.stubEnv('MUSTER_SECRET', SECRET);
  const { findMatch, onWebhook } = await import('../../examples/backend.ts');
  const webhooks = [
    { url: muster.receiver.url('/hook'), secret: SECRET_NAME, events: ['MatchFound' as const] },
  ];
  expect((await muster.api.put('/queues/duel', definition({ webhooks }))).status).toBeLessThan(300);

  await findMatch({ ticketId: 'example-1', players: [{ playerId: 'ann', skill: 1510 }] });
  await findMatch({ ticketId: 'example-2', players: [{ playerId: 'bob', skill: 1502 }] });
  await expect(findMatch({ ticketId: 'example-3', players: [] })).rejects.toThrow('players');

  const { text, headers } = await muster.receiver.deliveries.first(({ path }) => path === '/hook');
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await onWebhook(text, headers);
  expect(JSON.stringify(log.mock.calls)).toMatch(/start match .*"ann".*"bob"|start match .*"bob".*"ann"/);
  await expect(onWebhook(text.replace('ann', 'eve'), headers)).rejects.toThrow(WebhookRejected);
});

test('the README quotes both functions of the example backend without a change', () => {
  const quoted = /```ts\n(.*?)```\n/s.exec(readFileSync('README.md', 'utf8'))?.[1] ?? '';
  expect(readFileSync('examples/backend.ts', 'utf8')).toContain(quoted);
  expect(quoted).toContain('function findMatch');
  expect(quoted).toContain('function onWebhook');
});
