import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { AwsReply } from '../../lib/local/aws-json.ts';
import { DYNAMODB_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import type { Properties, Resource } from '../../lib/local/template.ts';
import type { Wire } from '../aws/emulated-tables.ts';
import { type Consumed, MemoryDynamoDB } from './memory-dynamodb.ts';
import type { IndexSchema, KeySchema, TableSchema } from './memory-table.ts';

/** The schema of a table of the template. */
export function tableSchema({ name, properties }: Resource): TableSchema {
  const indexes = (properties.GlobalSecondaryIndexes ?? []) as readonly Properties[];
  return {
    name,
    ...keySchema(properties),
    hasStream: properties.StreamSpecification !== undefined,
    indexes: indexes.map(
      (index): IndexSchema => ({
        name: index.IndexName as string,
        ...keySchema(index),
        attributes: projected(index.Projection as { ProjectionType: string; NonKeyAttributes?: string[] }),
      }),
    ),
  };
}

function keySchema({ KeySchema }: Properties): KeySchema {
  const keys = KeySchema as readonly { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[];
  const named = (type: string) => keys.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return { partition: named('HASH')!, sort: named('RANGE') };
}

function projected({
  ProjectionType,
  NonKeyAttributes = [],
}: {
  ProjectionType: string;
  NonKeyAttributes?: string[];
}) {
  return ProjectionType === 'ALL' ? undefined : NonKeyAttributes;
}

/**
 * A document client of a DynamoDB in memory. The wire gets the input of each call as an object, not as text. It may delay
 * or repeat a call, throw, or request the consumed capacity, but change nothing else. Replies contain only the consumed
 * capacity.
 */
export function memoryClient(
  dynamodb: MemoryDynamoDB,
  wire: Wire = (_, send) => send(),
): DynamoDBDocumentClient {
  const send = async (command: {
    readonly constructor: { readonly name: string };
    readonly input: object;
  }) => {
    const { input } = command;
    const { name } = command.constructor;
    const operation = OPERATIONS[name];
    if (operation === undefined) throw new Error(`Expected a command that the stores use, got ${name}`);
    const sent = operation === 'TransactWriteItems' ? { ClientRequestToken: randomUUID(), ...input } : input;
    let answer: object | undefined;
    await wire({ target: DYNAMODB_TARGET, operation, body: '', input: sent }, async (instead) => {
      answer = dynamodb.execute(operation, sent);
      return instead?.input.ReturnConsumedCapacity === undefined ? EMPTY : capacityReply(dynamodb.consumed);
    });
    return answer;
  };
  return { send } as unknown as DynamoDBDocumentClient;
}

const EMPTY: AwsReply = { status: 200, body: '' };

/** The reply to a call that requests its consumed capacity, by table. */
function capacityReply(consumed: readonly Consumed[]): AwsReply {
  const unitsOf = (some: readonly Consumed[]) => some.reduce((sum, { units }) => sum + units, 0);
  const ConsumedCapacity = [...Map.groupBy(consumed, ({ table }) => table)].map(([TableName, all]) => {
    const indexes = Map.groupBy(
      all.filter(({ index }) => index !== undefined),
      ({ index }) => index!,
    );
    return {
      TableName,
      CapacityUnits: unitsOf(all),
      Table: { CapacityUnits: unitsOf(all.filter(({ index }) => index === undefined)) },
      GlobalSecondaryIndexes: Object.fromEntries(
        [...indexes].map(([name, some]) => [name, { CapacityUnits: unitsOf(some) }]),
      ),
    };
  });
  return { status: 200, body: JSON.stringify({ ConsumedCapacity }) };
}

const OPERATIONS: Readonly<Record<string, string>> = {
  ScanCommand: 'Scan',
  GetCommand: 'GetItem',
  BatchGetCommand: 'BatchGetItem',
  QueryCommand: 'Query',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
  TransactWriteCommand: 'TransactWriteItems',
};

/** The tables of the template in memory, instead of an emulator. */
export function memoryTables(tables: readonly Resource[], pageBytesMax?: number) {
  const dynamodb = new MemoryDynamoDB(tables.map(tableSchema), pageBytesMax);
  return {
    dynamodb,
    client: (wire?: Wire) => memoryClient(dynamodb, wire),
    stream: (name: string) => streamReader(dynamodb, name),
  };
}

/** Each call returns and removes the records since the previous call. */
function streamReader(dynamodb: MemoryDynamoDB, name: string): () => Promise<DynamoDBRecord[]> {
  const { changes } = dynamodb.tables.get(name)!;
  let number = 0;
  return async () =>
    changes.splice(0).map(({ before, after }) => ({
      eventID: `${name} ${number++}`,
      dynamodb: {
        ApproximateCreationDateTime: 0,
        ...(before && { OldImage: marshall(before) as never }),
        ...(after && { NewImage: marshall(after) as never }),
      },
    }));
}
