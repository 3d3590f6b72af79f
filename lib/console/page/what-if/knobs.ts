import type { QueueDefinition } from '../../../contract/queue-definition.ts';

/** A number of a definition that one may move. */
export interface Knob {
  /** `release.waitCost`, `rules.1.max`. */
  readonly path: string;
  readonly label: string;
  readonly value: number;
}

/** The numbers that trade waits against matches: those of the release policy, the limits and costs of rules, and beta. */
export function knobsOf(definition: QueueDefinition): Knob[] {
  const knobs: Knob[] = [];
  for (const [key, value] of Object.entries(definition.release))
    if (typeof value === 'number') knobs.push({ path: `release.${key}`, label: key, value });
  knobs.push({ path: 'beta', label: 'beta', value: definition.beta ?? 0 });
  knobs.push({ path: 'tickSeconds', label: 'tickSeconds', value: definition.tickSeconds });
  for (const [at, rule] of (definition.rules ?? []).entries()) {
    for (const key of ['max', 'cost', 'atLeast', 'atMost'] as const) {
      const value = (rule as { readonly [limit in typeof key]?: unknown })[key];
      if (typeof value === 'number')
        knobs.push({ path: `rules.${at}.${key}`, label: `${rule.name}: ${key}`, value });
    }
  }
  return knobs;
}

/** A definition with other numbers, by path. */
export function withKnobs(definition: QueueDefinition, values: ReadonlyMap<string, number>): QueueDefinition {
  const changed = structuredClone(definition) as unknown as Record<string, unknown>;
  for (const [path, value] of values) {
    const keys = path.split('.');
    const last = keys.pop()!;
    const holder = keys.reduce<Record<string, unknown>>(
      (inner, key) => inner[key] as Record<string, unknown>,
      changed,
    );
    holder[last] = value;
  }
  return changed as unknown as QueueDefinition;
}
