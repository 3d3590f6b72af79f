import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { inParallel } from '../service/concurrency/in-parallel.ts';
import type { ErasedPlayers } from '../service/ports/erased-players.ts';
import { secondsAfter } from './dynamo.ts';

/** Longer than a webhook waits in its SQS queue and then among the dead letters. */
export const ERASED_DAYS = 20;
const AT_ONCE = 20;

/** Erased players in DynamoDB, in the table of the receivers. Key: `receiver`, as `erased#HASH` of the player's id. */
export function erasedPlayers(client: DynamoDBDocumentClient, table: string): ErasedPlayers {
  const itemOf = (playerId: string) => ({
    TableName: table,
    Key: { receiver: `erased#${createHash('sha256').update(playerId).digest('base64url')}` },
  });
  return {
    async add(playerId, nowMs) {
      await client.send(
        new UpdateCommand({
          ...itemOf(playerId),
          UpdateExpression: 'SET expiresAt = :expiresAt',
          ExpressionAttributeValues: { ':expiresAt': secondsAfter(nowMs, ERASED_DAYS) },
        }),
      );
    },

    async among(playerIds) {
      const erased = new Set<string>();
      await inParallel([...new Set(playerIds)], AT_ONCE, async (playerId) => {
        const { Item } = await client.send(new GetCommand(itemOf(playerId)));
        if (Item !== undefined) erased.add(playerId);
      });
      return erased;
    },
  };
}
