import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { functionNames, lambdasDir } from '../../lib/infra/bundle.ts';
import { LEASE_MS, TICK_STAGES } from '../../lib/service/domain/timing.ts';
import { ROUNDS_MS } from '../../lib/service/ticks/dispatch.ts';
import { builtApp } from './built-app.ts';
import { functionNamed, functionsOf, type Resource, resourcesOf, statementsOf, target } from './resources.ts';

const { template, assetPathOf } = builtApp('whole');
const functions = functionsOf(template);

/** All dead-letter queues, in the terms of {@link allowed}. */
const DEAD_LETTERS = [
  'tick dead letters',
  'tickets dead letters',
  'matches dead letters',
  'notify dead letters',
  'provision dead letters',
  'deadline dead letters',
  'rate dead letters',
  'provision-gamelift dead letters',
  'push dead letters',
];

/** The permissions of each function for each table and queue, besides writing its log. */
const allowed: Readonly<Record<(typeof functionNames)[number], readonly string[]>> = {
  enqueue: [
    'dynamodb:PutItem entries',
    'dynamodb:DeleteItem entries',
    'dynamodb:PutItem tickets',
    'dynamodb:GetItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:GetItem queues',
    'dynamodb:UpdateItem queues',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'dynamodb:BatchGetItem ratings',
    'sqs:SendMessage tick',
    'secretsmanager:GetSecretValue player key',
  ],
  tickets: [
    'dynamodb:Query entries',
    'dynamodb:GetItem tickets',
    'dynamodb:BatchGetItem tickets',
    'dynamodb:Query tickets/index/pool',
    'dynamodb:GetItem matches',
    'dynamodb:BatchGetItem matches',
    'dynamodb:GetItem queues',
    'dynamodb:GetItem ranges',
  ],
  'ticket-changes': [
    'dynamodb:PutItem entries',
    'dynamodb:DeleteItem entries',
    'dynamodb:GetItem tickets',
    'dynamodb:BatchGetItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:GetItem queues',
    'dynamodb:UpdateItem queues',
    'dynamodb:BatchGetItem ranges',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'sqs:SendMessage tick',
  ],
  matches: [
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:GetItem tickets',
    'dynamodb:PutItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:GetItem queues',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'dynamodb:BatchGetItem ratings',
  ],
  queues: [
    'dynamodb:Query entries',
    'dynamodb:GetItem queues',
    'dynamodb:BatchGetItem queues',
    'dynamodb:Query queues/index/items',
    'dynamodb:UpdateItem queues',
    'dynamodb:DeleteItem queues',
    'dynamodb:GetItem ratings',
    'dynamodb:GetItem ranges',
    'dynamodb:BatchGetItem ranges',
    'dynamodb:Query ranges/index/latest',
    'dynamodb:BatchGetItem matches',
    'dynamodb:Query tickets/index/pool',
    ...DEAD_LETTERS.map((queue) => `sqs:GetQueueAttributes ${queue}`),
    'dynamodb:GetItem receivers',
  ],
  players: [
    'dynamodb:DeleteItem entries',
    'dynamodb:Scan tickets',
    'dynamodb:GetItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:DeleteItem tickets',
    'dynamodb:Scan matches',
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:Scan ranges',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'dynamodb:DeleteItem ranges',
    'dynamodb:GetItem queues',
    'dynamodb:UpdateItem receivers',
    'dynamodb:BatchGetItem ratings',
    'dynamodb:DeleteItem ratings',
    'dynamodb:PutItem ratings',
    'dynamodb:Query ratings',
  ],
  'dry-run': ['dynamodb:GetItem queues'],
  meta: [],
  dispatch: [
    'dynamodb:Query entries',
    'dynamodb:PutItem entries',
    'dynamodb:DeleteItem queues',
    'dynamodb:BatchGetItem queues',
    'dynamodb:Query queues/index/items',
    'dynamodb:UpdateItem queues',
    'dynamodb:GetItem queues',
    'dynamodb:BatchGetItem ranges',
    'dynamodb:DeleteItem ranges',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'dynamodb:BatchGetItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:Query tickets/index/pool',
    'dynamodb:UpdateItem matches',
    'dynamodb:Query matches/index/deadlines',
    'sqs:SendMessage tick',
    'sqs:SendMessage deadline',
  ],
  tick: [
    'dynamodb:Query entries',
    'dynamodb:PutItem entries',
    'dynamodb:DeleteItem entries',
    'dynamodb:BatchGetItem ratings',
    'dynamodb:GetItem ratings',
    'dynamodb:GetItem queues',
    'dynamodb:UpdateItem queues',
    'dynamodb:BatchGetItem ranges',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'dynamodb:BatchGetItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:Query tickets/index/pool',
    'dynamodb:BatchGetItem matches',
    'dynamodb:PutItem matches',
    'dynamodb:UpdateItem matches',
    'sqs:SendMessage tick',
    'sqs:ReceiveMessage tick',
    'sqs:DeleteMessage tick',
    'sqs:GetQueueAttributes tick',
    'execute-api:ManageConnections /live/POST/@connections/*',
  ],
  publish: [
    'dynamodb:GetItem queues',
    'events:PutEvents bus',
    'dynamodb:BatchGetItem ranges',
    'dynamodb:UpdateItem ranges',
    ...['tickets', 'matches'].flatMap((table) => [
      `dynamodb:DescribeStream ${table}/stream`,
      `dynamodb:GetRecords ${table}/stream`,
      `dynamodb:GetShardIterator ${table}/stream`,
      `dynamodb:ListStreams ${table}/stream`,
      `sqs:SendMessage ${table} dead letters`,
    ]),
  ],
  notify: [
    'dynamodb:GetItem queues',
    'dynamodb:BatchGetItem receivers',
    'dynamodb:GetItem receivers',
    'dynamodb:UpdateItem receivers',
    'secretsmanager:GetSecretValue secret:muster/*',
    ...['notify', 'notify slow lane'].flatMap((queue) => [
      `sqs:SendMessage ${queue}`,
      `sqs:ChangeMessageVisibility ${queue}`,
      `sqs:ReceiveMessage ${queue}`,
      `sqs:DeleteMessage ${queue}`,
      `sqs:GetQueueAttributes ${queue}`,
    ]),
    'sqs:SendMessage notify dead letters',
  ],
  provision: [
    'dynamodb:BatchGetItem ranges',
    'dynamodb:UpdateItem ranges',
    'dynamodb:GetItem queues',
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:GetItem receivers',
    'dynamodb:UpdateItem receivers',
    'secretsmanager:GetSecretValue secret:muster/*',
    'sqs:ChangeMessageVisibility provision',
    'sqs:ReceiveMessage provision',
    'sqs:DeleteMessage provision',
    'sqs:GetQueueAttributes provision',
  ],
  'provision-gamelift': [
    'dynamodb:BatchGetItem ranges',
    'dynamodb:UpdateItem ranges',
    'dynamodb:GetItem queues',
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:BatchGetItem tickets',
    'gamelift:StartGameSessionPlacement gamesessionqueue/arenas',
    'gamelift:DescribeGameSessionPlacement *',
    'gamelift:StopGameSessionPlacement *',
    'gamelift:TerminateGameSession *',
    'sqs:ChangeMessageVisibility provision-gamelift',
    'sqs:ReceiveMessage provision-gamelift',
    'sqs:DeleteMessage provision-gamelift',
    'sqs:GetQueueAttributes provision-gamelift',
  ],
  deadline: [
    'dynamodb:PutItem entries',
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:BatchGetItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:GetItem queues',
    'dynamodb:UpdateItem queues',
    'dynamodb:BatchGetItem ranges',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'sqs:SendMessage tick',
    'sqs:SendMessage deadline',
    'sqs:ChangeMessageVisibility deadline',
    'sqs:ReceiveMessage deadline',
    'sqs:DeleteMessage deadline',
    'sqs:GetQueueAttributes deadline',
  ],
  rate: [
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:BatchGetItem ratings',
    'dynamodb:GetItem ratings',
    'dynamodb:PutItem ratings',
    'dynamodb:UpdateItem ratings',
    'sqs:ChangeMessageVisibility rate',
    'sqs:ReceiveMessage rate',
    'sqs:DeleteMessage rate',
    'sqs:GetQueueAttributes rate',
  ],
  'deploy-queues': [
    'dynamodb:BatchGetItem queues',
    'dynamodb:DeleteItem queues',
    'dynamodb:GetItem queues',
    'dynamodb:UpdateItem queues',
    'dynamodb:Query queues/index/items',
  ],
  authorize: ['secretsmanager:GetSecretValue player key'],
  sockets: [
    'dynamodb:PutItem entries',
    'dynamodb:DeleteItem entries',
    'dynamodb:PutItem connections',
    'dynamodb:UpdateItem connections',
    'dynamodb:Query connections',
    'dynamodb:DeleteItem connections',
    'dynamodb:GetItem tickets',
    'dynamodb:BatchGetItem tickets',
    'dynamodb:UpdateItem tickets',
    'dynamodb:GetItem matches',
    'dynamodb:UpdateItem matches',
    'dynamodb:GetItem queues',
    'dynamodb:UpdateItem queues',
    'dynamodb:BatchGetItem ranges',
    'dynamodb:GetItem ranges',
    'dynamodb:UpdateItem ranges',
    'sqs:SendMessage tick',
    'sqs:SendMessage push',
    'dynamodb:DescribeStream connections/stream',
    'dynamodb:GetRecords connections/stream',
    'dynamodb:GetShardIterator connections/stream',
    'dynamodb:ListStreams connections/stream',
    'execute-api:ManageConnections /live/POST/@connections/*',
    'execute-api:ManageConnections /live/GET/@connections/*',
    'execute-api:ManageConnections /live/DELETE/@connections/*',
  ],
  push: [
    'dynamodb:GetItem queues',
    'dynamodb:GetItem tickets',
    'dynamodb:GetItem matches',
    'dynamodb:Query connections',
    'dynamodb:DeleteItem connections',
    'execute-api:ManageConnections /live/POST/@connections/*',
    'execute-api:ManageConnections /live/DELETE/@connections/*',
    'sqs:SendMessage push',
    'sqs:ChangeMessageVisibility push',
    'sqs:ReceiveMessage push',
    'sqs:DeleteMessage push',
    'sqs:GetQueueAttributes push',
    'sqs:SendMessage push dead letters',
    ...['tickets', 'matches'].flatMap((table) => [
      `dynamodb:DescribeStream ${table}/stream`,
      `dynamodb:GetRecords ${table}/stream`,
      `dynamodb:GetShardIterator ${table}/stream`,
      `dynamodb:ListStreams ${table}/stream`,
    ]),
  ],
};

