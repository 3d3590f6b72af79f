import { createHash } from 'node:crypto';
import * as z from 'zod';
import { expectation } from '../../contract/expectation.ts';
import { type LadderDefinition, ladderDefinition } from '../../contract/ladder.ts';
import { type QueueDefinition, queueDefinition } from '../../contract/queue-definition.ts';
import type { Read } from './unreadable.ts';

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

/** The state stored with the definition of a queue or a ladder: its last change and its last deployment. */
export interface DefinitionState {
  /** The change that made the definition; absent if an earlier version of Muster has stored it. */
  readonly change?: DefinitionChange;
  /** The last deployment of the definition; absent if none has put it. */
  readonly deployed?: Deployed;
  /** When the definition was deleted. Absent unless it is deleted and not removed yet. */
  readonly deletedAt?: string;
}

/** What a deployment has put; see `deploy-definitions.ts`. */
export const deployed = z.object({
  /** The digest of the definition in the file. */
  digest: z.string(),
  /** The number of the definition's version that the deployment has put, or found in force. */
  version: z.number(),
});
export type Deployed = Read<typeof deployed>;

/** A change of a definition, which makes it a new version. */
export const definitionChange = z.object({
  /** The number of the definition's version, from 1. Unlike the version of a queue's state, it counts definitions only. */
  version: z.number(),
  /** Absent if an earlier version of Muster has stored the definition. */
  at: z.iso.datetime().exactOptional(),
  /** The author of the change, if known. */
  by: z.string().exactOptional(),
  /** The number of the version that the change restored. */
  restored: z.number().exactOptional(),
});
export type DefinitionChange = Read<typeof definitionChange>;

/** A replaced definition, with the change that had made it. */
export interface ReplacedDefinition<Definition> {
  readonly definition: Definition;
  readonly change: DefinitionChange;
}

/** The change that made a definition. Definitions of earlier versions of Muster have none and count as the first. */
export function changeOf(state: DefinitionState | undefined): DefinitionChange {
  return state?.change ?? { version: state === undefined ? 0 : 1 };
}

/** The digest of a definition, which does not depend on the order of its fields. */
export function digestOf(definition: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(inOrder(definition)))
    .digest('base64url');
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]));
}
