import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { DeploymentNotes } from '../service/ports/deployment-notes.ts';
import { itemTable } from './item-table.ts';

const deploymentNote = z.object({
  requestId: z.string(),
  from: z.string(),
  to: z.string(),
  isReturn: z.boolean(),
  atMs: z.number(),
});

/** The last deployment, in one item of the table of the queues. CloudFormation runs one deployment of a stack at a time. */
export function deploymentNotes(client: DynamoDBDocumentClient, table: string): DeploymentNotes {
  // No queue can have this name.
  const items = itemTable(client, table, () => ({ queue: '#deployment', item: 'last' }));
  return {
    // A record that cannot be read is ignored: the deployment then does not count as a rollback.
    last: async () => deploymentNote.safeParse(await items.get([])).data,

    async note(deployment) {
      await items.change([], { set: { ...deployment } });
    },
  };
}
