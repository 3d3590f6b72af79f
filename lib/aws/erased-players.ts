import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ErasedPlayers } from '../service/ports/erased-players.ts';
import { batchGet } from './batch-get.ts';
import { secondsAfter } from './dynamo.ts';

/**
 * Longer than an event can wait: parked for 14 days, then as a webhook for 4 days in its SQS queue and for 14 among the dead
 * letters.
 */
export const ERASED_DAYS = 35;

/** Erased players in DynamoDB, in the table of the receivers. Key: `receiver`, as `erased#HASH` of the player's id. */
export function erasedPlayers(client: DynamoDBDocumentClient, table: string): ErasedPlayers {
  return {
    async add(playerId, nowMs) {
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: { receiver: keyOf(playerId) },
          UpdateExpression: 'SET expiresAt = :expiresAt',
          ExpressionAttributeValues: { ':expiresAt': secondsAfter(nowMs, ERASED_DAYS) },
        }),
      );
    },

    async among(playerIds) {
      const byKey = new Map(playerIds.map((playerId) => [keyOf(playerId), playerId]));
      const keys = [...byKey.keys()].map((receiver) => ({ receiver }));
      const items = await batchGet(client, table, keys);
      return new Set(items.map(({ receiver }) => byKey.get(receiver as string)!));
    },
  };
}

function keyOf(playerId: string): string {
  return `erased#${createHash('sha256').update(playerId).digest('base64url')}`;
}
