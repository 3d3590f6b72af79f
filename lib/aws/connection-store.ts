import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Connection, connection } from '../service/domain/connection.ts';
import { CONNECTION } from '../service/domain/statuses.ts';
import { ifReadable, readWith } from '../service/domain/unreadable.ts';
import { type ConnectionStore, FRAMES_COUNTED_MS } from '../service/ports/connection-store.ts';
import { isConsistent } from './batch-get.ts';
import { bestEffort } from './best-effort.ts';
import { type Condition, changeItem, type ItemChange } from './change-item.ts';
import { conditionally } from './dynamo.ts';
import { statusCondition } from './status-condition.ts';

/** API Gateway ends a connection after two hours. The item is kept an hour longer. */
export const KEPT_SECONDS = 3 * 3_600;

/**
 * Connections in DynamoDB. Key: `ticketId`, `connectionId`. The stream of the table reports each new item, so that the client
 * gets its first message.
 *
 *     add          if there is none: the stream must not report a repetition
 *     countFrame   in the current interval, or a later one of a function whose clock is ahead; else the first of a new one, if
 *                  there is a record
 */
export function connectionStore(client: DynamoDBDocumentClient, table: string): ConnectionStore {
  return {
    async add(added) {
      const Item = {
        ...added,
        expiresAt: Math.ceil(added.connectedAtMs / 1_000) + KEPT_SECONDS,
      };
      const ConditionExpression = statusCondition(CONNECTION.transitions.connect, 'ticketId').condition;
      await conditionally(() => client.send(new PutCommand({ TableName: table, Item, ConditionExpression })));
    },

    async of(ticketId, consistency) {
      const connections: Connection[] = [];
      let from: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'ticketId = :ticketId',
            ExpressionAttributeValues: { ':ticketId': ticketId },
            ConsistentRead: isConsistent(consistency),
            ...(from && { ExclusiveStartKey: from }),
          }),
        );
        // A connection stored by another version gets its messages from that version. The other connections of the ticket are
        // served here.
        connections.push(...Items.flatMap((item) => ifReadable(() => toConnection(item)) ?? []));
        from = LastEvaluatedKey;
      } while (from !== undefined);
      return connections.sort((a, b) => a.connectedAtMs - b.connectedAtMs);
    },

    async remove(ticketId, connectionId) {
      await client.send(new DeleteCommand({ TableName: table, Key: { ticketId, connectionId } }));
    },

    async countFrame(ticketId, connectionId, nowMs) {
      const item = { table, key: { ticketId, connectionId } };
      const framesSinceMs = nowMs - (nowMs % FRAMES_COUNTED_MS);
      const since = { values: { ':since': framesSinceMs } };
      const count = async (change: Pick<ItemChange, 'add' | 'set'>, condition: Condition) => {
        const counted = await changeItem(client, { ...item, ...change, if: [condition] }, 'after');
        return counted.met ? (counted.item!.frames as number) : undefined;
      };
      const again = () => count({ add: { frames: 1 } }, { condition: 'framesSinceMs >= :since', ...since });
      const first = () =>
        count(
          { set: { frames: 1, framesSinceMs } },
          {
            condition:
              'attribute_exists(ticketId) AND (attribute_not_exists(framesSinceMs) OR framesSinceMs < :since)',
            ...since,
          },
        );
      // The third write is after another function has begun the interval.
      return bestEffort((async () => (await again()) ?? (await first()) ?? (await again()))());
    },
  };
}

/** @throws Unreadable */
export function toConnection(item: Record<string, unknown>): Connection {
  return readWith(connection, item, `a connection of ticket ${item.ticketId}`);
}
