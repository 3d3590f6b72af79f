import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { StoreBusy } from '../service/ports/store-busy.ts';

/** The index of the queues table by `item`, then `queue`. It holds keys only. */
const INDEX = 'items';
/** The maximum of keys in one batch of DynamoDB. */
const BATCH = 100;
/** Tries of a batch that DynamoDB answers in part. */
const ATTEMPTS = 5;

/**
 * The items `definition` of all queues, in no order. The cost grows with the number of queues: one key of the index and
 * one consistent read each. Leases and reports, which are many times as many, are not read.
 *
 * The index is updated a moment after the table, so a queue created less than about a second ago may be missing. What is
 * returned is as it is in the table now.
 * @throws StoreBusy when DynamoDB keeps omitting items
 */
export async function* definitionItems(
  client: DynamoDBDocumentClient,
  table: string,
): AsyncGenerator<Record<string, unknown>> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: INDEX,
        KeyConditionExpression: '#item = :definition',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':definition': 'definition' },
        Limit: BATCH,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    const keys = (page.Items ?? []).map(({ queue, item }) => ({ queue, item }));
    yield* await readAll(client, table, keys);
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

async function readAll(
  client: DynamoDBDocumentClient,
  table: string,
  keys: Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let left = keys;
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === ATTEMPTS) throw new StoreBusy(`${left.length} queue definitions could not be read`);
    if (attempt > 0) await sleep(Math.random() * 50 * 2 ** attempt);
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead: true } } }),
    );
    items.push(...(Responses?.[table] ?? []));
    left = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return items;
}
