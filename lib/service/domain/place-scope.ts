import type { QueueDefinition } from '../../contract/queue-definition.ts';

/** The scope of all queues with `onePlace: "service"`. No queue has this name. */
const SERVICE = '*';

/** Where a player of a queue has one place: the queue, or all queues that say "service". Undefined: places are not counted. */
export function placeScope({
  name,
  onePlace,
}: Pick<QueueDefinition, 'name' | 'onePlace'>): string | undefined {
  if (onePlace === 'service') return SERVICE;
  return onePlace === true ? name : undefined;
}
