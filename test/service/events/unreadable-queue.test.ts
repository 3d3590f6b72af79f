import { describe, expect, it } from 'vitest';
import type { MusterEvent } from '../../../lib/contract/events.ts';
import type { Delivery } from '../../../lib/service/domain/delivery.ts';
import { UnreadableQueue } from '../../../lib/service/domain/unreadable.ts';
import { deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import { type Change, type PublishDeps, publish } from '../../../lib/service/events/publish.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { match, NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';
import { deliveryLog } from './memory-deliveries.ts';

/** The queue `bad` cannot be read while it is not mended. */
function world() {
  const it = {
    mended: false,
    webhooks: ['one', 'two'],
    put: [] as { event: MusterEvent; destinations: readonly string[] }[],
    refused: [] as number[],
    slow: [] as { delivery: Delivery; afterMs: number }[],
    dead: [] as Delivery[],
    split: [] as Delivery[],
    posts: [] as string[],
    nowMs: NOW_MS,
  };
  const queues = {
    get: async (queue: string) => {
      if (queue === 'busy') throw new StoreBusy('busy');
      if (queue === 'bad' && !it.mended) throw new UnreadableQueue(queue, 'queue bad cannot be read');
      const webhooks = it.webhooks.map((name) => ({
        url: `https://${name}.example/`,
        secret: 'shared/s',
      }));
      return { definition: definition({ name: queue, webhooks }) };
    },
  } as never;
  const publishing: PublishDeps = {
    queues,
    bus: {
      publish: async (events) => {
        it.put.push(...events);
        return it.refused;
      },
    },
  };
  const notifying: NotifyDeps = {
    queues,
    receivers: { get: async () => undefined } as never,
    erased: { findErased: async () => new Set(), lastAtMs: async () => 0 },
    deliveries: deliveryLog(),
    secrets: { get: async () => ({ outcome: 'found', value: 'whsec_c2VjcmV0' }) },
    outbound: {
      post: async (url) => {
        it.posts.push(url);
        return { outcome: 'responded', status: 204, body: '' };
      },
    },
    sender: {
      split: async (deliveries) => void it.split.push(...deliveries),
      slowLane: async (delivery, afterMs) => void it.slow.push({ delivery, afterMs }),
      deadLetter: async (delivery) => void it.dead.push(delivery),
    },
    now: () => it.nowMs,
    random: () => 0,
  };
  return Object.assign(it, { publishing, notifying });
}

const change = (queue: string, n: number): Change => ({
  table: 'matches',
  changeId: `${queue}-${n}`,
  atMs: NOW_MS,
  before: undefined,
  after: match(queue, `${queue}-${n}`, ['a', 'b'], {
    status: 'PLACING',
    deadline: new Date(NOW_MS).toISOString(),
  }),
});

describe('publish', () => {
  it('sends the events of a queue that cannot be read to all receivers, and those of the others to their own', async () => {
    const it = world();
    const changes = [change('good', 1), change('bad', 1), change('bad', 2), change('good', 2)];
    expect(await publish(it.publishing, changes)).toEqual([]);
    const unknown = ['webhooks/bad', 'provisioner/http', 'provisioner/gamelift'];
    expect(it.put.map(({ event, destinations }) => [event.eventId, destinations])).toEqual([
      ['good-1', ['webhooks/good']],
      ['bad-1', unknown],
      ['bad-2', unknown],
      ['good-2', ['webhooks/good']],
    ]);
  });

  it('returns the indexes of rejected events', async () => {
    const it = world();
    it.refused = [1];
    const changes = [change('bad', 1), change('good', 1), change('bad', 2)];
    expect(await publish(it.publishing, changes)).toEqual([1]);
  });

  it('publishes nothing when the store is busy: the stream delivers the changes again', async () => {
    const it = world();
    await expect(publish(it.publishing, [change('bad', 1), change('busy', 1)])).rejects.toThrow(StoreBusy);
    expect(it.put).toEqual([]);
  });
});

describe('notify', () => {
  const event = {
    eventId: 'e',
    type: 'TicketQueued',
    queue: 'bad',
    time: new Date(NOW_MS).toISOString(),
  } as MusterEvent;

  const HOUR_MS = 3_600_000;

  it('keeps the events of a queue that cannot be read in the slow lane, and then sends one to each webhook', async () => {
    const it = world();
    expect(await deliver(it.notifying, { event })).toMatchObject({
      outcome: 'postponed',
      why: 'queue bad cannot be read',
    });
    const waiting = { event, failed: 0, slowSinceMs: NOW_MS };
    for (const [ageMs, afterMs] of [
      [60_000, 30_000],
      [HOUR_MS, 900_000],
      [12 * 24 * HOUR_MS, 900_000],
    ] as const) {
      it.nowMs = NOW_MS + ageMs;
      expect(await deliver(it.notifying, waiting)).toMatchObject({ outcome: 'postponed', afterMs });
    }
    expect(it.slow.map(({ delivery }) => delivery)).toEqual(Array(4).fill(waiting));
    it.mended = true;
    expect(await deliver(it.notifying, waiting)).toEqual({ outcome: 'done' });
    // They are new, so each has all of its tries.
    expect(it.split).toEqual(
      ['one', 'two'].map((name) => ({ event, url: `https://${name}.example/`, secret: 'shared/s' })),
    );
    expect([it.posts, it.dead]).toEqual([[], []]);
  });

  it('drops an event that no webhook wants, as soon as its queue can be read', async () => {
    const it = world();
    it.webhooks = [];
    await deliver(it.notifying, { event });
    it.mended = true;
    expect(await deliver(it.notifying, it.slow.shift()!.delivery)).toEqual({ outcome: 'done' });
    expect([it.split, it.slow, it.dead]).toEqual([[], [], []]);
  });

  it('moves them to the dead letters after 13 days', async () => {
    const it = world();
    it.nowMs += 13 * 24 * HOUR_MS;
    expect(await deliver(it.notifying, { event, slowSinceMs: NOW_MS })).toMatchObject({
      outcome: 'given up',
    });
    expect(it.dead).toEqual([{ event }]);
  });
});

describe('deadline', () => {
  it('leaves an overdue match of a queue that cannot be read as it is, for the sweep of the next minute', async () => {
    const it = world();
    const stored = match('bad', 'm', ['a', 'b'], {
      status: 'PLACING',
      deadline: new Date(NOW_MS).toISOString(),
    });
    const unexpected = () => Promise.reject(new Error('a write'));
    const outcome = await checkDeadline(
      {
        queues: it.publishing.queues,
        matches: { get: async () => stored, advance: unexpected, requeue: unexpected },
        timer: { again: unexpected },
      } as never,
      'm',
      NOW_MS,
    );
    expect(outcome).toBeInstanceOf(UnreadableQueue);
  });
});
