import { SQSClient } from '@aws-sdk/client-sqs';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { backfillStore } from '../../lib/aws/backfill-store.ts';
import { packGame } from '../../lib/aws/compact-game.ts';
import { fromEnvelope } from '../../lib/aws/event-bus.ts';
import { experimentStore } from '../../lib/aws/experiment-store.ts';
import { deflatedJson } from '../../lib/aws/item.ts';
import { ladderStore } from '../../lib/aws/ladder-store.ts';
import { logger } from '../../lib/aws/log.ts';
import { matchIdOf } from '../../lib/aws/match-message.ts';
import { matchStore } from '../../lib/aws/match-store.ts';
import { messageConsumer } from '../../lib/aws/message-consumer.ts';
import { outcomeStore } from '../../lib/aws/outcome-store.ts';
import { presenceStore } from '../../lib/aws/presence-store.ts';
import { queueStore } from '../../lib/aws/queue-store.ts';
import { rangeStore } from '../../lib/aws/range-store.ts';
import { ratingStore } from '../../lib/aws/rating-store.ts';
import { toChange } from '../../lib/aws/stream.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import { readDelivery } from '../../lib/service/domain/delivery.ts';
import { readTickMessage } from '../../lib/service/domain/tick-message.ts';
import type { TickReport } from '../../lib/service/domain/tick-report.ts';
import { Unreadable } from '../../lib/service/domain/unreadable.ts';
import { dispatch } from '../../lib/service/ticks/dispatch.ts';
import { tick } from '../../lib/service/ticks/tick.ts';
import { definition, putQueue } from '../service/definitions.ts';
import { clearTables, EMULATORS, type EmulatedTables, startTables } from './emulated-tables.ts';
import { bucketLayout, match, NOW_MS, ticket } from './samples.ts';

/** Data written by earlier and later versions of Muster, and data that no version can read. */

let tables: EmulatedTables;
let client: DynamoDBDocumentClient;
let stores: {
  tickets: ReturnType<typeof ticketStore>;
  matches: ReturnType<typeof matchStore>;
  queues: ReturnType<typeof queueStore>;
  ranges: ReturnType<typeof rangeStore>;
};
const oneLayout = bucketLayout(1);

beforeAll(async () => {
  tables = await startTables(EMULATORS.find(({ skipped }) => skipped === undefined)!.emulator);
  client = tables.client();
  stores = {
    tickets: ticketStore(client, tables.names),
    matches: matchStore(client, tables.names),
    queues: queueStore(client, tables.names.queues),
    ranges: rangeStore(client, tables.names.ranges),
  };
});
afterAll(() => tables?.stop());
afterEach(() => {
  vi.restoreAllMocks();
  return clearTables(tables);
});

const put = (table: keyof EmulatedTables['names'], Item: Record<string, unknown>) =>
  client.send(new PutCommand({ TableName: tables.names[table], Item }));

describe('A lease of another form', () => {
  it('counts as held, and is not closed', async () => {
    await put('ranges', { item: 'l#lease#1.0', lease: { holder: 'x' } });
    const lease = { owner: 'me', slotMs: NOW_MS, nowMs: NOW_MS, untilMs: NOW_MS + 10_000 };
    expect(await stores.ranges.takeLease('l', ['1.0'], lease)).toBe('held');
    expect(await stores.ranges.close('l', ['1.0'], NOW_MS)).toBe('held');
  });
});

describe('A page of a journal of another form', () => {
  it('is not taken for the end of the journal, so no ticket is forgotten', async () => {
    await put('ranges', { item: 'j#journal#me#0', matches: '{"of":"another version"}' });
    await expect(stores.ranges.journalUntilClosed('j', 'me', 0, NOW_MS)).rejects.toThrow(Unreadable);
  });
});

