import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Unreadable } from '../service/domain/unreadable.ts';
import { BATCH_GET_MAX, batchGet } from './batch-get.ts';

/** The index of the queues table by `item`, then `queue`. It holds keys only. */
const INDEX = 'items';

/**
 * All definitions of a kind, by name, and the items that `toRecord` cannot read. For the cost see {@link definitionItems}.
 * @param item `definition` for queues, `ladder` for ladders
 */
export async function definitionRecords<Stored extends { readonly definition: { readonly name: string } }>(
  client: DynamoDBDocumentClient,
  table: string,
  item: string,
  toRecord: (item: Record<string, unknown>) => Stored,
): Promise<{ records: Stored[]; unreadable: { item: Record<string, unknown>; error: Unreadable }[] }> {
  const records: Stored[] = [];
  const unreadable: { item: Record<string, unknown>; error: Unreadable }[] = [];
  for await (const stored of definitionItems(client, table, item)) {
    try {
      records.push(toRecord(stored));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      unreadable.push({ item: stored, error });
    }
  }
  records.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  return { records, unreadable };
}

/**
 * The items `definition` of all queues, or those of all ladders, in no order. The cost grows with the number of queues: one key of the index and
 * one consistent read each. Leases and reports, which are far more numerous, are not read.
 *
 * The index is updated a moment after the table, so a queue created less than about a second ago may be missing. The items
 * themselves are read consistently.
 * @throws StoreBusy when DynamoDB keeps omitting items
 */
async function* definitionItems(
  client: DynamoDBDocumentClient,
  table: string,
  item: string,
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
