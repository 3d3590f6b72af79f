import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { BATCH_GET_MAX, batchGet } from './batch-get.ts';

/** The index of the queues table by `item`, then `queue`. It holds keys only. */
const INDEX = 'items';

/**
 * The items `definition` of all queues, or those of all ladders, in no order. The cost grows with the number of queues: one key of the index and
 * one consistent read each. Leases and reports, which are far more numerous, are not read.
 *
 * The index is updated a moment after the table, so a queue created less than about a second ago may be missing. The items
 * themselves are read consistently.
 * @throws StoreBusy when DynamoDB keeps omitting items
 */
export async function* definitionItems(
  client: DynamoDBDocumentClient,
  table: string,
  item = 'definition',
): AsyncGenerator<Record<string, unknown>> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        ...definitionsOf(table, item),
        Limit: BATCH_GET_MAX,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    const keys = (page.Items ?? []).map((key) => ({ queue: key.queue, item: key.item }));
    yield* await batchGet(client, table, keys);
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

/** How many queues there are, by their keys in the index: about a read unit for a hundred. */
export async function countDefinitions(client: DynamoDBDocumentClient, table: string): Promise<number> {
  let count = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        ...definitionsOf(table),
        Select: 'COUNT',
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    count += page.Count ?? 0;
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return count;
}

function definitionsOf(table: string, item = 'definition') {
  return {
    TableName: table,
    IndexName: INDEX,
    KeyConditionExpression: '#item = :definition',
    ExpressionAttributeNames: { '#item': 'item' },
    ExpressionAttributeValues: { ':definition': item },
  };
}
