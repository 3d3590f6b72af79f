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
      erased: { among: async () => new Set(), lastAtMs: async () => 0 },
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

  it('of one queue are tried one at a time, so that they hold one execution', async () => {
    const first = deliverTo('hostile', 1);
    await settled();
    for (const n of [2, 3, 4, 5]) expect(await deliverTo('hostile', n)).toMatchObject({ afterMs: 1_000 });
    const good = deliverTo('good', 1);
    await settled();
    expect([...open.keys()]).toEqual([urlOf('hostile', 1), urlOf('good', 1)]);
    end(urlOf('good', 1), RESPONDED);
    expect(await good).toEqual({ outcome: 'done' });
    nowMs += 2_000;
    end(urlOf('hostile', 1), TIMED_OUT);
    expect(await first).toMatchObject({ outcome: 'postponed', why: 'no response' });
    // The first one is slow now. The next one is tried.
    expect(await deliverTo('hostile', 1)).toMatchObject({ why: 'the receiver is slow' });
    void deliverTo('hostile', 2);
    await settled();
    expect([...open.keys()]).toEqual([urlOf('hostile', 2)]);
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

  it('wait in the slow lane during a trial, so that the first queue sees each delivery once', async () => {
    void deliverTo('hostile', 1);
    await settled();
    await deliverTo('hostile', 2);
    await deliverTo('hostile', 3);
    expect(slow.map(({ url, failed }) => [url, failed])).toEqual([
      [urlOf('hostile', 2), 0],
      [urlOf('hostile', 3), 0],
    ]);
    // There they wait for no trial.
    nowMs += 1_000;
    void deliverTo('hostile', 2, slow[0]);
    const third = deliverTo('hostile', 3, slow[1]);
    await settled();
    expect([...open.keys()]).toEqual([1, 2, 3].map((n) => urlOf('hostile', n)));
    end(urlOf('hostile', 3), RESPONDED);
    expect(await third).toEqual({ outcome: 'done' });
    void deliverTo('hostile', 3);
    await settled();
    expect(open.has(urlOf('hostile', 3))).toBe(true);
  });

  it('are tried again when the function was stopped in a trial', async () => {
    void deliverTo('good', 1);
    await settled();
    nowMs += 9_999;
    expect(await deliverTo('good', 2)).toMatchObject({ afterMs: 1_000 });
    nowMs += 1;
    void deliverTo('good', 2);
    await settled();
    expect([...open.keys()]).toEqual([urlOf('good', 1), urlOf('good', 2)]);
  });
});
