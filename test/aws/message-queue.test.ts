import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deliverySender,
  sendAll,
  setVisibility,
  sqsClient,
  tickSender,
} from '../../lib/aws/message-queue.ts';
import type { MusterEvent } from '../../lib/contract/events.ts';
import { type Sqs, startSqs } from '../../lib/local/sqs.ts';
import { readTickMessage, type TickMessage } from '../../lib/service/domain/tick-message.ts';
import { onWire } from './emulated-tables.ts';
import { NOW_MS } from './samples.ts';

describe('a message queue sender on fauxqs', () => {
  const names = ['ticks', 'numbers', 'again', 'large', 'letters', 'empty'];
  const url = (name: string) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
  let sqs: Sqs;
  let client: SQSClient;

  beforeAll(async () => {
    sqs = await startSqs(
      names.map((name) => ({
        logicalId: name,
        type: 'AWS::SQS::Queue',
        name,
        arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
        ref: url(name),
        properties: { VisibilityTimeout: 600 },
      })),
    );
    client = sqsClient(onWire(sqs.service));
  });
  afterAll(() => sqs?.stop());

  const bodies = (messages: readonly { body: string }[]) => messages.map(({ body }) => JSON.parse(body));

  it('sends ticks that are read unchanged, and delays those that are due later', async () => {
    const messages: TickMessage[] = Array.from({ length: 23 }, (_, i) => ({
      queue: 'duel',
      slotMs: NOW_MS + (i - 3) * 45_000,
      layout: 2,
      range: i,
    }));
    await tickSender(client, url('ticks')).send(messages, NOW_MS);
    const { ready, delayed } = sqs.inspect('ticks');
    const sorted = (found: unknown[]) => found.map(readTickMessage).sort((a, b) => a.slotMs - b.slotMs);
    expect(sorted(bodies(ready))).toEqual(messages.slice(0, 4));
    expect(sorted(bodies(delayed))).toEqual(messages.slice(4));
  });

  it('sends the ticks and deliveries of each queue as a group, so that SQS prefers those of queues with few in flight', async () => {
    let groups: unknown[] = [];
    const recording = {
      send: async ({ input }: { input: { Entries: { MessageGroupId?: string }[] } }) => {
        groups.push(...input.Entries.map(({ MessageGroupId }) => MessageGroupId));
        return {};
      },
    } as unknown as SQSClient;
    const queues = ['duel', 'raid'];
    await tickSender(recording, url('ticks')).send(
      queues.map((queue) => ({ queue, slotMs: NOW_MS })),
      NOW_MS,
    );
    expect(groups).toEqual(queues);
    groups = [];
    const sender = deliverySender(recording, { first: 'first', slowLane: 'slow', deadLetters: 'dead' });
    const deliveries = queues.map((queue) => ({ event: { queue } as MusterEvent }));
    await sender.split(deliveries);
    for (const delivery of deliveries) await sender.slowLane(delivery, 0);
    expect(groups).toEqual([...queues, ...queues]);
  });

  it('sends deliveries to the slow lane in one request when they are postponed together, and fails only those that SQS rejects', async () => {
    const requests: string[][] = [];
    const rejecting = {
      send: async ({ input }: { input: { Entries: { Id: string; MessageBody: string }[] } }) => {
        const queueOf = (body: string): string => JSON.parse(body).event.queue;
        requests.push(input.Entries.map(({ MessageBody }) => queueOf(MessageBody)));
        return { Failed: input.Entries.filter(({ MessageBody }) => queueOf(MessageBody) === 'raid') };
      },
    } as unknown as SQSClient;
    const sender = deliverySender(rejecting, { first: 'first', slowLane: 'slow', deadLetters: 'dead' });
    const results = await Promise.allSettled(
      ['duel', 'raid', 'arena'].map((queue) => sender.slowLane({ event: { queue } as MusterEvent }, 0)),
    );
    expect(requests).toEqual([['duel', 'raid', 'arena'], ['raid'], ['raid'], ['raid']]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('sends nothing for an empty list', async () => {
    await sendAll(client, url('empty'), []);
    expect(sqs.inspect('empty').ready).toEqual([]);
  });

  it('keeps every number exact, and limits delays to the maximum of SQS', async () => {
    const numbers = [1e-300, 0.1 + 0.2, 5e-324, Number.MAX_SAFE_INTEGER, -1 / 3];
    await sendAll(client, url('numbers'), [
      { body: numbers },
      { body: 'past', delaySeconds: -5 },
      { body: 'far', delaySeconds: 1e9 },
    ]);
    const { ready, delayed } = sqs.inspect('numbers');
    expect(bodies(ready)).toEqual(expect.arrayContaining([numbers, 'past']));
    expect(bodies(delayed)).toEqual(['far']);
  });

  it('sends messages that are too large for one request together', async () => {
    const sizes = [222, 222, 222, 222, 222, 1, 1, 300, 1].map((kilobytes) => 1_000 * kilobytes);
    await sendAll(
      client,
      url('large'),
      sizes.map((size) => ({ body: 'x'.repeat(size) })),
    );
    const received = bodies(sqs.inspect('large').ready).map((body: string) => body.length);
    expect(received.sort()).toEqual([...sizes].sort());
  });

  it('sends every letter', async () => {
    const text = 'a\u0000\u001f\u007f\ud7ff\ue000\ufffd\ufffe\uffff😀\ud800';
    await sendAll(client, url('letters'), [{ body: text }]);
    expect(bodies(sqs.inspect('letters').ready)).toEqual([text]);
  });

  it('makes a received message visible again at once', async () => {
    await sendAll(client, url('again'), [{ body: 'x' }]);
    const receive = async () =>
      (await client.send(new ReceiveMessageCommand({ QueueUrl: url('again') }))).Messages ?? [];
    const [first] = await receive();
    expect(await receive()).toEqual([]);
    await setVisibility(client, url('again'), first!.ReceiptHandle!, 0);
    expect((await receive()).map(({ MessageId }) => MessageId)).toEqual([first!.MessageId]);
  });
});
