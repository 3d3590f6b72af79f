import { expect, it } from 'vitest';
import type { MusterEvent } from '../../../lib/contract/events.ts';
import { deliver } from '../../../lib/service/events/notify.ts';
import { definition } from '../definitions.ts';
import { deliveryLog } from './memory-deliveries.ts';

it('an event is neither sent nor retried when its queue may no longer use the secret', async () => {
  const webhooks = [{ url: 'https://game.example/', secret: 'duel/hook' }];
  const record = { definition: definition({ name: 'arena', webhooks }) };
  const event = { eventId: 'e', type: 'TicketQueued', queue: 'arena', time: '2026-01-01T00:00:00.000Z' };
  const unexpected = () => Promise.reject(new Error('sent'));
  const outcome = await deliver(
    {
      queues: { get: async () => record } as never,
      secrets: { get: async (name, queue) => ({ outcome: 'refused', why: `${name} is not for ${queue}` }) },
      outbound: { post: unexpected },
      receivers: { get: unexpected } as never,
      deliveries: deliveryLog(),
      erased: { findErased: async () => new Set(), lastAtMs: async () => 0 },
      sender: { split: unexpected, slowLane: unexpected, deadLetter: unexpected },
      now: () => 0,
      random: () => 0,
    },
    { event: event as MusterEvent },
  );
  expect(outcome).toEqual({
    outcome: 'refused',
    why: 'duel/hook is not for arena',
    webhook: 'https://game.example/',
    failures: 1,
    recent: { posted: 1, failed: 1 },
  });
});
