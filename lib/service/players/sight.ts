import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { typeOf } from '../../rules/rule-types.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { QueueStore } from '../ports/queue-store.ts';

/** What players of a queue see of each other, and of what its backend has stored about themselves. */
export interface Sight {
  /** Whether an attribute is `visibleTo: "match"`. */
  attribute(name: string): boolean;
  /** Whether a rule reads no attribute but such: what it cost, and what the players share under it, says nothing else. */
  rule(name: string): boolean;
}

/**
 * The sight of a queue by its definition today, which the function keeps for a second. Of a queue that is deleted or cannot
 * be read, players see nothing of this.
 */
export async function sightOf(queues: Pick<QueueStore, 'get'>, queue: string): Promise<Sight> {
  const record = await queues.get(queue, DEFINITION_AGE_MS).catch((error) => {
    if (!(error instanceof Unreadable)) throw error;
  });
  const { attributes = {}, rules = [] }: Partial<QueueDefinition> = record?.definition ?? {};
  const attribute = (name: string) =>
    Object.hasOwn(attributes, name) && attributes[name]!.visibleTo === 'match';
  const visible = new Set<string>();
  for (const rule of rules)
    if (
      typeOf(rule)
        .attributes(rule)
        .every((name) => name === 'skill' || attribute(name))
    )
      visible.add(rule.name);
  return { attribute, rule: (name) => visible.has(name) };
}
