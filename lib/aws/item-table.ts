import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Freshness } from '../service/ports/freshness.ts';
import { batchGet } from './batch-get.ts';
import { type Changed, changeItem, type ItemChange, type Returned } from './change-item.ts';
import { isConsistent } from './is-consistent.ts';

type Item = Record<string, unknown>;

/** The items of one kind in a table, by the parts of their key. @param keyOf no other kind may have the same keys */
export function itemTable<
  Parts extends readonly (string | number)[],
  Key extends Readonly<Record<string, string>>,
>(client: DynamoDBDocumentClient, table: string, keyOf: (...parts: Parts) => Key) {
  return {
    keyOf,
    /** @param freshness @default 'now' */
    async get(parts: Parts, freshness?: Freshness): Promise<Item | undefined> {
      const Key = keyOf(...parts);
      const ConsistentRead = isConsistent(freshness);
      return (await client.send(new GetCommand({ TableName: table, Key, ConsistentRead }))).Item;
    },
    /** The items that exist, in no order. Each once. @throws StoreBusy */
    all: (many: readonly Parts[], freshness?: Freshness): Promise<Item[]> =>
      batchGet(
        client,
        table,
        many.map((parts) => keyOf(...parts)),
        freshness,
      ),
    /** @throws StoreBusy; then nothing has changed */
    change: (parts: Parts, change: Omit<ItemChange, 'table' | 'key'>, returns?: Returned): Promise<Changed> =>
      changeItem(client, { table, key: keyOf(...parts), ...change }, returns),
  };
}
