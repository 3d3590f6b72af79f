import * as z from 'zod';
import { expectation } from '../../contract/expectation.ts';
import { type LadderDefinition, ladderDefinition } from '../../contract/ladder.ts';
import { type QueueDefinition, queueDefinition } from '../../contract/queue-definition.ts';

/**
 * The schema of a stored queue definition. It was valid for the version of Muster that stored it. Fields of later versions are
 * ignored at any depth.
 */
export const storedDefinition: z.ZodType<QueueDefinition> = withoutFieldsOfLater(queueDefinition);

/** The schema of a stored ladder definition, which ignores fields of later versions at any depth. */
export const storedLadder: z.ZodType<LadderDefinition> = withoutFieldsOfLater(ladderDefinition);

function withoutFieldsOfLater<Definition>(schema: z.ZodType<Definition>) {
  return z.unknown().transform((value, context): Definition => {
    const first = schema.safeParse(value);
    if (first.success) return first.data;
    const known = withoutUnknownFields(value, first.error.issues);
    const result = schema.safeParse(known, { error: expectation });
    if (result.success) return result.data;
    for (const { path, message } of result.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
}

function withoutUnknownFields(definition: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const known = structuredClone(definition);
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const parent = issue.path.reduce<unknown>((at, key) => (at as Fields)[key], known) as Fields;
    for (const key of issue.keys) delete parent[key];
  }
  return known;
}

type Fields = Record<PropertyKey, unknown>;
