import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { type TestWebhooksDeps, testWebhooks } from '../../../lib/service/events/test-webhooks.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import { definition } from '../definitions.ts';

const SECRET = 'whsec_c2VjcmV0';

it('a test event is signed, is posted to every webhook, and the responses are returned', async () => {
  const answers: Record<string, OutboundResult> = {
    'https://ok.example/?token=t': { outcome: 'responded', status: 200, body: 'thanks' },
    'https://bad.example/': { outcome: 'responded', status: 500, body: 'x'.repeat(9_999) },
    'https://gone.example/': { outcome: 'unreachable', error: 'gone.example: ENOTFOUND' },
  };
  const posted: { url: string; type: string }[] = [];
  const urls = [...Object.keys(answers), 'https://secret.example/'];
  const webhooks = urls.map((url) => ({ url, secret: url.includes('secret') ? 'none' : 'shared/s' }));
  let nowMs = Date.now();
  const deps: TestWebhooksDeps = {
    queues: { get: async () => ({ definition: definition({ name: 'arena', webhooks }) }) } as never,
    secrets: {
      get: async (name) =>
        name === 'none'
          ? { outcome: 'missing', why: 'there is no secret' }
          : { outcome: 'found', value: SECRET },
    },
    outbound: {
      post: async (url, body, headers) => {
        const { type } = new Webhook(SECRET).verify(body, headers) as { type: string };
        posted.push({ url, type });
        nowMs += 10;
        return answers[url]!;
      },
    },
    now: () => nowMs,
  };
  const { eventId, webhooks: tests } = await testWebhooks(deps, 'arena');
  expect(eventId).toMatch(/^test-/);
  expect(posted).toEqual(Object.keys(answers).map((url) => ({ url, type: 'WebhookTest' })));
  expect(tests).toEqual([
    {
      url: 'https://ok.example/',
      isDelivered: true,
      milliseconds: expect.any(Number),
      status: 200,
      body: 'thanks',
    },
    {
      url: 'https://bad.example/',
      isDelivered: false,
      milliseconds: expect.any(Number),
      status: 500,
      body: 'x'.repeat(500),
    },
    {
      url: 'https://gone.example/',
      isDelivered: false,
      milliseconds: expect.any(Number),
      error: 'gone.example: ENOTFOUND',
    },
    {
      url: 'https://secret.example/',
      isDelivered: false,
      milliseconds: expect.any(Number),
      error: 'there is no secret',
    },
  ]);
});
