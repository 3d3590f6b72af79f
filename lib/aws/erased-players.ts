import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ErasedPlayers } from '../service/ports/erased-players.ts';
import { batchGet } from './batch-get.ts';
import { changeItem } from './change-item.ts';
import { secondsAfter } from './dynamo.ts';

/**
 * Longer than an event can wait: parked for 14 days, then as a webhook for 4 days in its SQS queue and for 14 among the dead
 * letters.
 */
export const ERASED_DAYS = 35;

/** How long a function keeps the time of the last erasure. */
const LAST_KEPT_MS = 1_000;

/**
 * Erased players in DynamoDB, in the table of the receivers. Key: `receiver`, as `erased#HASH` of the player's id. The item
 * `erased` has the time `lastAtMs` at which a player was last being erased.
 *
 *     add   the time, then the player. A crash in between: players are looked for that nobody has erased
 *     last  the time; where there is none, as an earlier version stores none, now, which it then stores
 */
export function erasedPlayers(client: DynamoDBDocumentClient, table: string): ErasedPlayers {
  let last: { readonly atMs: number; readonly readAtMs: number } | undefined;
  return {
    async add(playerId, nowMs) {
      const isEarlier = {
        condition: 'attribute_not_exists(lastAtMs) OR lastAtMs < :at',
        values: { ':at': nowMs },
      };
      await changeItem(client, { table, key: LAST, set: { lastAtMs: nowMs }, if: [isEarlier] });
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: { receiver: keyOf(playerId) },
          UpdateExpression: 'SET expiresAt = :expiresAt',
          ExpressionAttributeValues: { ':expiresAt': secondsAfter(nowMs, ERASED_DAYS) },
        }),
      );
    },

    async lastAtMs(nowMs) {
      if (last !== undefined && nowMs - last.readAtMs < LAST_KEPT_MS) return last.atMs;
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: LAST, ConsistentRead: true }),
      );
      if (Item === undefined) await changeItem(client, { table, key: LAST, init: { lastAtMs: nowMs } });
      last = { atMs: Number(Item?.lastAtMs ?? nowMs), readAtMs: nowMs };
      return last.atMs;
    },

    async among(playerIds) {
      const byKey = new Map(playerIds.map((playerId) => [keyOf(playerId), playerId]));
      const keys = [...byKey.keys()].map((receiver) => ({ receiver }));
      const items = await batchGet(client, table, keys);
      return new Set(items.map(({ receiver }) => byKey.get(receiver as string)!));
    },
  };
}

const LAST = { receiver: 'erased' };

function keyOf(playerId: string): string {
  return `erased#${createHash('sha256').update(playerId).digest('base64url')}`;
}
