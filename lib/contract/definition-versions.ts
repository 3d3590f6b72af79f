import * as z from 'zod';
import { ladderDefinition } from './ladder.ts';
import { queueDefinition } from './queue-definition.ts';

/** The number of versions of a definition that are kept, with the one in force. */
export const VERSIONS_KEPT = 50;

/** A version of a definition: every change of the definition is one. */
function versionOf<Definition extends z.ZodType>(kind: 'queue' | 'ladder', definition: Definition) {
  return z.object({
    version: z
      .number()
      .int()
      .meta({ description: `From 1. A ${kind} that is created again after its removal begins at 1` }),
    changedAt: z.iso.datetime().nullable().meta({
      description: 'When it was put; null if an earlier version of Muster has stored it',
    }),
    changedBy: z.string().nullable().meta({
      description:
        'Who has put it: the ARN of an AWS identity, the `sub` of a token, or `deployment`; null if this is unknown',
    }),
    restored: z.number().int().optional().meta({ description: 'The version whose definition it restored' }),
    isDeployed: z
      .boolean()
      .optional()
      .meta({
        description: `Of the version in force, once a deployment has put the file of the ${kind}: whether it is what the last deployment has put, or found in force. false: it was changed since. A deployment keeps such a change unless the file changes too, which is a conflict; one that takes back the deployment before it keeps it in a conflict as well`,
      }),
    etag: z.string().meta({
      description: `For \`If-Match\` of a request that changes or ${kind === 'queue' ? 'closes the queue' : 'removes the ladder'}`,
    }),
    definition,
  });
}

export const queueVersion = versionOf('queue', queueDefinition).meta({ id: 'QueueVersion' });
export const ladderVersion = versionOf('ladder', ladderDefinition).meta({ id: 'LadderVersion' });

/** A version of a definition of any kind. */
export type DefinitionVersion<Definition> = Omit<z.output<typeof queueVersion>, 'definition'> & {
  readonly definition: Definition;
};

/** The versions of a definition, the newest first. The first one is in force. */
export const queueVersions = z.object({ versions: z.array(queueVersion) }).meta({ id: 'QueueVersions' });
export const ladderVersions = z.object({ versions: z.array(ladderVersion) }).meta({ id: 'LadderVersions' });
