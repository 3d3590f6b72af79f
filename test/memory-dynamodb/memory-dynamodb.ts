import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type {
  BatchGetCommandInput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  ScanCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { DYNAMODB_LIMITS } from './aws-limits.ts';
import { type Item, meets, type Placeholders, updated } from './expressions.ts';
import { itemSize } from './item-size.ts';
import { ItemTooLarge, MemoryTable, type Partitions, type TableSchema } from './memory-table.ts';
import type { Entry } from './sorted-items.ts';

/** Capacity units that a call has consumed of one partition key. */
export interface Consumed {
  readonly table: string;
  /** Undefined for the table itself. */
  readonly index?: string | undefined;
  readonly key: string;
  readonly kind: 'read' | 'write';
  readonly units: number;
}

const READ_UNIT_BYTES = 4_096;
const TOKENS_MAX = 100_000;
/** A transaction prepares and commits each item, so its units count twice. */
const TRANSACTION_FACTOR = 2;

/**
 * An implementation of DynamoDB in this process, with the features that the stores use: conditions, updates,
 * transactions with their tokens, sparse indexes, pages, streams, and the capacity units of each partition key.
 *
 * Its inputs are those of the SDK's document client. Each call is atomic, so transactions never conflict.
 */
export class MemoryDynamoDB {
  readonly tables: ReadonlyMap<string, MemoryTable>;
  /** The units that the last call has consumed, also when it was rejected. */
  consumed: Consumed[] = [];
  readonly #pageBytesMax: number;
  readonly #applied = new Set<string>();

  /** @param pageBytesMax smaller for tests of a smaller scale. @default that of AWS */
  constructor(schemas: readonly TableSchema[], pageBytesMax: number = DYNAMODB_LIMITS.pageBytesMax) {
    this.#pageBytesMax = pageBytesMax;
    this.tables = new Map(schemas.map((schema) => [schema.name, new MemoryTable(schema)]));
  }

  /**
   * @param operation the API's name of the operation, such as `PutItem`
   * @throws the errors of the SDK
   */
  execute(operation: string, input: unknown): object {
    this.consumed = [];
    switch (operation) {
      case 'GetItem':
        return this.#get(input as GetCommandInput);
      case 'BatchGetItem':
        return this.#batchGet(input as BatchGetCommandInput);
      case 'Query':
        return this.#query(input as QueryCommandInput);
      case 'Scan':
        return this.#scan(input as ScanCommandInput);
      case 'PutItem':
        return this.#write('Put', input as Write);
      case 'UpdateItem':
        return this.#write('Update', input as Write);
      case 'DeleteItem':
        return this.#write('Delete', input as Write);
      case 'TransactWriteItems':
        return this.#transact(input as TransactWriteCommandInput);
    }
    throw new Error(`Expected an operation that the stores use, got ${operation}`);
  }

  #get({ TableName, Key, ConsistentRead = false }: GetCommandInput) {
    const table = this.#table(TableName!);
    const key = table.keyOf(Key!);
    this.#read(table, undefined, String(Key![table.schema.partition]), table.bytesOf(key), ConsistentRead);
    const item = table.get(key);
    return { ...(item && { Item: { ...item } }) };
  }

  #batchGet({ RequestItems = {} }: BatchGetCommandInput) {
    const keys = Object.values(RequestItems).reduce((sum, { Keys = [] }) => sum + Keys.length, 0);
    if (keys > DYNAMODB_LIMITS.batchGetKeysMax)
      throw invalid('Too many items requested for the BatchGetItem call');
    const responses = Object.entries(RequestItems).map(([TableName, { Keys = [], ConsistentRead }]) => [
      TableName,
      Keys.flatMap((Key) => this.#get({ TableName, Key, ConsistentRead }).Item ?? []),
    ]);
    return { Responses: Object.fromEntries(responses), UnprocessedKeys: {} };
  }

  #query(input: QueryCommandInput) {
    const table = this.#table(input.TableName!);
    const index = input.IndexName === undefined ? undefined : table.indexes.get(input.IndexName)!;
    const { schema, partitions } = index ?? table;
    const isForward = input.ScanIndexForward !== false;
    const range = keyRange(input);
    const start = input.ExclusiveStartKey;
    const startAt = start && `${schema.sort === undefined ? '' : start[schema.sort]}\0${table.keyOf(start)}`;
    const items: Item[] = [];
    let bytes = 0;
    let last: Entry | undefined;
    let isCut = false;
    for (const entry of entries(partitions, range, isForward, startAt)) {
      if (last !== undefined && (items.length === input.Limit || bytes + entry.bytes > this.#pageBytesMax)) {
        isCut = true;
        break;
      }
      items.push(entry.item);
      bytes += entry.bytes;
      last = entry;
    }
    // DynamoDB does not check whether another item follows the limit.
    isCut ||= items.length === input.Limit;
    this.#read(table, index?.schema.name, range.partition, bytes, input.ConsistentRead ?? false);
    const keys = [table.schema.partition, table.schema.sort, schema.partition, schema.sort];
    const lastKey = (item: Item) =>
      Object.fromEntries(keys.flatMap((name) => (name === undefined ? [] : [[name, item[name]]])));
    return {
      Count: items.length,
      ...(input.Select !== 'COUNT' && { Items: items }),
      ...(isCut && { LastEvaluatedKey: lastKey(last!.item) }),
    };
  }

  /** In order of the keys, which DynamoDB does not promise. */
  #scan({
    TableName,
    ExclusiveStartKey,
    Limit = Number.POSITIVE_INFINITY,
    ConsistentRead,
  }: ScanCommandInput) {
    const table = this.#table(TableName!);
    const from = ExclusiveStartKey && table.keyOf(ExclusiveStartKey);
    const keys = [...table.all()].map((item) => table.keyOf(item)).sort();
    const found: string[] = [];
    let bytes = 0;
    let isCut = false;
    for (const key of keys) {
      if (from !== undefined && key <= from) continue;
      if (found.length === Limit || (found.length > 0 && bytes + table.bytesOf(key) > this.#pageBytesMax)) {
        isCut = true;
        break;
      }
      found.push(key);
      bytes += table.bytesOf(key);
      this.#read(table, undefined, key, table.bytesOf(key), ConsistentRead ?? false);
    }
    const items = found.map((key) => ({ ...table.get(key)! }));
    const { partition, sort } = table.schema;
    const last = items.at(-1);
    return {
      Count: items.length,
      Items: items,
      ...(isCut && {
        LastEvaluatedKey: {
          [partition]: last![partition],
          ...(sort !== undefined && { [sort]: last![sort] }),
        },
      }),
    };
  }

  #write(kind: WriteKind, write: Write) {
    const table = this.#table(write.TableName!);
    const key = table.keyOf(keyIn(kind, write));
    const before = table.get(key);
    if (!isMet(write, before)) {
      this.#charge(table, [
        { key: this.#partitionOf(table, kind, write), units: unitsOf(table.bytesOf(key)) },
      ]);
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...(write.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before && { Item: stored(before) }),
      });
    }
    const after = outcome(kind, write, before);
    this.#charge(table, table.write(key, after));
    return write.ReturnValues === 'ALL_NEW' ? { Attributes: { ...after } } : {};
  }

  #transact({ TransactItems = [], ClientRequestToken }: TransactWriteCommandInput) {
    if (ClientRequestToken !== undefined && this.#applied.has(ClientRequestToken)) return {};
    if (TransactItems.length > DYNAMODB_LIMITS.transactionWritesMax)
      throw invalid('Member must have length less than or equal to 100');
    const writes = TransactItems.map((item) => {
      const [kind, write] = Object.entries(item)[0] as [WriteKind, Write];
      const table = this.#table(write.TableName!);
      const key = table.keyOf(keyIn(kind, write));
      return { kind, write, table, key, before: table.get(key) };
    });
    const met = writes.map(({ write, before }) => isMet(write, before));
    if (met.includes(false)) {
      for (const { kind, write, table, key } of writes) {
        const units = TRANSACTION_FACTOR * unitsOf(table.bytesOf(key));
        this.#charge(table, [{ key: this.#partitionOf(table, kind, write), units }]);
      }
      throw new TransactionCanceledException({
        message: 'Transaction cancelled',
        $metadata: {},
        CancellationReasons: writes.map(({ write, before }, i) => ({
          Code: met[i] ? 'None' : 'ConditionalCheckFailed',
          ...(!met[i] &&
            write.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' &&
            before && { Item: stored(before) }),
        })),
      });
    }
    const after = writes.map(({ kind, write, before }) => outcome(kind, write, before));
    const bytes = after.reduce((sum, item) => sum + (item === undefined ? 0 : itemSize(item)), 0);
    if (bytes > DYNAMODB_LIMITS.transactionBytesMax)
      throw invalid('Collection size of the transaction has exceeded the maximum allowed size');
    const isTooLarge = after.map(
      (item) => item !== undefined && itemSize(item) > DYNAMODB_LIMITS.itemBytesMax,
    );
    if (isTooLarge.includes(true)) {
      throw new TransactionCanceledException({
        message: 'Transaction cancelled',
        $metadata: {},
        CancellationReasons: isTooLarge.map((is) =>
          is ? { Code: 'ValidationError', Message: new ItemTooLarge().message } : { Code: 'None' },
        ),
      });
    }
    for (const [i, { table, key }] of writes.entries()) {
      const units = table.write(key, after[i]);
      this.#charge(
        table,
        units.map((one) => ({
          ...one,
          units: one.index === undefined ? TRANSACTION_FACTOR * one.units : one.units,
        })),
      );
    }
    if (ClientRequestToken !== undefined) this.#applied.add(ClientRequestToken);
    // DynamoDB forgets tokens after ten minutes.
    if (this.#applied.size > TOKENS_MAX) this.#applied.clear();
    return {};
  }

  #table(name: string): MemoryTable {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`Expected a table, got ${name}`);
    return table;
  }

  #partitionOf(table: MemoryTable, kind: WriteKind, write: Write): string {
    return String(keyIn(kind, write)[table.schema.partition]);
  }

  #charge(
    table: MemoryTable,
    all: readonly { index?: string | undefined; key: string; units: number }[],
  ): void {
    for (const { index, key, units } of all)
      this.consumed.push({ table: table.schema.name, index, key, kind: 'write', units });
  }

  #read(
    table: MemoryTable,
    index: string | undefined,
    key: string,
    bytes: number,
    isConsistent: boolean,
  ): void {
    const units = Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5);
    this.consumed.push({ table: table.schema.name, index, key, kind: 'read', units });
  }
}