describe('Fields that a later version has added', () => {
  it('are ignored in tickets and matches', async () => {
    await stores.tickets.create(ticket('q', 't-new', 5), oneLayout);
    await client.send(
      new UpdateCommand({
        TableName: tables.names.tickets,
        Key: { ticketId: 't-new' },
        UpdateExpression: 'SET players = :players, weather = :weather',
        ExpressionAttributeValues: {
          ':players': JSON.stringify([{ playerId: 't-new.0', skill: 5, latencies: { eu: 20 } }]),
          ':weather': 'fair',
        },
      }),
    );
    expect(await stores.tickets.get('t-new')).toEqual(ticket('q', 't-new', 5));
    const later = match('q', 'm-new', ['a', 'b']);
    const { matchId, queue, status, createdAt, ...game } = later;
    const packed = packGame({ ...game, shape: '5v5' } as Parameters<typeof packGame>[0]);
    await put('matches', { matchId, queue, status, createdAt, game: packed, region: 'eu' });
    expect(await stores.matches.get('m-new')).toEqual(later);
  });

  it('are ignored in a queue definition, at any depth', async () => {
    const wanted = definition({ name: 'later', webhooks: [{ url: 'https://a.example', secret: 's' }] });
    await putQueue(stores.queues, wanted, NOW_MS);
    const later = {
      ...wanted,
      shapes: [5, 5],
      webhooks: [{ ...wanted.webhooks![0], retries: 3 }],
      release: { policy: 'greedy', haste: 1 },
    };
    await setDefinition('later', later);
    expect((await stores.queues.get('later'))?.definition).toEqual(wanted);
  });

  it('are ignored in ticks and in messages about matches', () => {
    const message = { queue: 'q', slotMs: 1, layout: 1, range: 0 };
    expect(readTickMessage({ ...message, region: 'eu' })).toEqual(message);
    expect(matchIdOf({ detail: { match: { matchId: 'm', shape: '5v5' } }, version: '2' })).toBe('m');
    expect(matchIdOf({ matchId: 'm', attempt: 2 })).toBe('m');
  });
});

describe('A queue of another version', () => {
  it('without a record of sent ticks counts as having sent none', async () => {
    await putQueue(stores.queues, definition({ name: 'unsent' }), NOW_MS);
    await client.send(
      new UpdateCommand({
        TableName: tables.names.queues,
        Key: { queue: 'unsent', item: 'definition' },
        UpdateExpression: 'REMOVE sentUntilMs',
      }),
    );
    expect(await stores.queues.get('unsent')).toMatchObject({ sentUntilMs: 0 });
  });

  it('that cannot be read fails alone, and the others are served', async () => {
    await putQueue(stores.queues, definition({ name: 'broken' }), NOW_MS);
    await putQueue(stores.queues, definition({ name: 'healthy' }), NOW_MS);
    await setDefinition('broken', { name: 'broken', teamSize: 'many' });
    await expect(stores.queues.get('broken')).rejects.toThrow(Unreadable);
    await expect(stores.queues.get('broken')).rejects.toThrow(
      /queue broken.*#\/definition\/teamSize: Expected a number, got "many"/,
    );
    await stores.tickets.create(ticket('healthy', 'h-1', 5), oneLayout);
    const sent: unknown[] = [];
    const ticks = { send: async (messages: readonly unknown[]) => void sent.push(...messages) };
    const overdue = { findOverdue: async () => [] };
    const timer = { again: async () => {} };
    const experiments = experimentStore(client, tables.names.ranges);
    const outcomes = outcomeStore(client, tables.names.ranges);
    const { awake, failed } = await dispatch(
      { ...stores, experiments, outcomes, ticks, overdue, timer, clock: Date },
      NOW_MS,
    );
    expect(awake).toContain('healthy');
    expect(failed.map(({ what }) => what)).toEqual(['queue broken']);
    expect(sent.length).toBeGreaterThan(0);
  });

  it('whose definition cannot be read is repaired by a PUT, and its waiting tickets are still found', async () => {
    const queue = 'mended';
    await putQueue(stores.queues, definition({ name: queue, buckets: [10] }), NOW_MS);
    const before = (await stores.queues.get(queue))!;
    for (const [name, skill] of [
      ['low', 5],
      ['high', 15],
    ] as const)
      await stores.tickets.create(ticket(queue, `${queue}-${name}`, skill), before.layouts[0]!);
    for (const broken of [
      { name: queue, teamSize: 'many' },
      { name: queue, future: true },
      'no object',
      null,
    ]) {
      await setDefinition(queue, broken);
      await expect(stores.queues.get(queue)).rejects.toThrow(Unreadable);
      const mended = definition({ name: queue, buckets: [20] });
      expect(await putQueue(stores.queues, mended, NOW_MS + 1_000)).toMatchObject({ outcome: 'changed' });
      const after = (await stores.queues.get(queue))!;
      expect(after.definition).toEqual(mended);
      expect(after.layouts.map(({ boundaries }) => boundaries)).toEqual([[10], [20]]);
      const { tickets } = await stores.tickets.waiting(queue, after.layouts, {});
      expect(tickets.map(({ ticketId }) => ticketId)).toEqual([`${queue}-low`, `${queue}-high`]);
    }
  });

  it('is not repaired by a PUT when its buckets cannot be read either', async () => {
    await putQueue(stores.queues, definition({ name: 'lost' }), NOW_MS);
    await setDefinition('lost', 'no object');
    await client.send(
      new UpdateCommand({
        TableName: tables.names.queues,
        Key: { queue: 'lost', item: 'definition' },
        UpdateExpression: 'SET layouts = :layouts',
        ExpressionAttributeValues: { ':layouts': '{}' },
      }),
    );
    await expect(putQueue(stores.queues, definition({ name: 'lost' }), NOW_MS)).rejects.toThrow(
      /queue lost.*#\/layouts/,
    );
  });

  it('has no last report when that cannot be read, and no memory when that is of another form', async () => {
    const report: TickReport = {
      slotMs: 1,
      durationMs: 2,
      waiting: 3,
      oldestWaitMs: 4,
      matches: 0,
      recent: [{ imbalance: 1, waitsMs: [5] }],
    };
    await put('ranges', { item: 'r#report#1.0', slotMs: 1, report: deflatedJson({ slotMs: 'soon' }) });
    await put('ranges', { item: 'r#report#1.1', slotMs: 1, report: 'no JSON' });
    const memory = { version: 1, rate: 3 };
    await put('ranges', {
      item: 'r#report#1.2',
      slotMs: 1,
      report: deflatedJson({ ...report, memory }),
    });
    await put('ranges', { item: 'r#report#1.4', slotMs: 1, report: new Uint8Array([1, 2, 3]) });
    const reports = await stores.ranges.reports('r', ['1.0', '1.1', '1.2', '1.3', '1.4']);
    expect([...reports]).toEqual([['1.2', { ...report, memory: undefined }]]);
  });
});