/** The variables of the environments, in the terms of {@link allowed}: each is the same in every function that has it. */
const environment: Readonly<Record<string, string>> = {
  TICKETS_TABLE: 'tickets',
  ENTRIES_TABLE: 'entries',
  MATCHES_TABLE: 'matches',
  QUEUES_TABLE: 'queues',
  RANGES_TABLE: 'ranges',
  RATINGS_TABLE: 'ratings',
  RECEIVERS_TABLE: 'receivers',
  CONNECTIONS_TABLE: 'connections',
  EVENT_BUS_NAME: 'bus',
  TICK_QUEUE_URL: 'tick',
  DEADLINE_QUEUE_URL: 'deadline',
  NOTIFY_QUEUE_URL: 'notify',
  NOTIFY_SLOW_LANE_URL: 'notify slow lane',
  NOTIFY_DEAD_LETTERS_URL: 'notify dead letters',
  PROVISION_QUEUE_URL: 'provision',
  GAMELIFT_QUEUE_URL: 'provision-gamelift',
  PUSH_RETRIES_URL: 'push',
  RATE_QUEUE_URL: 'rate',
  DEAD_LETTER_URLS: DEAD_LETTERS.join(),
  SOCKETS_URL: 'socket api',
  PLAYER_KEYS: 'player key',
  PUSH: 'true',
  BUCKET_CAPACITY: '1',
  FAILED_SHARE: '0.25',
  SECRETS_PREFIX: 'muster/',
  SECRET_GRANTS: '{}',
  GAME_SESSION_QUEUES: '["arenas"]',
};

