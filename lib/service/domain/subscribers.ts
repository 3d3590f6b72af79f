import type { EventType } from '../../contract/event-type.ts';
import type { QueueDefinition, Webhook } from '../../contract/queue-definition.ts';

/**
 * Whether an event is published on the bus. `TicketQueued` is published only on request: there is one for every ticket,
 * each event costs money, and the client that posted the ticket knows it already.
 */
export function isOnBus(definition: QueueDefinition | undefined, type: EventType): boolean {
  const asked = definition?.events?.includes(type) ?? type !== 'TicketQueued';
  return asked || subscribers(definition, type).length > 0;
}

/** The webhooks that subscribe to an event, each URL once. */
export function subscribers(definition: QueueDefinition | undefined, type: EventType): Webhook[] {
  const wanting = (definition?.webhooks ?? []).filter(
    ({ events }) => events === undefined || events.includes(type),
  );
  return [...new Map(wanting.map((webhook) => [webhook.url, webhook])).values()];
}
