import { createHash } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ErasedPlayers } from '../service/ports/erased-players.ts';
import { secondsAfter } from './dynamo.ts';
import { itemTable } from './item-table.ts';

/**
 * Longer than an event can wait: 13 days while its queue cannot be read, 4 days in an SQS queue, and 14 days as a dead letter.
 */
export const ERASED_DAYS = 35;

/** How long a function caches the time of the last erasure. */
const LAST_KEPT_MS = 1_000;

/**
 * Erased players in DynamoDB, in the table of the receivers. Key: `receiver`, as `erased#HASH` of the player's id. The item
 * `erased` has the time `lastAtMs` at which an erasure last ran.
 *
 *     add    the time, then the player. A crash in between: `notify` searches for erased players, and finds none
 *     last   the time; 0 where there is none
 */
export function erasedPlayers(client: DynamoDBDocumentClient, table: string): ErasedPlayers {
  const items = itemTable(client, table, (receiver: string) => ({ receiver }));
  let last: { readonly atMs: number; readonly readAtMs: number } | undefined;
  return {
    async add(playerId, nowMs) {
      const isEarlier = {
        condition: 'attribute_not_exists(lastAtMs) OR lastAtMs < :at',
        values: { ':at': nowMs },
      };
      await items.change([LAST], { set: { lastAtMs: nowMs }, if: [isEarlier] });
      await items.change([keyOf(playerId)], { set: { expiresAt: secondsAfter(nowMs, ERASED_DAYS) } });
    },

    async lastAtMs(nowMs) {
      if (last !== undefined && nowMs - last.readAtMs < LAST_KEPT_MS) return last.atMs;
      const item = await items.get([LAST]);
      last = { atMs: Number(item?.lastAtMs ?? 0), readAtMs: nowMs };
      return last.atMs;
    },

    async findErased(playerIds) {
      const byKey = new Map(playerIds.map((playerId) => [keyOf(playerId), playerId]));
      const found = await items.all([...byKey.keys()].map((receiver) => [receiver]));
      return new Set(found.map(({ receiver }) => byKey.get(receiver as string)!));
    },
  };
}

const LAST = 'erased';

function keyOf(playerId: string): string {
  return `erased#${createHash('sha256').update(playerId).digest('base64url')}`;
}