/** The tables by their keys. */
const TABLES: Readonly<Record<string, string>> = {
  ticketId: 'tickets',
  'pool,poolOrder': 'entries',
  matchId: 'matches',
  'queue,item': 'queues',
  item: 'ranges',
  receiver: 'receivers',
  'ticketId,connectionId': 'connections',
  'playerId,ladder': 'ratings',
};

/** Logical ids by the terms that the tables above use. */
const words = nameResources();

/** The type of each function's handler, or why the function does not start, and the variables that it has read. */
interface Start {
  readonly handler: string;
  readonly read: readonly string[];
  readonly compilesSchemas: boolean;
}
type Started = Readonly<Record<string, Start>>;
let started: Promise<Started> | undefined;

/** Loads the bundles one after another in one process, each with the environment of its function alone. */
async function startAll(): Promise<Started> {
  const bundles = Object.entries(functions).map(([name, { id, Properties }]) => ({
    name,
    url: pathToFileURL(join(assetPathOf(id), 'index.mjs')).href,
    environment: Object.fromEntries(
      Object.entries(Properties.Environment.Variables).map(([variable, value]) => [
        variable,
        typeof value === 'string' ? value : filled(value),
      ]),
    ),
  }));
  const script = `
    const started = {};
    for (const { name, url, environment } of ${JSON.stringify(bundles)}) {
      const read = new Set();
      const get = (variables, name) => { read.add(name); return variables[name]; };
      process.env = new Proxy({ AWS_REGION: 'eu-central-1', ...environment }, { get });
      const handler = await import(url).then((bundle) => typeof bundle.handler, String);
      started[name] = { handler, read: [...read], compilesSchemas: !globalThis.__zod_globalConfig.jitless };
    }
    console.log(JSON.stringify(started));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
  return JSON.parse(stdout);
}

describe.each(functionNames)('%s', (name) => {
  const fn = functions[name] as Resource;

  it('runs on Node 24 (arm64) with a log group that has the retention of the stage', () => {
    expect(fn.Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Environment: { Variables: { POWERTOOLS_METRICS_NAMESPACE: 'Muster' } },
    });
    const log = template.Resources[target(fn.Properties.LoggingConfig.LogGroup)]!;
    expect(log.Properties.RetentionInDays).toBe(7);
    expect(fn.Properties.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
    // A higher level would drop the metrics, which are lines without a level.
    expect(fn.Properties.LoggingConfig.ApplicationLogLevel ?? 'INFO').toBe('INFO');
  });

  it('has exactly the environment that it reads', async () => {
    const { POWERTOOLS_METRICS_NAMESPACE, POWERTOOLS_SERVICE_NAME, ...variables } =
      fn.Properties.Environment.Variables;
    for (const [variable, value] of Object.entries(variables)) {
      const word = (id: string) => words.get(id);
      const told = typeof value === 'string' ? value : targets(value).map(word).join();
      expect(told, variable).toBe(environment[variable]);
    }
    started ??= startAll();
    const read = (await started)[name]!.read.filter((one) => one in environment);
    expect(Object.keys(variables).sort()).toEqual([...new Set(read)].sort());
    const source = readFileSync(join(lambdasDir, `${name}.ts`), 'utf8');
    expect(source, 'only environment.ts reads process.env').not.toContain('process.env');
  });

  it('has exactly the permissions that it needs', () => {
    const rights = statementsOf(template, fn).flatMap((statement) => {
      expect(statement.Effect).toBe('Allow');
      return each(statement.Action).flatMap((action) =>
        each(statement.Resource).map((resource) => `${action} ${inWords(resource)}`),
      );
    });
    expect(rights.sort()).toEqual(
      [`logs:CreateLogStream ${name} log`, `logs:PutLogEvents ${name} log`, ...allowed[name]].sort(),
    );
  });

  it('is one file of code that starts with the environment of the template, exports a handler, and compiles schemas only if it reads thousands of tickets', async () => {
    const definitions = name === 'deploy-queues' ? ['definitions.json'] : [];
    expect(readdirSync(assetPathOf(fn.id)).sort()).toEqual([...definitions, 'index.mjs']);
    started ??= startAll();
    const { handler, compilesSchemas } = (await started)[name]!;
    expect({ handler, compilesSchemas }).toEqual({ handler: 'function', compilesSchemas: name === 'tick' });
  });
});

it('roles have only the permissions of their own policy', () => {
  for (const role of resourcesOf(template, 'AWS::IAM::Role')) {
    expect(role.Properties.ManagedPolicyArns ?? [], role.id).toEqual([]);
    expect(role.Properties.Policies ?? [], role.id).toEqual([]);
  }
});

it('tick and dry-run have a whole CPU for their search, and dispatch for the definitions of all queues', () => {
  const whole = functionNames.filter((name) => functions[name]!.Properties.MemorySize >= 1769);
  expect(whole).toEqual(['dry-run', 'dispatch', 'tick']);
});

it('loop detection is off only for functions that receive batches and send to their own queue', () => {
  const allowing = functionNames.filter((name) => functions[name]!.Properties.RecursiveLoop === 'Allow');
  const sending = functionNames.filter(
    (name) =>
      allowed[name].includes(`sqs:SendMessage ${name}`) &&
      allowed[name].includes(`sqs:ReceiveMessage ${name}`),
  );
  const batches = new Map(
    resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(({ Properties }) => [
      functionNamed(template, Properties.FunctionName),
      Properties.BatchSize,
    ]),
  );
  expect(sending).toEqual(['tick', 'notify', 'deadline', 'push']);
  // push sends what it has read from a stream, and what it reads from its own queue goes elsewhere.
  const again = sending.filter((name) => name !== 'push');
  expect(allowing).toEqual(again.filter((name) => batches.get(name) > 1));
});

it('tickets has little memory because it mostly waits', () => {
  expect(functions.tickets!.Properties.MemorySize).toBe(256);
});

it('no function has reserved concurrency, so an account with a limit of 10 can deploy', () => {
  for (const { Properties } of Object.values(functions)) {
    expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  }
});

function nameResources(): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, Properties } of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
    const keys: { readonly AttributeName: string }[] = Properties.KeySchema;
    names.set(id, TABLES[keys.map(({ AttributeName }) => AttributeName).join()]!);
  }
  for (const { Properties } of resourcesOf(template, 'AWS::Lambda::EventSourceMapping')) {
    const source = target(Properties.EventSourceArn);
    const consumer = template.Resources[target(Properties.FunctionName)]!;
    const service = consumer.Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME;
    const isSecond = [...names.values()].includes(service);
    if (!names.has(source)) names.set(source, isSecond ? `${service} slow lane` : service);
    // Those of the streams that push reads are those of its own queue.
    const deadLetters =
      (service !== 'push' && Properties.DestinationConfig?.OnFailure.Destination) ||
      template.Resources[source]!.Properties.RedrivePolicy?.deadLetterTargetArn;
    if (deadLetters && !names.has(target(deadLetters)))
      names.set(target(deadLetters), `${names.get(source)} dead letters`);
  }
  for (const { id } of resourcesOf(template, 'AWS::Events::EventBus')) names.set(id, 'bus');
  for (const { id } of resourcesOf(template, 'AWS::SecretsManager::Secret')) names.set(id, 'player key');
  for (const { id, Properties } of resourcesOf(template, 'AWS::ApiGatewayV2::Api'))
    if (Properties.ProtocolType === 'WEBSOCKET') names.set(id, 'socket api');
  for (const [name, fn] of Object.entries(functions)) {
    names.set(target(fn.Properties.LoggingConfig.LogGroup), `${name} log`);
  }
  return names;
}

type Joined = { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] };

/** The resources in a value that is a reference, or text with references. */
function targets(value: unknown): string[] {
  const { 'Fn::Join': join } = value as Joined;
  return join ? join[1].filter((part) => typeof part !== 'string').map(target) : [target(value)];
}

/** A value with a word instead of each reference. */
function filled(value: unknown): string {
  const { 'Fn::Join': join } = value as Joined;
  return join ? join[1].map((part) => (typeof part === 'string' ? part : 'some')).join(join[0]) : 'some';
}

/** A resource of a statement in the terms of {@link allowed}: `tickets/index/pool`, `secret:muster/*`. */
function inWords(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const {
    'Fn::Join': join,
    'Fn::GetAtt': getAtt,
    Ref: ref,
  } = resource as {
    'Fn::Join'?: [string, unknown[]];
    'Fn::GetAtt'?: [string, string];
    Ref?: string;
  };
  if (ref !== undefined) return words.get(ref) ?? ref;
  if (getAtt) return `${words.get(getAtt[0])}${getAtt[1] === 'StreamArn' ? '/stream' : ''}`;
  if (!join) throw new Error(`Expected a reference or a join, got ${JSON.stringify(resource)}.`);
  const [first, ...rest] = join[1];
  if (typeof first === 'string') return String(rest.at(-1)).replace(/^:(?=secret:|gamesessionqueue)/, '');
  return `${words.get(target(first))}${rest.join('')}`;
}

function each<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

describe('the time limits of the search', () => {
  const secondsOf = (name: (typeof functionNames)[number]) => functions[name]!.Properties.Timeout;

  it('of the stages of a tick end together before the lease, and the lease not before the function', () => {
    const stages = Object.values(TICK_STAGES);
    expect(stages).toEqual([...stages].sort((a, b) => a - b));
    expect(stages.at(-1)! + 1_000).toBeLessThan(LEASE_MS);
    expect(1_000 * secondsOf('tick')).toBeLessThanOrEqual(LEASE_MS);
  });

  it('of the rounds of dispatch end before its function', () => {
    expect(ROUNDS_MS + 5_000).toBeLessThan(1_000 * secondsOf('dispatch'));
  });
});
