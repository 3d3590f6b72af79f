import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventBus, MusterEvent } from '../service/ports.ts';

/** The most entries one request may have. */
const BATCH = 10;

/** Events on EventBridge: source `muster`, detail-type the event's type, resources the marks. */
export function eventBus(client: EventBridgeClient, busName: string): EventBus {
  return {
    async publish(events) {
      const batches = Array.from({ length: Math.ceil(events.length / BATCH) }, (_, i) => i * BATCH);
      const refused = await Promise.all(
        batches.map(async (start) => {
          const { Entries = [] } = await client.send(
            new PutEventsCommand({
              Entries: events.slice(start, start + BATCH).map(({ event, marks }) => ({
                EventBusName: busName,
                Source: 'muster',
                DetailType: event.type,
                Time: new Date(event.time),
                Resources: [...marks],
                Detail: JSON.stringify(detailOf(event)),
              })),
            }),
          );
          return Entries.flatMap((entry, i) => (entry.ErrorCode === undefined ? [] : [start + i]));
        }),
      );
      return refused.flat();
    },
  };
}

function detailOf({ type: _, ...detail }: MusterEvent): Omit<MusterEvent, 'type'> {
  return detail;
}

/** The event inside a message that a rule has put into a queue. */
export function fromEnvelope(envelope: { 'detail-type': string; detail: unknown }): MusterEvent {
  return { type: envelope['detail-type'], ...(envelope.detail as object) } as MusterEvent;
}
