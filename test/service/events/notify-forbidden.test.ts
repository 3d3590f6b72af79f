import { expect, it } from 'vitest';
import type { MusterEvent } from '../../../lib/contract/events.ts';
import type { Delivery } from '../../../lib/service/domain/delivery.ts';
import { deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import { definition } from '../definitions.ts';
import { deliveryLog } from './memory-deliveries.ts';
import { memoryReceivers } from './memory-receivers.ts';

it('deliveries to a new receiver whose address is forbidden leave the first queue after the first post', async () => {
  const url = 'https://game.example/';
  const record = { definition: definition({ name: 'arena', webhooks: [{ url, secret: 'arena/hook' }] }) };
  const event = { eventId: 'e', type: 'TicketQueued', queue: 'arena', time: '2026-01-01T00:00:00.000Z' };
  const sent: string[] = [];
  let nowMs = 0;
  const deps: NotifyDeps = {
    queues: { get: async () => record } as never,
    secrets: { get: async () => ({ outcome: 'found', value: 'secret' }) as never },
    outbound: {
      post: async () => ({ outcome: 'forbidden', error: 'expected a public address, got 10.0.0.1' }),
    },
    receivers: memoryReceivers(),
    erased: { findErased: async () => new Set(), lastAtMs: async () => 0 } as never,
    deliveries: deliveryLog(() => nowMs),
    sender: {
      split: async () => void sent.push('split'),
      slowLane: async () => void sent.push('slow lane'),
      deadLetter: async () => void sent.push('dead letter'),
    },
    now: () => nowMs,
    random: () => 0,
  };
  const next = (delivery: Partial<Delivery> = {}) =>
    deliver(deps, { event: event as MusterEvent, url, ...delivery });
  expect(await next()).toMatchObject({ outcome: 'refused' });
  for (let i = 0; i < 20; i++) {
    nowMs += 1_000;
    await next();
  }
  expect(sent).toEqual(new Array(20).fill('slow lane'));
  expect(await next({ slowSinceMs: nowMs })).toMatchObject({ outcome: 'refused' });
});
