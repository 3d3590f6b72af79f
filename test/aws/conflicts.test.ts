import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { eventBus } from '../../lib/aws/event-bus.ts';
import { logger } from '../../lib/aws/log.ts';
import { matchStore } from '../../lib/aws/match-store.ts';
import { sendAll, sqsClient } from '../../lib/aws/message-queue.ts';
import { queueStore } from '../../lib/aws/queue-store.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import type { MusterEvent } from '../../lib/contract/events.ts';
import { toTicketView } from '../../lib/service/domain/stored-ticket.ts';
import { StoreBusy } from '../../lib/service/ports/store-busy.ts';
import { definition } from '../service/definitions.ts';
import { onWire } from './emulated-tables.ts';
import { bucketLayout, match, NOW_MS, ticket, why } from './samples.ts';

/** Failures that no emulator produces: conflicts between transactions, throttling, and partial failures. */

// The waits between attempts are random; these tests skip them.
vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const tables = { matches: 'matches', ranges: 'ranges' };
const $metadata = {};
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata,
    message: 'cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

describe('a transaction', () => {
  const made = documentClient({ region: 'us-east-1' });
  const client = mockClient(made);
  const matches = matchStore(made, tables);
  const record = { playerId: 'p', met: [], expiresAtMs: NOW_MS };
  const create = () => matches.create(match('q', 'm', ['a', 'b']), NOW_MS, [record, record]);
  const attempts = () => client.commandCalls(TransactWriteCommand).length;
  beforeEach(() => {
    client.reset();
  });

  it('that conflicts with another is retried', async () => {
    client
      .on(TransactWriteCommand)
      .rejectsOnce(cancelled('None', 'TransactionConflict', 'None'))
      .rejectsOnce(cancelled('TransactionConflict', 'None', 'ThrottlingError'))
      .resolves({});
    expect(await create()).toBe('created');
    expect(attempts()).toBe(3);
  });

  it('that conflicts first and then fails its condition finds why', async () => {
    client
      .on(TransactWriteCommand)
      .rejectsOnce(cancelled('None', 'TransactionConflict', 'None'))
      .rejects(
        new TransactionCanceledException({
          $metadata,
          message: 'cancelled',
          CancellationReasons: [
            { Code: 'ConditionalCheckFailed', Item: { status: { S: 'ABANDONED' } } },
            { Code: 'TransactionConflict' },
          ],
        }),
      );
    expect(await create()).toBe('abandoned');
    expect(attempts()).toBe(2);
  });

  it('that conflicts every time throws StoreBusy after a bounded number of attempts', async () => {
    client.on(TransactWriteCommand).rejects(cancelled('TransactionConflict'));
    await expect(create()).rejects.toThrow(StoreBusy);
    expect(attempts()).toBe(5);
  });

  it.each([['ValidationError'], ['ItemCollectionSizeLimitExceeded'], ['AccessDenied']])(
    'that fails for another reason (%s) throws instead of losing the race',
    async (code) => {
      client.on(TransactWriteCommand).rejects(cancelled('None', code));
      await expect(create()).rejects.toThrow(TransactionCanceledException);
      expect(attempts()).toBe(1);
    },
  );
});

describe('a conditional write', () => {
  const made = documentClient({ region: 'us-east-1' });
  const client = mockClient(made);
  const tickets = ticketStore(made, { tickets: 'tickets', entries: 'entries' });
  const matches = matchStore(made, tables);
  const conflict = new TransactionConflictException({ $metadata, message: 'conflict' });
  beforeEach(() => {
    client.reset();
  });

  it('that conflicts with a transaction is retried, and then returns the result of the transaction', async () => {
    const committed = {
      ticketId: { S: 'a' },
      queue: { S: 'q' },
      status: { S: 'MATCHED' },
      enqueuedAt: { N: '1767268800000' },
      players: { S: '[]' },
      matchId: { S: 'm' },
    };
    client
      .on(UpdateCommand)
      .rejectsOnce(conflict)
      .rejectsOnce(conflict)
      .rejects(new ConditionalCheckFailedException({ $metadata, message: 'unmet', Item: committed }));
    expect(await tickets.end('a', 'CANCELLED', why('why'), NOW_MS)).toMatchObject({
      ended: false,
      ticket: { status: 'MATCHED', matchId: 'm' },
    });
    expect(client.commandCalls(UpdateCommand)).toHaveLength(3);
  });

  it('that conflicts every time throws StoreBusy after a bounded number of attempts', async () => {
    client.on(UpdateCommand).rejects(conflict);
    client.on(PutCommand).rejects(conflict);
    await expect(matches.answer(match('q', 'm', ['a']), 'accept', [0], NOW_MS)).rejects.toThrow(StoreBusy);
    await expect(tickets.create(ticket('q', 'a', 1), bucketLayout(1))).rejects.toThrow(StoreBusy);
    expect(client.commandCalls(UpdateCommand)).toHaveLength(5);
    expect(client.commandCalls(PutCommand)).toHaveLength(5);
  });
});

