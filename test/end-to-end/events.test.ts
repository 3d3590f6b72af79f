import { describe, expect, it } from 'vitest';
import type { EventType } from '../../lib/contract/event-type.ts';
import { eventually } from '../patience.ts';
import { checkWebhook, fresh, testMuster } from './muster.ts';
import { type Delivery, SECRET_NAME } from './receiver.ts';
import { retriesAtOnce } from './retries.ts';

const { intercept, askedSeconds } = retriesAtOnce();
const { api, receiver, bus, cloud } = await testMuster({ intercept });

/** A webhook to a path of the receiver. */
function webhook(path: string, events?: EventType[]) {
  return { url: receiver.url(path), secret: SECRET_NAME, ...(events && { events }) };
}

/** The first event of a type that arrived at a path, with its signature verified. */
async function delivered(path: string, type: EventType): Promise<Delivery> {
  return receiver.deliveries.first((one) => one.path === path && one.verified().type === type);
}

function typesAt(path: string): EventType[] {
  // A webhook that was answered late comes again.
  const once = new Map(receiver.at(path).map((delivery) => [delivery.headers['webhook-id'], delivery]));
  return [...once.values()].map((delivery) => delivery.verified().type);
}

/** @param ticketId of the event's ticket, if several tickets of the queue have such an event */
async function onBus(queue: string, type: EventType, ticketId?: string) {
  return bus.first(
    (event) =>
      event['detail-type'] === type &&
      queueOf(event) === queue &&
      (ticketId === undefined || ticketOf(event) === ticketId),
  );
}

function ticketOf({ detail }: { detail: unknown }): string | undefined {
  return (detail as { ticket?: { ticketId: string } }).ticket?.ticketId;
}

function queueOf({ detail }: { detail: unknown }): string {
  return (detail as { queue: string }).queue;
}

/** Waits for the event of a later ticket. The stream is in order, so earlier events of its queue have arrived too. */
async function untilEarlierEventsCame(): Promise<void> {
  const path = `/later-${receiver.deliveries.items.length}`;
  const queue = await api.queue({ webhooks: [webhook(path)] });
  await api.ticket(queue, 1);
  await delivered(path, 'TicketQueued');
}

/** The dead letters of the webhook queue. */
function deadLetters(): string[] {
  const queues = cloud.stack.resources('AWS::SQS::Queue');
  const url = cloud.function('notify').environment.NOTIFY_QUEUE_URL;
  const { properties } = queues.find(({ ref }) => ref === url)!;
  const { deadLetterTargetArn } = properties.RedrivePolicy as { deadLetterTargetArn: string };
  const { name } = queues.find(({ arn }) => arn === deadLetterTargetArn)!;
  return cloud.inspectQueue(name).ready.map(({ body }) => body);
}

receiver.answer('/refuses', (_, response) => {
  response.statusCode = 400;
  response.end();
});

describe.concurrent('the bus and webhooks carry the same event', () => {
  /** Causes an event in a queue. Returns the API path of the ticket or match. */
  const stories: Record<
    EventType,
    { queue?: Parameters<typeof api.queue>[0]; story: (queue: string) => Promise<string> }
  > = {
    TicketQueued: { story: async (queue) => `/tickets/${(await api.ticket(queue, 1)).ticketId}` },
    TicketCancelled: {
      story: async (queue) => {
        const { ticketId } = await api.ticket(queue, 1);
        await api.delete(`/tickets/${ticketId}`);
        return `/tickets/${ticketId}`;
      },
    },
    TicketTimedOut: {
      queue: { timeoutSeconds: 1 },
      story: async (queue) => {
        const { ticketId } = await api.ticket(queue, 1);
        await api.until(ticketId, 'TIMED_OUT');
        return `/tickets/${ticketId}`;
      },
    },
    TicketFailed: {
      queue: { provisioner: { type: 'http', url: receiver.url('/refuses'), onFailure: 'requeue' } },
      story: async (queue) => {
        const [{ ticketId }] = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
        await api.until(ticketId, 'FAILED');
        return `/tickets/${ticketId}`;
      },
    },
    MatchFound: { story: (queue) => match(queue, 'COMPLETED') },
    MatchAccepted: {
      queue: { acceptance: { timeoutSeconds: 600 } },
      story: async (queue) => {
        const tickets = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
        for (const { ticketId } of tickets) {
          const { matchId } = await api.until(ticketId, 'REQUIRES_ACCEPTANCE');
          await api.put(`/tickets/${ticketId}/acceptance`, { accepted: true, matchId });
        }
        return `/matches/${(await api.get(`/tickets/${tickets[0]!.ticketId}`)).body.matchId}`;
      },
    },
    MatchAssigned: {
      queue: { provisioner: { type: 'external' } },
      story: async (queue) => {
        const path = await match(queue, 'PLACING');
        await api.put(`${path}/assignment`, { address: 'game.example', port: 7777 });
        return path;
      },
    },
    MatchFailed: {
      queue: { provisioner: { type: 'external', timeoutSeconds: 1 } },
      story: (queue) => match(queue, 'FAILED'),
    },
    MatchBackfilled: {
      queue: { backfill: {} },
      story: async (queue) => {
        const path = await match(queue, 'COMPLETED');
        const [stays] = (await api.get(path)).body.teams[0].players;
        const players = [{ playerId: stays.playerId, skill: 1, team: 0 }];
        const backfillId = `${queue}-backfill`;
        await api.post(`${path}/backfill`, { backfillId, players });
        const { ticketId } = await api.ticket(queue, 3);
        await api.until(ticketId, 'COMPLETED');
        return path;
      },
    },
    MatchEnded: {
      story: async (queue) => {
        const path = await match(queue, 'COMPLETED');
        await api.post(`${path}/end`, {});
        return path;
      },
    },
    MatchRated: {
      queue: { ladder: 'events' },
      story: async (queue) => {
        const ticketId = fresh('rated');
        for (const id of [ticketId, fresh('rated')])
          await api.post(`/queues/${queue}/tickets`, { ticketId: id, players: [{ playerId: id }] });
        const path = `/matches/${(await api.until(ticketId, 'COMPLETED')).matchId}`;
        await api.post(`${path}/result`, { ranks: [1, 2] });
        return path;
      },
    },
  };
  const match = async (queue: string, status: 'COMPLETED' | 'PLACING' | 'FAILED') => {
    const [{ ticketId }] = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
    return `/matches/${(await api.until(ticketId, status)).matchId}`;
  };

  it.each(Object.entries(stories))('%s', async (name, { queue: changes, story }) => {
    const type = name as EventType;
    const path = `/${type}`;
    await api.put('/ladders/events', { name: 'events' });
    const queue = await api.queue({ ...changes, webhooks: [webhook(path)] });
    const source = await story(queue);
    const delivery = await delivered(path, type);
    const { type: _, timestamp, data } = delivery.verified();
    checkWebhook(JSON.parse(delivery.text));
    const onTheBus = await onBus(queue, type, ticketOf({ detail: data }));

    expect(onTheBus).toMatchObject({ source: 'muster', detail: data });
    expect(Object.keys(JSON.parse(delivery.text))).toEqual(['type', 'timestamp', 'data']);
    expect(timestamp).toBe(data.time);
    expect(new Date(data.time).toISOString()).toBe(data.time);
    expect(data.queue).toBe(queue);
    expect(delivery.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': data.eventId,
    });
    const { reason: _why, ...told } = data.ticket ?? data.match;
    const now = (await api.get(data.ticket ? `/tickets/${data.ticket.ticketId}` : source)).body;
    expect(now).toMatchObject(told);
    expect(
      Object.keys(now)
        .filter((key) => key !== 'reason')
        .sort(),
    ).toEqual(Object.keys(told).sort());
  });
});

