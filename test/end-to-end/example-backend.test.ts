import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { definition } from '../service/definitions.ts';
import { testMuster } from './muster.ts';
import { SECRET, SECRET_NAME } from './receiver.ts';

test('the backend of the README posts tickets and accepts only signed webhooks', async () => {
  const muster = await testMuster();
  vi.stubEnv('MUSTER_URL', muster.cloud.url);
  vi.stubEnv('MUSTER_SECRET', SECRET);
  const { findMatch, onWebhook } = await import('../../examples/backend.ts');
  const webhooks = [
    { url: muster.receiver.url('/hook'), secret: SECRET_NAME, events: ['MatchFound' as const] },
  ];
  expect((await muster.api.put('/queues/duel', definition({ webhooks }))).status).toBeLessThan(300);

  await findMatch('example-1', [{ playerId: 'ann', skill: 1510 }]);
  await findMatch('example-2', [{ playerId: 'bob', skill: 1502 }]);
  await expect(findMatch('example-3', [])).rejects.toThrow('players');

  const { text, headers } = await muster.receiver.deliveries.first(({ path }) => path === '/hook');
  const log = vi.spyOn(console, 'log').mockReturnValue();
  onWebhook(text, headers);
  expect(JSON.stringify(log.mock.calls)).toMatch(
    /start a game for.*"ann".*"bob"|start a game for.*"bob".*"ann"/,
  );
  expect(() => onWebhook(text.replace('ann', 'eve'), headers)).toThrow(/signature/i);
});

test('the README shows the code of the tested backend', () => {
  const code = readFileSync('examples/backend.ts', 'utf8');
  expect(readFileSync('README.md', 'utf8')).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});
