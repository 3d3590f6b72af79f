import { crc32 } from 'node:zlib';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';

/**
 * The number of partition keys of a list in the index `latest`. A page of a journal writes one unit to it. A tick writes a
 * few pages a second and a queue has at most 256 ranges, so each key stays below the 1,000 writes a second of DynamoDB.
 */
const GROUPS = 8;

/** The lists of a queue in the index: the pages of its journals, and the players with an offence. */
type List = 'journals' | 'cooldowns';

/**
 * The partition key of an item in the index `latest`.
 *
 * The index has the key `latestGroup`, `writtenAtMs` and holds keys only. It lists the pages of a queue's journals, and so the
 * matches of its ticks, for one write per page. It also lists the players of a queue with an offence, by the time of the last
 * one.
 * @param owner spreads the items of a list over its keys
 */
export function latestGroup(queue: string, owner: string, list: List = 'journals'): string {
  return groupOf(queue, crc32(owner) % GROUPS, list);
}

/** The key of an item in the index `latest`. */
export interface LatestKey {
  readonly item: string;
  readonly writtenAtMs: number;
}

/** The keys of a list in the index `latest`, the newest first: at most `limit` of each partition. */
export async function latestKeys(
  client: DynamoDBDocumentClient,
  table: string,
  queue: string,
  limit: number,
  list: List = 'journals',
): Promise<LatestKey[]> {
  const groups = Array.from({ length: GROUPS }, async (_, group) => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'latest',
        KeyConditionExpression: 'latestGroup = :group',
        ExpressionAttributeValues: { ':group': groupOf(queue, group, list) },
        ScanIndexForward: false,
        Limit: limit,
      }),
    );
    return Items as LatestKey[];
  });
  return (await Promise.all(groups)).flat().sort((a, b) => b.writtenAtMs - a.writtenAtMs);
}

/** The name of a queue contains no #. */
function groupOf(queue: string, group: number, list: List): string {
  return list === 'journals' ? `${queue}#${group}` : `${queue}#${list}#${group}`;
}
