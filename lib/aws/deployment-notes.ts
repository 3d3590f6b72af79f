import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { DeploymentNotes } from '../service/ports/deployment-notes.ts';

/** No queue can have this name. */
const KEY = { queue: '#deployment', item: 'last' };

const deploymentNote = z.object({
  requestId: z.string(),
  from: z.string(),
  to: z.string(),
  isReturn: z.boolean(),
  atMs: z.number(),
});

/** The last deployment, in one item of the table of the queues. CloudFormation makes one deployment of a stack at a time. */
export function deploymentNotes(client: DynamoDBDocumentClient, table: string): DeploymentNotes {
  return {
    async last() {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: KEY, ConsistentRead: true }),
      );
      // A note of another version says nothing: the deployment then counts as one that takes nothing back.
      return deploymentNote.safeParse(Item).data;
    },

    async note({ requestId, from, to, isReturn, atMs }) {
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: KEY,
          UpdateExpression:
            'SET requestId = :requestId, #from = :from, #to = :to, isReturn = :isReturn, atMs = :atMs',
          ExpressionAttributeNames: { '#from': 'from', '#to': 'to' },
          ExpressionAttributeValues: {
            ':requestId': requestId,
            ':from': from,
            ':to': to,
            ':isReturn': isReturn,
            ':atMs': atMs,
          },
        }),
      );
    },
  };
}