describe.concurrent('webhooks', () => {
  it('receive only the events they subscribe to', async () => {
    const queue = await api.queue({
      webhooks: [webhook('/some', ['TicketCancelled', 'MatchFound']), webhook('/every')],
    });
    const { ticketId } = await api.ticket(queue, 1);
    await api.delete(`/tickets/${ticketId}`);
    const one = await api.ticket(queue, 1);
    await api.ticket(queue, 2);
    await api.until(one.ticketId, 'COMPLETED');
    await delivered('/some', 'MatchFound');
    await delivered('/every', 'MatchFound');
    await receiver.deliveries.until(() => typesAt('/every').length === 5 && typesAt('/some').length === 2);
    expect(typesAt('/every').sort()).toEqual([
      'MatchFound',
      'TicketCancelled',
      'TicketQueued',
      'TicketQueued',
      'TicketQueued',
    ]);
    expect(typesAt('/some').sort()).toEqual(['MatchFound', 'TicketCancelled']);
  });

  it('that always fail are tried eight times at growing intervals, and then kept as dead letters', async () => {
    receiver.answer('/broken', (_, response) => {
      response.statusCode = 500;
      response.end();
    });
    const queue = await api.queue({ webhooks: [webhook('/broken')] });
    const { ticketId } = await api.ticket(queue, 1);
    await eventually(() => expect(deadLetters().some((body) => body.includes(ticketId))).toBe(true));
    // A first one that was cut short, because its response took longer than two seconds, is no try.
    expect([8, 9]).toContain(receiver.at('/broken').length);
    expect(new Set(receiver.at('/broken').map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const seconds of [1, 64, 900]) {
      expect(askedSeconds.some((asked) => asked > 0.74 * seconds && asked <= seconds)).toBe(true);
    }
  });

  it('that get status 410 are not retried', async () => {
    receiver.answer('/gone', (_, response) => {
      response.statusCode = 410;
      response.end();
    });
    const queue = await api.queue({ webhooks: [webhook('/gone')] });
    await api.ticket(queue, 1);
    await delivered('/gone', 'TicketQueued');
    await eventually(async () =>
      expect((await api.get(`/queues/${queue}/stats`)).body.webhooks).toMatchObject([
        { lastFailure: { status: 410 }, waiting: 0 },
      ]),
    );
    const { length } = receiver.at('/gone');
    await untilEarlierEventsCame();
    expect(receiver.at('/gone')).toHaveLength(length);
  });
});

it.concurrent('the bus carries only the events that a queue subscribes to', async () => {
  const queue = await api.queue({
    events: ['TicketCancelled'],
    provisioner: { type: 'http', url: receiver.url('/unasked') },
  });
  const { ticketId } = await api.ticket(queue, 1);
  await api.delete(`/tickets/${ticketId}`);
  await onBus(queue, 'TicketCancelled');
  const types = bus.items.filter((event) => queueOf(event) === queue).map((event) => event['detail-type']);
  expect(types).toEqual(['TicketCancelled']);
});

it('no two events have the same id', () => {
  const ids = bus.items.map(({ detail }) => (detail as { eventId: string }).eventId);
  expect(ids.length).toBeGreaterThan(20);
  expect(new Set(ids).size).toBe(ids.length);
});