describe('a client', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** A store that returns these replies to the first requests, and then an item. */
  const answering = (...replies: { status: number; type: string }[]) => {
    let requests = 0;
    const client = documentClient(
      onWire(async () => {
        const reply = replies[requests++];
        return reply === undefined
          ? { status: 200, body: '{"Item":{}}' }
          : { status: reply.status, body: JSON.stringify({ __type: `x#${reply.type}`, message: 'no' }) };
      }),
    );
    const settled = async () => {
      let waiting = true;
      const sending = client.send(new GetCommand({ TableName: 'tickets', Key: { ticketId: 'a' } }));
      const settling = Promise.allSettled([sending]).finally(() => {
        waiting = false;
      });
      // The first request loads code before it waits, so its timer may start at any turn.
      while (waiting) {
        await vi.advanceTimersToNextTimerAsync();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const [result] = await settling;
      return result;
    };
    return { settled, requests: () => requests };
  };

  it.each([
    { status: 400, type: 'ProvisionedThroughputExceededException' },
    { status: 400, type: 'ThrottlingException' },
    { status: 400, type: 'RequestLimitExceeded' },
    { status: 500, type: 'InternalServerError' },
  ])('repeats a request after $type, and throws StoreBusy when every attempt fails', async (reply) => {
    const briefly = answering(reply, reply);
    expect(await briefly.settled()).toMatchObject({ status: 'fulfilled', value: { Item: {} } });
    expect(briefly.requests()).toBe(3);
    const forever = answering(...Array.from({ length: 20 }, () => reply));
    // The longest waits possible.
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    const from = Date.now();
    expect(await forever.settled()).toMatchObject({
      status: 'rejected',
      reason: { name: 'StoreBusy', cause: { name: reply.type } },
    });
    expect(forever.requests()).toBe(3);
    // The functions behind the API have 10 s, and may need a second request.
    expect(Date.now() - from).toBeLessThan(4_000);
  });

  it('throws immediately when a retry would not help', async () => {
    const wrong = answering({ status: 400, type: 'ValidationException' });
    expect(await wrong.settled()).toMatchObject({
      status: 'rejected',
      reason: { name: 'ValidationException' },
    });
    expect(wrong.requests()).toBe(1);
  });
});

describe('listing queues', () => {
  const made = documentClient({ region: 'us-east-1' });
  const client = mockClient(made);
  const key = (queue: string) => ({ queue, item: 'definition' });
  const item = (name: string) => ({
    ...key(name),
    definition: JSON.stringify(definition({ name })),
    version: 1,
    layouts: JSON.stringify([bucketLayout(1)]),
    awakeUntilMs: 0,
    sentUntilMs: 0,
  });
  const left = (...keys: object[]) => ({ queues: { Keys: keys } }) as never;
  beforeEach(() => {
    client.reset();
    client.on(QueryCommand).resolves({ Items: [key('a'), key('b'), key('gone')] });
  });

  it('requests definitions again that a batch omitted, and skips those removed since', async () => {
    client
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { queues: [item('b')] }, UnprocessedKeys: left(key('a'), key('gone')) })
      .resolves({ Responses: { queues: [item('a')] } });
    const listed = await queueStore(made, 'queues').list();
    expect(listed.records.map(({ definition: { name } }) => name)).toEqual(['a', 'b']);
    const keys = client.commandCalls(BatchGetCommand).map(({ args }) => args[0].input.RequestItems);
    expect(keys).toEqual([
      { queues: { Keys: [key('a'), key('b'), key('gone')], ConsistentRead: true } },
      { queues: { Keys: [key('a'), key('gone')], ConsistentRead: true } },
    ]);
  });

  it('throws StoreBusy when definitions are omitted every time', async () => {
    client.on(BatchGetCommand).resolves({ Responses: {}, UnprocessedKeys: left(key('a')) });
    await expect(queueStore(made, 'queues').list()).rejects.toThrow(StoreBusy);
    expect(client.commandCalls(BatchGetCommand)).toHaveLength(5);
  });
});

