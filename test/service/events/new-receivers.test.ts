import { beforeEach, describe, expect, it } from 'vitest';
import type { MusterEvent } from '../../../lib/contract/events.ts';
import type { Delivery } from '../../../lib/service/domain/delivery.ts';
import { type DeliveryOutcome, deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import type { ReceiverStore } from '../../../lib/service/ports/receiver-store.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';
import { deliveryLog } from './memory-deliveries.ts';
import { memoryReceivers } from './memory-receivers.ts';

const RESPONDED: OutboundResult = { outcome: 'responded', status: 204, body: '' };
const TIMED_OUT: OutboundResult = { outcome: 'unreachable', error: 'no response', timedOut: true };

describe('new receivers of webhooks', () => {
  let nowMs: number;
  let receivers: ReceiverStore;
  /** Posts that have not ended: their URLs, each with its end. */
  let open: Map<string, (result: OutboundResult) => void>;
  /** The deliveries in the slow lane. */
  let slow: Delivery[];
  beforeEach(() => {
    slow = [];
    nowMs = NOW_MS;
    receivers = memoryReceivers();
    open = new Map();
  });

  const urlOf = (queue: string, n: number) => `https://${queue}.example/${n}`;
  const deliverTo = (queue: string, n: number, again?: Delivery): Promise<DeliveryOutcome> => {
    const webhooks = [1, 2, 3, 4, 5].map((one) => ({ url: urlOf(queue, one), secret: 'shared/s' }));
    const event = {
      eventId: `${queue}-${n}`,
      type: 'MatchFound',
      queue,
      time: new Date(NOW_MS).toISOString(),
    };
    const deps = {
      queues: { get: async () => ({ definition: definition({ name: queue, webhooks }) }) },
      receivers,
      deliveries: deliveryLog(),
      erased: { findErased: async () => new Set(), lastAtMs: async () => 0 },
      secrets: { get: async () => ({ outcome: 'found', value: 'whsec_c2VjcmV0' }) },
      outbound: { post: (url: string) => new Promise((settle) => open.set(url, settle)) },
      sender: {
        split: async () => {},
        slowLane: async (one: Delivery) => void slow.push(one),
        deadLetter: async () => {},
      },
      now: () => nowMs,
      random: () => 0,
    } as unknown as NotifyDeps;
    const delivery = again ?? {
      event: { ...event, match: { teams: [] } } as never as MusterEvent,
      url: urlOf(queue, n),
    };
    return deliver(deps, delivery);
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = (url: string, result: OutboundResult) => {
    open.get(url)!(result);
    open.delete(url);
  };

  it('are tried by one delivery at a time, so that each holds one execution', async () => {
    const first = deliverTo('hostile', 1);
    await settled();
    for (let i = 0; i < 4; i++) expect(await deliverTo('hostile', 1)).toMatchObject({ afterMs: 1_000 });
    const others = [deliverTo('hostile', 2), deliverTo('good', 1)];
    await settled();
    expect([...open.keys()]).toEqual([urlOf('hostile', 1), urlOf('hostile', 2), urlOf('good', 1)]);
    for (const url of [urlOf('hostile', 2), urlOf('good', 1)]) end(url, RESPONDED);
    expect(await Promise.all(others)).toEqual([{ outcome: 'done' }, { outcome: 'done' }]);
    nowMs += 2_000;
    end(urlOf('hostile', 1), TIMED_OUT);
    expect(await first).toMatchObject({ outcome: 'postponed', why: 'no response' });
    // It is slow now.
    expect(await deliverTo('hostile', 1)).toMatchObject({ why: 'the receiver is slow' });
    expect(open.size).toBe(0);
  });

  it('are free after a fast response, whatever the trial of another one does', async () => {
    const first = deliverTo('good', 1);
    await settled();
    end(urlOf('good', 1), RESPONDED);
    await first;
    void deliverTo('good', 2);
    void deliverTo('good', 1);
    await settled();
    expect([...open.keys()].sort()).toEqual([urlOf('good', 1), urlOf('good', 2)]);
  });

  it('wait in the slow lane during the trial, so that each delivery is in the first queue once', async () => {
    const first = deliverTo('good', 1);
    await settled();
    await deliverTo('good', 1);
    expect(slow.map(({ url, failed }) => [url, failed])).toEqual([[urlOf('good', 1), 0]]);
    nowMs += 1_000;
    expect(await deliverTo('good', 1, slow[0])).toMatchObject({ outcome: 'postponed' });
    end(urlOf('good', 1), RESPONDED);
    await first;
    void deliverTo('good', 1, slow[0]);
    await settled();
    expect(open.size).toBe(1);
  });

  it('that were slow at first are fast after a minute of fast responses', async () => {
    await receivers.markUp(urlOf('good', 1), nowMs, undefined);
    await deliverTo('good', 1);
    for (let i = 0; i < 2; i++) {
      const again = deliverTo('good', 1, slow[0]);
      await settled();
      end(urlOf('good', 1), RESPONDED);
      await again;
      nowMs += 59_999;
      expect(await deliverTo('good', 1)).toMatchObject({ why: 'the receiver is slow' });
      nowMs -= 59_999;
    }
    nowMs += 60_000;
    void deliverTo('good', 1);
    await settled();
    expect(open.size).toBe(1);
  });

  it('are tried again when the function was stopped in a trial', async () => {
    void deliverTo('good', 1);
    await settled();
    nowMs += 9_999;
    expect(await deliverTo('good', 1)).toMatchObject({ afterMs: 1_000 });
    nowMs += 1;
    open.clear();
    expect(await deliverTo('good', 1)).toMatchObject({ why: 'the receiver is slow' });
    void deliverTo('good', 1, slow.at(-1));
    await settled();
    expect([...open.keys()]).toEqual([urlOf('good', 1)]);
  });
});
