import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Consistency } from '../service/ports/consistency.ts';
import { batchGet, isConsistent } from './batch-get.ts';
import { type Changed, changeItem, type ItemChange, type Returned } from './change-item.ts';

type Item = Record<string, unknown>;

/**
 * The items of one kind in a table, addressed by the parts of their key. @param keyOf its keys must differ from those of all
 * other kinds
 */
export function itemTable<
  Parts extends readonly (string | number)[],
  Key extends Readonly<Record<string, string>>,
>(client: DynamoDBDocumentClient, table: string, keyOf: (...parts: Parts) => Key) {
  /** @param consistency @default 'strong' */
  const get = async (parts: Parts, consistency?: Consistency): Promise<Item | undefined> => {
    const Key = keyOf(...parts);
    const ConsistentRead = isConsistent(consistency);
    return (await client.send(new GetCommand({ TableName: table, Key, ConsistentRead }))).Item;
  };
  return {
    keyOf,
    get,
    /** The values in items that are read one by one; without those that are missing or have no value. */
    async byId<T>(
      ids: readonly string[],
      partsOf: (id: string) => Parts,
      read: (item: Item) => T | undefined,
    ): Promise<Map<string, T>> {
      const found = ids.map(async (id): Promise<[string, T][]> => {
        const item = await get(partsOf(id));
        const value = item && read(item);
        return value === undefined ? [] : [[id, value]];
      });
      return new Map((await Promise.all(found)).flat());
    },
    /** The existing items with these keys, in no order. Each key once. @throws StoreBusy */
    all: (many: readonly Parts[], consistency?: Consistency): Promise<Item[]> =>
      batchGet(
        client,
        table,
        many.map((parts) => keyOf(...parts)),
        consistency,
      ),
    /** @throws StoreBusy; then nothing has changed */
    change: (parts: Parts, change: Omit<ItemChange, 'table' | 'key'>, returns?: Returned): Promise<Changed> =>
      changeItem(client, { table, key: keyOf(...parts), ...change }, returns),
  };
}