describe('sending messages', () => {
  const messages = Array.from({ length: 23 }, (_, i) => ({ body: { i }, delaySeconds: i * 100 }));
  /** SQS that rejects some entries of each request. */
  const refusing = (refuses: (id: string, attempt: number) => boolean) => {
    const client = sqsClient({ region: 'us-east-1' });
    const attempts = new Map<string, number>();
    const taken: { body: unknown; delaySeconds: number }[] = [];
    mockClient(client)
      .on(SendMessageBatchCommand)
      .callsFake(({ Entries }) => {
        expect(Entries.length).toBeLessThanOrEqual(10);
        const Failed: { Id: string; Code: string; SenderFault: boolean }[] = [];
        for (const { Id, MessageBody, DelaySeconds } of Entries) {
          const attempt = (attempts.get(Id) ?? 0) + 1;
          attempts.set(Id, attempt);
          if (refuses(Id, attempt)) Failed.push({ Id, Code: 'InternalError', SenderFault: false });
          else taken.push({ body: JSON.parse(MessageBody), delaySeconds: DelaySeconds });
        }
        return { Successful: [], Failed };
      });
    return { client, attempts, taken };
  };

  it('resends exactly the rejected messages', async () => {
    const { client, attempts, taken } = refusing((id, attempt) => Number(id) % 5 === 0 && attempt < 3);
    await sendAll(client, 'url', messages);
    expect(taken.map(({ body }) => body).sort(byI)).toEqual(messages.map(({ body }) => body));
    for (const [id, count] of attempts) expect(count).toBe(Number(id) % 5 === 0 ? 3 : 1);
    expect(Math.max(...taken.map(({ delaySeconds }) => delaySeconds))).toBe(900);
  });

  it('throws StoreBusy when some messages are rejected every time, and sends the others once', async () => {
    const { client, attempts, taken } = refusing((id) => id === '7');
    await expect(sendAll(client, 'url', messages)).rejects.toThrow(StoreBusy);
    expect(taken).toHaveLength(22);
    expect(attempts.get('7')).toBe(4);
  });

  it('reports the messages as rejected whose further try fails, and not those that were accepted before', async () => {
    const { client, taken } = refusing((id, attempt) => {
      if (attempt === 2) throw Object.assign(new Error('not authorized'), { name: 'AccessDenied' });
      return id === '7';
    });
    await expect(sendAll(client, 'url', messages)).rejects.toThrow(StoreBusy);
    expect(taken).toHaveLength(22);
  });

  const byI = (a: unknown, b: unknown) => (a as { i: number }).i - (b as { i: number }).i;
});

