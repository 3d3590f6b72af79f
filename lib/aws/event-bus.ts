import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import * as z from 'zod';
import { type MusterEvent, musterEvent } from '../contract/events.ts';
import { allOf } from '../service/concurrency/in-parallel.ts';
import { readWith } from '../service/domain/unreadable.ts';
import { messageText } from '../service/events/message-text.ts';
import type { EventBus } from '../service/ports/event-bus.ts';
import { inBatches, untilAccepted } from './batches.ts';

/** The maximum of a request: entries, and their bytes as EventBridge counts them. */
export const PUT_EVENTS_LIMIT = { count: 10, bytes: 256 * 1024 } as const;

/** An entry with the index of its event. */
interface Outgoing {
  readonly index: number;
  readonly entry: PutEventsRequestEntry;
}

/** Events on EventBridge. The source is `muster`, the detail-type the event's type, and the resources are the destinations. */
export function eventBus(client: EventBridgeClient, busName: string): EventBus {
  return {
    async publish(events) {
      const outgoing = events.map(({ event, destinations }, index) => ({
        index,
        entry: toEntry(busName, event, destinations),
      }));
      const batches = inBatches(outgoing, PUT_EVENTS_LIMIT, bytesOf);
      const refused = await allOf(batches.map((batch) => put(client, batch)));
      return refused.flat();
    },
  };
}

/** Puts a batch. Returns the indexes of the entries that are still rejected. The stream delivers their changes again. */
async function put(client: EventBridgeClient, batch: readonly Outgoing[]): Promise<number[]> {
  const rejected = await untilAccepted(batch, async (left) => {
    const command = new PutEventsCommand({ Entries: left.map(({ entry }) => entry) });
    const { Entries = [] } = await client.send(command);
    return left.filter((_, i) => Entries[i]?.ErrorCode !== undefined);
  });
  return rejected.map(({ index }) => index);
}

/** The size of an entry as EventBridge counts it, in which a time is 14 bytes. */
function bytesOf({ entry }: Outgoing): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])];
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ''), 14);
}

function toEntry(
  busName: string,
  { type, ...detail }: MusterEvent,
  destinations: readonly string[],
): PutEventsRequestEntry {
  return {
    EventBusName: busName,
    Source: 'muster',
    DetailType: type,
    Time: new Date(detail.time),
    Resources: [...destinations],
    Detail: messageText(detail),
  };
}

const envelope = z.object({ 'detail-type': z.string(), detail: z.looseObject({}) });

/**
 * The event in a message that a rule has sent to a queue.
 * @throws Unreadable
 */
export function fromEnvelope(message: unknown): MusterEvent {
  const { 'detail-type': type, detail } = readWith(envelope, message, 'a message of the event bus');
  return readWith(musterEvent, { ...detail, type }, 'an event');
}
