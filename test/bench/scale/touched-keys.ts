import type { Item } from '../../memory-dynamodb/expressions.ts';
import type { Consumed, MemoryDynamoDB } from '../../memory-dynamodb/memory-dynamodb.ts';

/** The partition keys that a request will consume units of, at least one each, derived from the request. */
export function touchedKeys(dynamodb: MemoryDynamoDB, operation: string, input: Input): Consumed[] {
  switch (operation) {
    case 'GetItem':
      return [{ ...tableKey(dynamodb, input), kind: 'read', units: 0.5 }];
    case 'Query': {
      const partition = /= (:\w+)/.exec(input.KeyConditionExpression!)![1]!;
      const key = String(input.ExpressionAttributeValues![partition]);
      return [{ table: input.TableName!, index: input.IndexName, key, kind: 'read', units: 0.5 }];
    }
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return writtenKeys(dynamodb, input);
    case 'TransactWriteItems':
      return input.TransactItems!.flatMap((item) => writtenKeys(dynamodb, Object.values(item)[0]!));
  }
  return [];
}

/** The parts of the document client's inputs that contain keys. */
export interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Item;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
}

function tableKey(dynamodb: MemoryDynamoDB, { TableName, Key, Item }: Input): { table: string; key: string } {
  const { schema } = dynamodb.tables.get(TableName!)!;
  return { table: schema.name, key: String((Item ?? Key)![schema.partition]) };
}

function writtenKeys(dynamodb: MemoryDynamoDB, input: Input): Consumed[] {
  const table = dynamodb.tables.get(input.TableName!)!;
  const item = input.Item ?? table.get(table.keyOf(input.Key!));
  const ofIndexes = table.schema.indexes.flatMap((index) => {
    const key = item?.[index.partition];
    return key === undefined ? [] : [{ table: table.schema.name, index: index.name, key: String(key) }];
  });
  return [tableKey(dynamodb, input), ...ofIndexes].map((one) => ({ ...one, kind: 'write', units: 1 }));
}
