import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Consistency } from '../service/ports/consistency.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';

/** Whether DynamoDB has to read consistently, for twice the read units. */
export function isConsistent(consistency: Consistency = 'strong'): boolean {
  return consistency === 'strong';
}

/** The maximum of keys in one batch of DynamoDB. */
export const BATCH_GET_MAX = 100;
/** The maximum of requests for a batch that DynamoDB returns in parts. */
const ATTEMPTS = 5;

/**
 * Reads the items with these keys in batches. The result is in no order, and missing items are omitted.
 * @param keys each once
 * @param consistency @default 'strong'
 * @throws StoreBusy when DynamoDB keeps omitting items
 */
export async function batchGet(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Record<string, unknown>[],
  consistency?: Consistency,
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  const ConsistentRead = isConsistent(consistency);
  for (let from = 0; from < keys.length; from += BATCH_GET_MAX) {
    let left = keys.slice(from, from + BATCH_GET_MAX);
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === ATTEMPTS) throw new StoreBusy(`${left.length} items could not be read`);
      if (attempt > 0) await sleep(Math.random() * 50 * 2 ** attempt);
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead } } }),
      );
      items.push(...(Responses?.[table] ?? []));
      left = UnprocessedKeys?.[table]?.Keys ?? [];
    }
  }
  return items;
}
