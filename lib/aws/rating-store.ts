import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { MATCH } from '../service/domain/statuses.ts';
import {
  type StoredOdds,
  type StoredRating,
  storedRating,
  withRecent,
} from '../service/domain/stored-rating.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { RatingStore } from '../service/ports/rating-store.ts';
import { isAsRead, updateOf } from './change-item.ts';
import { secondsAfter, transact } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { itemTable } from './item-table.ts';
import { hasErasures, packRatings } from './match-item.ts';
import { statusCondition } from './status-condition.ts';
import { newWriteMark } from './write-mark.ts';

/** Days that a rating is kept after the player's last match. */
export const RATING_DAYS = 730;

/** A player with this id cannot exist. */
const ODDS = '#odds';

/**
 * Ratings in DynamoDB, in a table of their own. Key: `playerId`, `ladder`, so the ratings of a player are one query. The learned
 * odds of a ladder are the item of the player `#odds`.
 *
 *     rate    each rating: if it is as it was read, by the mark of its last write. The match: if it has no mark, and the erasures
 *             that were read. All in one transaction
 *     put     always
 *     learn   if the odds are as they were read, by their mark
 */
export function ratingStore(
  client: DynamoDBDocumentClient,
  tables: { readonly ratings: string; readonly matches: string },
): RatingStore {
  const { ratings } = tables;
  const items = itemTable(client, ratings, keyOf);
  return {
    async of(ladder, playerIds, consistency) {
      const keys = [...new Set(playerIds)].map((playerId): [string, string] => [playerId, ladder]);
      const found = await items.all(keys, consistency);
      return new Map(found.map((item) => [String(item.playerId), toRating(item)]));
    },

    async put(ladder, playerId, rating, nowMs) {
      const stored: StoredRating = { ...rating, updatedAtMs: nowMs, recent: '', writeId: newWriteMark() };
      await client.send(new PutCommand({ TableName: ratings, Item: toItem(ladder, playerId, stored) }));
      return stored;
    },

    async remove(ladder, playerId) {
      await client.send(new DeleteCommand({ TableName: ratings, Key: keyOf(playerId, ladder) }));
    },

    async rate({ match, ladder, atMs, rated, players }) {
      const mark = {
        Update: updateOf({
          table: tables.matches,
          key: { matchId: match.matchId },
          set: { rated: packRatings(match, rated) },
          if: [
            statusCondition(MATCH.transitions.rate, 'matchId'),
            isAsRead('rated', undefined),
            hasErasures(match),
          ],
        }),
      };
      const writes = players.map(({ playerId, read, after }) => {
        const { updatedAtMs = atMs } = after;
        const recent = withRecent(read?.recent ?? '', updatedAtMs, after.mean);
        const stored: StoredRating = { ...after, updatedAtMs, recent, writeId: newWriteMark() };
        return {
          Put: {
            TableName: ratings,
            Item: toItem(ladder, playerId, stored),
            ...(read === undefined
              ? { ConditionExpression: 'attribute_not_exists(playerId)' }
              : {
                  ConditionExpression: 'writeId = :read',
                  ExpressionAttributeValues: { ':read': read.writeId },
                }),
          },
        };
      });
      return (await transact(client, [mark, ...writes])).met ? 'rated' : 'lost-race';
    },

    async odds(ladder) {
      return oddsItem.safeParse(await items.get([ODDS, ladder])).data;
    },

    async learn(ladder, read, { slope, information, sums }, nowMs) {
      const set = {
        slope,
        information,
        sums: JSON.stringify(sums),
        expiresAt: secondsAfter(nowMs, RATING_DAYS),
      };
      return (
        await items.change([ODDS, ladder], { set, if: [isAsRead('writeId', read?.writeId)], once: true })
      ).met;
    },
  };
}

const keyOf = (playerId: string, ladder: string) => ({ playerId, ladder });

const sumsOf = z.object({
  results: z.number(),
  logLoss: z.number(),
  brier: z.number(),
  alike: z.object({ logLoss: z.number(), brier: z.number() }),
  bins: z.array(z.object({ count: z.number(), predicted: z.number(), won: z.number() })),
});

const oddsItem = z.object({
  slope: z.number(),
  information: z.number(),
  sums: jsonOf(sumsOf),
  writeId: z.string(),
}) satisfies z.ZodType<StoredOdds>;

/** The items of a player's ratings, one for each ladder. */
export async function ratingItemsOf(
  client: DynamoDBDocumentClient,
  table: string,
  playerId: string,
): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'playerId = :playerId',
      ExpressionAttributeValues: { ':playerId': playerId },
    }),
  );
  return Items;
}

/** @throws Unreadable */
export function toRating(item: Record<string, unknown>): StoredRating {
  return readWith(storedRating, item, `the rating of player ${item.playerId} on ladder ${item.ladder}`);
}

function toItem(ladder: string, playerId: string, rating: StoredRating) {
  return { playerId, ladder, ...rating, expiresAt: secondsAfter(rating.updatedAtMs, RATING_DAYS) };
}
