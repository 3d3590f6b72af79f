import { Problem } from '../../lib/contract/problem.ts';
import { checkQueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { RandomSource } from '../../lib/simulation/random.ts';

/** A share of the definitions keeps contradictions between its fields, which a schema cannot express. */
const CONTRADICTORY_SHARE = 0.2;
/** Without a field that contradicts others, another one may contradict. */
const TRIES = 8;

/**
 * Leaves out the fields of a generated queue definition that contradict others, so that most definitions are accepted and
 * their queues get tickets.
 */
export function consistentDefinition(generated: unknown, random: RandomSource): unknown {
  if (random.uniform() < CONTRADICTORY_SHARE) return generated;
  const definition = structuredClone(generated) as Record<string, unknown>;
  for (let tries = 0; tries < TRIES; tries++) {
    const fields = contradictoryFields(definition);
    if (fields.length === 0) break;
    // From the last one on, so that the indices before it stay right.
    for (const [name, index] of fields.toReversed()) {
      const items = definition[name!];
      if (Array.isArray(items) && items.length > 1 && index !== undefined) items.splice(Number(index), 1);
      else delete definition[name!];
    }
    if (!Array.isArray(definition.teams)) definition.teamSize ??= 1 + random.integer(3);
    definition.timeoutSeconds ??= 3_600;
  }
  return definition;
}

function contradictoryFields(definition: unknown): string[][] {
  try {
    checkQueueDefinition(definition, 'definition');
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ pointer }) => pointer.split('/').slice(1));
  }
}
