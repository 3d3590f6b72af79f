import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import type { MusterEvent } from '../contract/events.ts';
import type { EventBus } from '../service/ports/event-bus.ts';

/** The most entries, and bytes of them with room for their envelopes, that one request may have. */
const BATCH = 10;
const BATCH_BYTES = 200 * 1024;
/** Tries of what the bus refuses; after them the stream hands it out again. */
const ATTEMPTS = 4;

/** An entry with its place among the events to publish. */
interface Outgoing {
  readonly index: number;
  readonly entry: PutEventsRequestEntry;
}

/** Events on EventBridge: source `muster`, detail-type the event's type, resources the marks. */
export function eventBus(client: EventBridgeClient, busName: string): EventBus {
  return {
    async publish(events) {
      const outgoing = events.map(({ event, marks }, index) => ({
        index,
        entry: toEntry(busName, event, marks),
      }));
      const refused = await Promise.all(batches(outgoing).map((batch) => put(client, batch)));
      return refused.flat();
    },
  };
}

/** Puts a batch; answers the indexes of what is refused in the end. */
async function put(client: EventBridgeClient, batch: readonly Outgoing[]): Promise<number[]> {
  let left = batch;
  for (let attempt = 1; ; attempt++) {
    const { Entries = [] } = await client.send(
      new PutEventsCommand({ Entries: left.map(({ entry }) => entry) }),
    );
    left = left.filter((_, i) => Entries[i]?.ErrorCode !== undefined);
    if (left.length === 0 || attempt === ATTEMPTS) return left.map(({ index }) => index);
    await sleep(Math.random() * 50 * 2 ** attempt);
  }
}

function batches(outgoing: readonly Outgoing[]): Outgoing[][] {
  const all: Outgoing[][] = [];
  let bytes = 0;
  for (const one of outgoing) {
    const size = Buffer.byteLength(one.entry.Detail ?? '');
    const batch = all.at(-1);
    if (batch === undefined || batch.length === BATCH || bytes + size > BATCH_BYTES) {
      all.push([one]);
      bytes = size;
    } else {
      batch.push(one);
      bytes += size;
    }
  }
  return all;
}

function toEntry(
  busName: string,
  { type, ...detail }: MusterEvent,
  marks: readonly string[],
): PutEventsRequestEntry {
  return {
    EventBusName: busName,
    Source: 'muster',
    DetailType: type,
    Time: new Date(detail.time),
    Resources: [...marks],
    Detail: JSON.stringify(detail),
  };
}

/** The event inside a message that a rule has put into a queue. */
export function fromEnvelope(envelope: { 'detail-type': string; detail: unknown }): MusterEvent {
  return { type: envelope['detail-type'], ...(envelope.detail as object) } as MusterEvent;
}