describe('A waiting ticket that cannot be read', () => {
  it('is cancelled by the next tick, and the others are matched', async () => {
    const queue = 'mixed';
    await putQueue(stores.queues, definition({ name: queue }), NOW_MS);
    for (const [i, name] of ['one', 'bad', 'two'].entries())
      await stores.tickets.create(ticket(queue, name, 10 + i), oneLayout);
    await client.send(
      new UpdateCommand({
        TableName: tables.names.tickets,
        Key: { ticketId: 'bad' },
        UpdateExpression: 'SET players = :players',
        ExpressionAttributeValues: { ':players': '[{"playerId":"bad.0","skill":"high"}]' },
      }),
    );
    await expect(stores.tickets.get('bad')).rejects.toThrow(/ticket bad cannot be read/);
    expect(await stores.tickets.waiting(queue, [oneLayout], {})).toMatchObject({ unreadable: ['bad'] });
    expect(await stores.tickets.neighbours(ticket(queue, 'one', 10), [oneLayout], 5)).toHaveLength(2);

    const clock = { now: () => NOW_MS + 1_000, sleep: async () => {} };
    const message = { queue, slotMs: NOW_MS + 1_000, layout: 1, range: 0 };
    const result = await tick(
      {
        ...stores,
        backfills: backfillStore(client, tables.names),
        experiments: experimentStore(client, tables.names.ranges),
        outcomes: outcomeStore(client, tables.names.ranges),
        presence: presenceStore(client, tables.names.ranges),
        ladders: ladderStore(client, tables.names.queues),
        ratings: ratingStore(client, tables.names),
        ticks: { send: async () => {} },
        clock,
        newId: () => `id-${queue}`,
      },
      message,
    );
    expect(result).toMatchObject({ outcome: 'searched', unreadable: ['bad'] });
    const { Item } = await client.send(
      new GetCommand({ TableName: tables.names.tickets, Key: { ticketId: 'bad' } }),
    );
    expect(Item).toMatchObject({ status: 'CANCELLED', reason: 'the stored ticket cannot be parsed' });
    expect(Item).not.toHaveProperty('pool');
    expect(await stores.tickets.get('one')).toMatchObject({ matchId: `id-${queue}` });
    expect(await stores.tickets.waiting(queue, [oneLayout], {})).toMatchObject({
      tickets: [],
      unreadable: [],
    });
  });
});

