import type { EventType } from '../../contract/event-type.ts';
import type { QueueDefinition, Webhook } from '../../contract/queue-definition.ts';

/** The webhooks that subscribe to an event, each URL once. */
export function subscribers(definition: QueueDefinition | undefined, type: EventType): Webhook[] {
  const wanting = (definition?.webhooks ?? []).filter(
    ({ events }) => events === undefined || events.includes(type),
  );
  return [...new Map(wanting.map((webhook) => [webhook.url, webhook])).values()];
}