type WriteKind = 'Put' | 'Update' | 'Delete';
type Write = PutCommandInput & UpdateCommandInput & DeleteCommandInput;

function keyIn(kind: WriteKind, { Item, Key }: Write): Item {
  return (kind === 'Put' ? Item : Key)!;
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' });
}

function checkLengths({ UpdateExpression = '', ConditionExpression = '' }: Write): void {
  for (const expression of [UpdateExpression, ConditionExpression])
    if (Buffer.byteLength(expression) > DYNAMODB_LIMITS.expressionBytesMax)
      throw invalid('Invalid expression: Expression size has exceeded the maximum allowed size');
}

function isMet(write: Write, before: Item | undefined): boolean {
  checkLengths(write);
  return (
    write.ConditionExpression === undefined || meets(write.ConditionExpression, before, placeholdersOf(write))
  );
}

function placeholdersOf(input: {
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, unknown> | undefined;
}): Placeholders {
  return { names: input.ExpressionAttributeNames, values: input.ExpressionAttributeValues };
}

function outcome(kind: WriteKind, write: Write, before: Item | undefined): Item | undefined {
  if (kind === 'Delete') return undefined;
  if (kind === 'Put') return defined(write.Item!);
  return defined(updated(write.UpdateExpression!, before ?? write.Key!, placeholdersOf(write)));
}

