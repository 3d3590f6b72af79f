import { describe, expect, it } from 'vitest';
import type { MusterEvent } from '../../../lib/contract/events.ts';
import type { Delivery } from '../../../lib/service/domain/delivery.ts';
import type { ParkedEvent } from '../../../lib/service/domain/parked-event.ts';
import { UnreadableQueue } from '../../../lib/service/domain/unreadable.ts';
import { deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import {
  type Change,
  type PublishDeps,
  publish,
  publishParked,
} from '../../../lib/service/events/publish.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { match, NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';
import { deliveryLog } from './memory-deliveries.ts';

/** The queue `bad` cannot be read while it is not mended. */
function world() {
  const it = {
    mended: false,
    put: [] as { event: MusterEvent; destinations: readonly string[] }[],
    parked: [] as ParkedEvent[],
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
      const webhooks = ['one', 'two'].map((name) => ({
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
    parking: { park: async (events) => void it.parked.push(...events) },
  };
  const notifying: NotifyDeps = {
    queues,
    receivers: { get: async () => undefined } as never,
    erased: { among: async () => new Set(), lastAtMs: async () => 0 },
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
  it('parks the events of a queue that cannot be read, and publishes those of the others', async () => {
    const it = world();
    const changes = [change('good', 1), change('bad', 1), change('bad', 2), change('good', 2)];
    expect(await publish(it.publishing, changes)).toEqual([]);
    expect(it.put.map(({ event }) => event.eventId)).toEqual(['good-1', 'good-2']);
    expect(it.parked.map(({ event, hasDeadline }) => [event.eventId, hasDeadline])).toEqual([
      ['bad-1', true],
      ['bad-2', true],
    ]);
  });

  it('returns the indexes of rejected events among all changes', async () => {
    const it = world();
    it.refused = [1];
    const changes = [change('bad', 1), change('good', 1), change('bad', 2), change('good', 2)];
    expect(await publish(it.publishing, changes)).toEqual([3]);
  });

  it('publishes a parked event as it would have, when its queue can be read', async () => {
    const it = world();
    await publish(it.publishing, [change('bad', 1)]);
    const [parked] = it.parked;
    for (const [ageMs, afterMs] of [
      [0, 5_000],
      [600_000, 60_000],
      [86_400_000, 1_200_000],
    ] as const) {
      expect(await publishParked(it.publishing, parked!, NOW_MS + ageMs)).toEqual({
        outcome: 'waiting',
        why: 'queue bad cannot be read',
        afterMs,
      });
    }
    expect(it.put).toEqual([]);
    it.mended = true;
    expect(await publishParked(it.publishing, parked!, NOW_MS)).toEqual({ outcome: 'done' });
    const [late] = it.put.splice(0);
    expect(await publish(it.publishing, [change('bad', 1)])).toEqual([]);
    const { event, destinations } = it.put[0]!;
    expect(late).toEqual({ event, destinations });
    expect(destinations).toEqual(['webhooks/bad']);
  });

  it('tries a parked event again that the bus rejects', async () => {
    const it = world();
    await publish(it.publishing, [change('bad', 1)]);
    it.mended = true;
    it.refused = [0];
    expect(await publishParked(it.publishing, it.parked[0]!, NOW_MS)).toMatchObject({ outcome: 'retry' });
  });

  it('parks nothing when the store is busy: the stream delivers the changes again', async () => {
    const it = world();
    await expect(publish(it.publishing, [change('busy', 1)])).rejects.toThrow(StoreBusy);
    expect(it.parked).toEqual([]);
  });
});

describe('notify', () => {
  const event = {
    eventId: 'e',
    type: 'TicketQueued',
    queue: 'bad',
    time: new Date(NOW_MS).toISOString(),
  } as MusterEvent;

  it('keeps the webhooks of a queue that cannot be read in the slow lane until it can', async () => {
    const it = world();
    expect(await deliver(it.notifying, { event })).toMatchObject({
      outcome: 'postponed',
      why: 'queue bad cannot be read',
    });
    const [{ delivery, afterMs }] = it.slow as [{ delivery: Delivery; afterMs: number }];
    expect([delivery, afterMs]).toEqual([{ event, failed: 0, slowSinceMs: NOW_MS }, 60_000]);
    it.nowMs += 23 * 3_600_000;
    expect(await deliver(it.notifying, delivery)).toMatchObject({ outcome: 'postponed' });
    expect(it.slow[1]!.delivery).toEqual(delivery);
    it.mended = true;
    expect(await deliver(it.notifying, delivery)).toEqual({ outcome: 'done' });
    expect(it.split.map(({ url }) => url)).toEqual(['https://one.example/', 'https://two.example/']);
    expect(it.posts).toEqual([]);
  });

  it('moves them to the dead letters after a day', async () => {
    const it = world();
    it.nowMs += 25 * 3_600_000;
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
