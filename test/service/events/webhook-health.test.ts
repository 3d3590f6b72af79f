import { describe, expect, it } from 'vitest';
import type { MusterEvent } from '../../../lib/contract/events.ts';
import type { Delivery } from '../../../lib/service/domain/delivery.ts';
import { DeliveryLog } from '../../../lib/service/events/delivery-log.ts';
import { deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import type { SecretResult } from '../../../lib/service/ports/secrets.ts';
import { webhookHealth } from '../../../lib/service/queues/webhook-health.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';
import { memoryDeliveries } from './memory-deliveries.ts';
import { memoryReceivers } from './memory-receivers.ts';

const at = (ms: number) => new Date(ms).toISOString();

/** A queue with one webhook, its receiver and its secret. */
class OneWebhook {
  nowMs = NOW_MS;
  answer: OutboundResult = { outcome: 'responded', status: 204, body: '' };
  secret: SecretResult = { outcome: 'found', value: 'whsec_c2VjcmV0' };
  readonly messages: { delivery: Delivery; dueMs: number }[] = [];
  readonly dead: Delivery[] = [];
  writes = 0;
  readonly posts: string[] = [];
  #definition = definition({
    name: 'arena',
    webhooks: [{ url: 'https://game.example/hook?token=t', secret: 'arena/hook' }],
  });
  readonly #receivers = memoryReceivers();
  readonly #records = memoryDeliveries();
  readonly #deps: NotifyDeps = {
    queues: { get: async () => ({ definition: this.#definition }) } as never,
    receivers: this.#receivers,
    deliveries: new DeliveryLog(this.#counting(), () => this.nowMs),
    erased: { findErased: async () => new Set(), lastAtMs: async () => 0 },
    secrets: { get: async () => this.secret },
    outbound: {
      post: async (url) => {
        this.posts.push(url);
        return this.answer;
      },
    },
    sender: {
      split: async () => {},
      slowLane: async (delivery, afterMs) => this.#send(delivery, afterMs),
      deadLetter: async (delivery) => void this.dead.push(delivery),
    },
    now: () => this.nowMs,
    random: () => 0,
  };
  #events = 0;

  /** Puts other webhooks. */
  put(...webhooks: { url: string; secret: string }[]): void {
    this.#definition = { ...this.#definition, webhooks };
  }

  event(): void {
    const event = { eventId: `e${this.#events++}`, type: 'MatchEnded', queue: 'arena', time: at(this.nowMs) };
    this.#send({ event: { ...event, match: { teams: [] } } as never as MusterEvent }, 0);
  }

  /** Delivers what is due, for some time. */
  async run(forMs: number) {
    const untilMs = this.nowMs + forMs;
    const outcomes = [];
    for (;;) {
      const next = this.messages.sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined || next.dueMs > untilMs) break;
      this.messages.shift();
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      outcomes.push(await deliver(this.#deps, next.delivery));
    }
    this.nowMs = untilMs;
    return outcomes;
  }

  async health() {
    const deps = { deliveryRecords: this.#records, receivers: this.#receivers };
    return (await webhookHealth(deps, this.#definition, this.nowMs))[0]!;
  }

  #send(delivery: Delivery, afterMs: number): void {
    this.messages.push({ delivery, dueMs: this.nowMs + Math.ceil(afterMs / 1_000) * 1_000 });
  }

  #counting() {
    return new Proxy(this.#records, {
      get: (store, name) => {
        this.writes += 1;
        return Reflect.get(store, name);
      },
    });
  }
}

describe('a webhook', () => {
  it('is unused before its first event, and shows its URL without the query', async () => {
    expect(await new OneWebhook().health()).toEqual({
      url: 'https://game.example/hook',
      state: 'unused',
      lastSuccessAt: null,
      lastFailure: null,
      failures: 0,
      waiting: 0,
      waitingSince: null,
    });
  });

  it('that works is noted once in ten seconds', async () => {
    const webhook = new OneWebhook();
    for (let second = 0; second < 20; second++) {
      for (let i = 0; i < 5; i++) webhook.event();
      await webhook.run(1_000);
    }
    expect(await webhook.health()).toMatchObject({ state: 'working', failures: 0, waiting: 0 });
    expect(webhook.writes).toBeLessThanOrEqual(3);
  });

  it('whose receiver is down reports it within ten seconds, with the number of waiting deliveries and since when they wait', async () => {
    const webhook = new OneWebhook();
    webhook.event();
    await webhook.run(1_000);
    webhook.answer = { outcome: 'unreachable', error: 'game.example: ECONNREFUSED' };
    const sinceMs = webhook.nowMs;
    for (let i = 0; i < 3; i++) webhook.event();
    const outcomes = await webhook.run(10_000);
    expect(outcomes).toContainEqual(expect.objectContaining({ outcome: 'tried', failures: 3 }));
    expect(await webhook.health()).toMatchObject({
      state: 'down',
      lastSuccessAt: at(NOW_MS),
      lastFailure: { text: 'game.example: ECONNREFUSED' },
      waiting: 3,
      waitingSince: at(sinceMs),
    });
    webhook.answer = { outcome: 'responded', status: 204, body: '' };
    await webhook.run(120_000);
    expect(webhook.messages).toEqual([]);
    expect(await webhook.health()).toMatchObject({ state: 'working', failures: 0, waiting: 0 });
  });

  it('that moves to another URL with the same secret gets the events that waited for the old one', async () => {
    const webhook = new OneWebhook();
    webhook.answer = { outcome: 'unreachable', error: 'game.example: ECONNREFUSED' };
    for (let i = 0; i < 8; i++) webhook.event();
    await webhook.run(60_000);
    webhook.put({ url: 'https://new.example/hook', secret: 'arena/hook' });
    webhook.answer = { outcome: 'responded', status: 204, body: '' };
    webhook.posts.length = 0;
    await webhook.run(300_000);
    expect(webhook.messages).toEqual([]);
    expect(webhook.posts).toEqual(Array(8).fill('https://new.example/hook'));
    expect(await webhook.health()).toMatchObject({ state: 'working', waiting: 0 });
  });

  it('that is removed loses the waiting events, and each is reported', async () => {
    const webhook = new OneWebhook();
    webhook.answer = { outcome: 'responded', status: 500, body: '' };
    for (let i = 0; i < 3; i++) webhook.event();
    await webhook.run(2_000);
    webhook.put({ url: 'https://other.example/hook', secret: 'arena/other' });
    const outcomes = await webhook.run(60_000);
    expect(outcomes).toEqual(
      Array(3).fill({
        outcome: 'refused',
        why: 'the queue has no webhook with this URL any more',
        webhook: 'https://game.example/hook?token=t',
      }),
    );
    expect(webhook.messages).toEqual([]);
  });

  it('whose receiver returns errors shows the last status', async () => {
    const webhook = new OneWebhook();
    webhook.answer = { outcome: 'responded', status: 500, body: '' };
    webhook.event();
    await webhook.run(30_000);
    expect(await webhook.health()).toMatchObject({
      state: 'failing',
      lastFailure: { text: 'the receiver returned status 500', status: 500 },
      waiting: 1,
    });
    await webhook.run(3_600_000);
    expect(webhook.dead).toHaveLength(1);
    expect(await webhook.health()).toMatchObject({ failures: 8, waiting: 0 });
  });

  it('whose secret is missing reports it within ten seconds, and gets its events when the secret exists', async () => {
    const webhook = new OneWebhook();
    webhook.secret = { outcome: 'missing', why: 'there is no secret muster/arena/hook' };
    webhook.event();
    const outcomes = await webhook.run(10_000);
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'postponed', failures: expect.any(Number) });
    expect(await webhook.health()).toMatchObject({
      state: 'failing',
      lastFailure: { text: 'there is no secret muster/arena/hook' },
      waiting: 1,
    });
    expect((await webhook.health()).failures).toBeGreaterThanOrEqual(3);
    webhook.secret = { outcome: 'found', value: 'whsec_c2VjcmV0' };
    await webhook.run(30_000);
    expect(webhook.messages).toEqual([]);
    expect(await webhook.health()).toMatchObject({ state: 'working', waiting: 0 });
  });
});