describe('putting events', () => {
  const bus = mockClient(EventBridgeClient);
  const event = (i: number): MusterEvent => ({
    type: 'TicketQueued',
    eventId: `e${i}`,
    time: '2026-01-01T00:00:00.000Z',
    queue: 'q',
    ticket: toTicketView(ticket('q', `t${i}`, 1)),
  });
  const refusing = (...ids: string[]) => {
    bus.reset();
    bus.on(PutEventsCommand).callsFake(({ Entries }) => {
      expect(Entries.length).toBeLessThanOrEqual(10);
      const results = Entries.map(({ Detail }: { Detail: string }) =>
        ids.includes(JSON.parse(Detail).eventId) ? { ErrorCode: 'InternalFailure' } : { EventId: 'x' },
      );
      return { FailedEntryCount: 1, Entries: results };
    });
  };

  it('returns the indexes of rejected events over all requests', async () => {
    refusing('e0', 'e9', 'e10', 'e24');
    const publishing = eventBus(new EventBridgeClient({ region: 'us-east-1' }), 'bus');
    const events = Array.from({ length: 25 }, (_, i) => ({ event: event(i), destinations: [] }));
    expect(await publishing.publish(events)).toEqual([0, 9, 10, 24]);
    // Each of the three requests has an entry that is rejected every time, and is sent four times.
    expect(bus.commandCalls(PutEventsCommand)).toHaveLength(12);
  });

  it('returns the indexes of rejected events also when their further try fails', async () => {
    bus.reset();
    bus
      .on(PutEventsCommand)
      .rejects(new Error('not authorized'))
      .resolvesOnce({ Entries: [{ EventId: 'x' }, { ErrorCode: 'InternalFailure' }] });
    const publishing = eventBus(new EventBridgeClient({ region: 'us-east-1' }), 'bus');
    const events = [0, 1].map((i) => ({ event: event(i), destinations: [] }));
    expect(await publishing.publish(events)).toEqual([1]);
  });

  /** The function `publish`, with its environment and no queue definitions. */
  const publishFunction = async () => {
    for (const [name, value] of Object.entries({
      AWS_REGION: 'us-east-1',
      QUEUES_TABLE: 'queues',
      RANGES_TABLE: 'ranges',
      FAILED_SHARE: '0.25',
      EVENT_BUS_NAME: 'bus',
    }))
      vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    mockClient(DynamoDBDocumentClient).onAnyCommand().resolves({});
    return (await import('../../lambdas/publish.ts')).handler;
  };

  it('makes the function skip a change that cannot be read, and publish those before and after it', async () => {
    const handler = await publishFunction();
    const error = vi.spyOn(logger, 'error').mockImplementation(() => {});
    const unreadable = (i: number): DynamoDBRecord => {
      const record = streamRecord(i);
      return {
        ...record,
        dynamodb: { ...record.dynamodb, NewImage: { ...record.dynamodb!.NewImage, players: { S: '{' } } },
      };
    };
    const Records = [streamRecord(0), unreadable(1), streamRecord(4), unreadable(6), streamRecord(9)];
    refusing();
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    const ids = bus
      .commandCalls(PutEventsCommand)
      .flatMap(({ args }) => args[0].input.Entries!.map(({ Detail }) => JSON.parse(Detail!).eventId));
    expect(ids).toEqual(['event-0', 'event-4', 'event-9']);
    const logged = error.mock.calls.map(([, details]) => (details as { eventId: string }).eventId);
    expect(logged).toEqual(['event-1', 'event-6']);

    // A skipped change does not shift the place from which the stream is read again.
    vi.spyOn(logger, 'warn').mockImplementation(() => {});
    refusing('event-4');
    expect(await handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: 'sequence-4' }],
    });
    refusing();
    expect(await handler({ Records: [unreadable(1)] })).toEqual({ batchItemFailures: [] });
    expect(bus.calls()).toEqual([]);
  });

  it('makes the stream continue at the first change whose event was rejected', async () => {
    const handler = await publishFunction();
    const warn = vi.spyOn(logger, 'warn').mockImplementation(() => {});
    const Records = Array.from({ length: 24 }, (_, i) => streamRecord(i));
    refusing('event-13', 'event-22');
    expect(await handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: 'sequence-13' }],
    });
    expect(warn).toHaveBeenCalledOnce();
    refusing();
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
  });

  /** Every third is a removal, which is not a change; every fourth changes no status, so it is not an event. */
  const streamRecord = (i: number): DynamoDBRecord => {
    const image = {
      ticketId: { S: `t${i}` },
      queue: { S: 'q' },
      status: { S: 'CANCELLED' },
      enqueuedAt: { N: '1767268800000' },
      players: { S: '[]' },
    };
    return {
      eventID: `event-${i}`,
      eventName: i % 3 === 2 ? 'REMOVE' : 'MODIFY',
      dynamodb: {
        SequenceNumber: `sequence-${i}`,
        ApproximateCreationDateTime: 1_767_268_800,
        ...(i % 3 !== 2 && { NewImage: image }),
        OldImage: i % 3 === 2 || i % 4 === 3 ? image : { ...image, status: { S: 'QUEUED' } },
      },
    };
  };
});