/** Removes undefined attributes, as the document client does. */
function defined(item: Item): Item {
  for (const name in item) {
    if (item[name] === undefined)
      return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
  }
  return item;
}

function stored(item: Item) {
  return marshall(item, { removeUndefinedValues: true });
}

/** The write units of a rejected write: those of the existing item. */
function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1_024));
}

interface Range {
  readonly partition: string;
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
}

const KEY_CONDITION = /^(\S+) = (:\w+)(?: AND (\S+) (?:(BETWEEN) (:\w+) AND (:\w+)|(<=|<|>=) (:\w+)))?$/;

/** The range of positions of a key condition. */
function keyRange({ KeyConditionExpression = '', ExpressionAttributeValues = {} }: QueryCommandInput): Range {
  const found = KEY_CONDITION.exec(KeyConditionExpression);
  if (found === null)
    throw new Error(`Expected a key condition of the stores, got ${KeyConditionExpression}`);
  const value = (name: string | undefined) => String(ExpressionAttributeValues[name!]);
  const [, , partition, sort, between, low, high, operator, edge] = found;
  const key = { partition: value(partition) };
  if (sort === undefined) return key;
  // Positions continue after the sort key.
  if (between !== undefined) return { ...key, from: value(low), to: `${value(high)}\u0001` };
  if (operator === '>=') return { ...key, from: value(edge) };
  return { ...key, to: operator === '<' ? value(edge) : `${value(edge)}\u0001` };
}

function* entries(
  partitions: Partitions,
  { partition, from, to }: Range,
  isForward: boolean,
  startAt: string | undefined,
): Generator<Entry> {
  const all = partitions.of(partition);
  if (all === undefined) return;
  if (isForward) {
    for (const entry of all.after(startAt ?? from, startAt !== undefined)) {
      if (to !== undefined && entry.position >= to) return;
      yield entry;
    }
    return;
  }
  for (const entry of all.before(startAt ?? to)) {
    if (from !== undefined && entry.position < from) return;
    yield entry;
  }
}
