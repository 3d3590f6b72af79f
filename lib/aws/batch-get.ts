import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StoreBusy } from '../service/ports/store-busy.ts';

/** The most keys that DynamoDB takes in one batch. */
export const BATCH_GET_MAX = 100;
/** Tries of a batch that DynamoDB answers in part. */
const ATTEMPTS = 5;

/**
 * The items with these keys, as they are now, in no order; keys without an item are omitted.
 * @param keys at most `BATCH_GET_MAX`, each once
 * @throws StoreBusy when DynamoDB keeps leaving items out
 */
export async function batchGet(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let left = [...keys];
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === ATTEMPTS) throw new StoreBusy(`${left.length} items could not be read`);
    if (attempt > 0) await sleep(Math.random() * 50 * 2 ** attempt);
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead: true } } }),
    );
    items.push(...(Responses?.[table] ?? []));
    left = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return items;
}
