import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { typeOf } from '../../rules/rule-types.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { QueueStore } from '../ports/queue-store.ts';

/** What players of a queue may see of each other and of the data that the backend has stored about them. */
export interface Visibility {
  /** Whether an attribute is `visibleTo: "match"`. */
  attribute(name: string): boolean;
  /** Whether a rule reads only attributes that players see. Then its cost and values reveal nothing else. */
  rule(name: string): boolean;
}

/**
 * The visibility in a queue, by its definition of at most a second ago. If the queue is deleted or cannot be read, players see no
 * attributes and no rules.
 */
export async function visibilityOf(queues: Pick<QueueStore, 'get'>, queue: string): Promise<Visibility> {
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

/** The entries of a record whose keys are shown; undefined when none is left. */
export function onlyShown<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  isShown: (name: string) => boolean,
): Record<string, Value> | undefined {
  const entries = Object.entries(record ?? {}).filter(([name]) => isShown(name));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