describe('A change of a table that cannot be read', () => {
  const record = (ticketId: string, players: string) => ({
    eventID: `event-${ticketId}`,
    dynamodb: {
      SequenceNumber: `sequence-${ticketId}`,
      ApproximateCreationDateTime: 1_767_268_800,
      NewImage: {
        ticketId: { S: ticketId },
        queue: { S: 'q' },
        status: { S: 'QUEUED' },
        enqueuedAt: { N: '1767268800000' },
        players: { S: players },
      },
    },
  });

  it('becomes no event', () => {
    expect(() => toChange(record('bad', '{'))).toThrow(Unreadable);
    expect(toChange(record('good', '[]'))).toMatchObject({ after: { ticketId: 'good' } });
  });
});

describe('A message that cannot be read', () => {
  const queues = new SQSClient({ region: 'us-east-1' });
  const sqs = mockClient(queues);
  const QUEUE_URL = 'https://sqs.example/0/name';
  const received = (body: string, tries: number): SQSEvent => ({
    Records: [
      {
        messageId: 'message-1',
        receiptHandle: 'handle',
        body,
        attributes: { ApproximateReceiveCount: String(tries) } as never,
        messageAttributes: {},
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:name',
        awsRegion: 'us-east-1',
      },
    ],
  });

  it.each([
    ['is no JSON', 'hello'],
    ['has no matchId', '{"detail":{"match":{}}}'],
    ['is null', 'null'],
  ])('is retried until it is a dead letter, because it %s', async (_, body) => {
    const error = vi.spyOn(logger, 'error').mockImplementation(() => {});
    vi.spyOn(logger, 'warn').mockImplementation(() => {});
    const consumed: string[] = [];
    const handler = messageConsumer(queues, ['https://sqs.example/0/other', QUEUE_URL], {
      read: matchIdOf,
      idsOf: (matchId) => ({ matchId }),
      consume: async (matchId) => {
        consumed.push(matchId);
        return { outcome: 'done' };
      },
    });
    sqs.reset();
    const failed = await handler(received(body, 2), CONTEXT);
    expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] });
    expect(sqs.calls()).toHaveLength(1);
    expect(sqs.call(0).args[0].input).toMatchObject({
      QueueUrl: QUEUE_URL,
      VisibilityTimeout: expect.any(Number),
    });
    expect(error).toHaveBeenCalledWith('a message failed', expect.objectContaining({ tries: 2 }));
    expect(consumed).toEqual([]);
    expect(await handler(received('{"matchId":"m"}', 1), CONTEXT)).toEqual({ batchItemFailures: [] });
    expect(consumed).toEqual(['m']);
  });

  it.each([
    ['a tick', () => readTickMessage({ queue: 'q', slotMs: 'soon' })],
    ['an event of the bus', () => fromEnvelope({ 'detail-type': 'MatchFound', detail: {} })],
    ['an event of another type', () => fromEnvelope({ 'detail-type': 'MatchWon', detail: {} })],
    ['a delivery', () => readDelivery({ url: 'https://a.example' })],
  ])('is rejected: %s', (_, read) => {
    expect(read).toThrow(Unreadable);
  });
});

const CONTEXT = { getRemainingTimeInMillis: () => 10_000 } as Context;

async function setDefinition(queue: string, value: unknown): Promise<void> {
  await client.send(
    new UpdateCommand({
      TableName: tables.names.queues,
      Key: { queue, item: 'definition' },
      UpdateExpression: 'SET #definition = :definition',
      ExpressionAttributeNames: { '#definition': 'definition' },
      ExpressionAttributeValues: { ':definition': JSON.stringify(value) },
    }),
  );
}
