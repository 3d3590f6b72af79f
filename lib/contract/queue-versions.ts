import * as z from 'zod';
import { queueDefinition } from './queue-definition.ts';

/** The number of versions of a definition that are kept, with the one in force. */
export const VERSIONS_KEPT = 50;

/** A version of a queue definition: every change of the definition is one. */
export const queueVersion = z
  .object({
    version: z
      .number()
      .int()
      .meta({ description: 'From 1. A queue that is created again after its removal begins at 1' }),
    changedAt: z.iso.datetime().nullable().meta({
      description: 'When it was put; null if an earlier version of Muster has stored it',
    }),
    changedBy: z.string().nullable().meta({
      description:
        'Who has put it: the ARN of an AWS identity, the `sub` of a token, or `deployment`; null if this is unknown',
    }),
    restored: z.number().int().optional().meta({ description: 'The version whose definition it restored' }),
    isDeployed: z.boolean().optional().meta({
      description:
        'Of the version in force, once a deployment has put the file of the queue: whether it is what the last deployment has put, or found in force. false: it was changed since. A deployment keeps such a change unless the file changes too, which is a conflict; one that takes back the deployment before it keeps it in a conflict as well',
    }),
    etag: z.string().meta({ description: 'For `If-Match` of a request that changes or closes the queue' }),
    definition: queueDefinition,
  })
  .meta({ id: 'QueueVersion' });
export type QueueVersionView = z.output<typeof queueVersion>;

/** The versions of a queue, the newest first. The first one is in force. */
export const queueVersions = z.object({ versions: z.array(queueVersion) }).meta({ id: 'QueueVersions' });
