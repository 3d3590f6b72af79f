/**
 * The local cloud runs on this machine what `cdk deploy` would create from a template. This file only composes; each
 * part is a file in this folder.
 */
import { join } from 'node:path';
import { tablesOf } from './access.ts';
import type { TokenVerifier } from './authorizers.ts';
import { awsDelays, NO_DELAYS } from './aws-delays.ts';
import { type Caller, type Interceptor, listenForAws } from './aws-endpoint.ts';
import type { AwsService } from './aws-json.ts';
import { deployCustomResources } from './custom-resources.ts';
import { startDynamoDB } from './dynamodb.ts';
import { DYNAMODB_TARGET, type Emulator, STREAMS_TARGET } from './dynamodb-emulator.ts';
import { type BusListener, EVENTS_TARGET, makeEventBus } from './event-bus.ts';
import { type EventSources, startEventSources } from './event-sources.ts';
import { startExpiry } from './expiry.ts';
import { type InvocationReport, type LambdaFunction, makeFunctions } from './lambda.ts';
import { REGION } from './local-account.ts';
import { type Place, takePlace } from './place.ts';
import { roleStatements, type Statement } from './policy.ts';
import { makeRoutes } from './routes.ts';
import { makeSchedules, type Schedules } from './schedules.ts';
import { generatedSecrets, readSecrets, SECRETS_TARGET, secretsService } from './secrets.ts';
import {
  type CommandInterceptor,
  makeSocketApi,
  type SocketApiLimits,
  type SocketUsage,
} from './socket-api.ts';
import { socketRoutes } from './socket-routes.ts';
import { type QueueContents, SQS_TARGET, startSqs } from './sqs.ts';
import { openStreamPositions } from './stream-positions.ts';
import { readStack, type Stack, type Template } from './template.ts';

export interface LocalCloudOptions {
  /** The synthesized CloudFormation template. */
  readonly template: Template;
  /** The directory of a function's bundle, by the function's logical id. */
  readonly assetPathOf: (logicalId: string) => string;
  /** The port of the HTTP API on 127.0.0.1; 0 for any free port. */
  readonly port: number;
  /** Where tables, queues and stream positions are stored. When omitted, they are deleted at the end. */
  readonly dataDir?: string | undefined;
  /** A port and a data directory that are already held. @default both are taken at the start */
  readonly place?: Place | undefined;
  /**
   * Checks the tokens of requests to routes with a JWT authorizer.
   * @default - every request is admitted with all scopes of its route
   */
  readonly verifyToken?: TokenVerifier | undefined;
  /** A JSON file with the name of each secret, without `muster/`, and its value. */
  readonly secretsFile?: string | undefined;
  /** @default the first that can run on this machine: dynoxide, then dynamodb-local */
  readonly emulator?: Emulator | undefined;
  /** Whether schedules start functions at their rates. @default true */
  readonly schedules?: boolean | undefined;
  /** Whether each step takes as long as on AWS; see `aws-delays.ts`. @default false: no delays */
  readonly awsDelays?: boolean | undefined;
  /** The limits of the WebSocket API. @default those of API Gateway */
  readonly socketLimits?: SocketApiLimits | undefined;
  /** Observes or changes calls from functions to AWS's services, to measure them or to inject faults. */
  readonly intercept?: Interceptor | undefined;
  /** Intercepts commands of functions to sockets, to inject faults. */
  readonly interceptCommand?: CommandInterceptor | undefined;
  /** Called when an invocation of a function ends. */
  readonly onInvocation?: ((invocation: InvocationReport) => void) | undefined;
  /** Called with each log line, as it is written. */
  readonly log?: ((line: LogLine) => void) | undefined;
}

export interface LogLine {
  /** A function's name in the template, or 'local cloud' for lines of the local cloud itself. */
  readonly source: string;
  readonly line: string;
}

export interface LocalCloud {
  /** The URL of the HTTP API, without a trailing slash. */
  readonly url: string;
  /** The DynamoDB emulator that runs. */
  readonly emulator: Emulator;
  /** Configures AWS SDK clients of DynamoDB, SQS, EventBridge and Secrets Manager, with permission for every call. */
  readonly awsConfig: AwsConfig;
  /** The template's resources with their local names. */
  readonly stack: Stack;
  /** The usage of the WebSocket API that AWS would bill; zero without push. */
  socketUsage(): SocketUsage;
  /**
   * Finds a function by its service name (`tick`), its local name or its logical id. Its `environment` has the names of
   * tables and the URLs of queues.
   */
  function(name: string): LambdaFunction;
  /** The messages of a queue, by its local name. */
  inspectQueue(name: string): QueueContents;
  /** Calls the listener with every event put on a bus. The returned function removes the listener. */
  tapBus(listener: BusListener): () => void;
  readonly schedules: Schedules;
  /** Deletes expired items. This also runs every ten minutes. */
  expireItems(): Promise<void>;
  /** Values by name, without `muster/`; may be changed at any time. */
  readonly secrets: Map<string, string>;
  /** The last 1000 log lines. */
  readonly logs: readonly LogLine[];
  /** Stops all parts. Settles when all have ended. */
  stop(): Promise<void>;
}

export interface AwsConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * Starts everything in the template. Several local clouds may run in one process.
 *
 * @throws LocalCloudError when the port is in use, when no DynamoDB emulator can run on this machine, or when the
 * template is invalid or has a part without local counterpart
 */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const ends = new Ends();
  try {
    return await start(options, ends);
  } catch (error) {
    await ends.run();
    throw error;
  }
}

async function start(options: LocalCloudOptions, ends: Ends): Promise<LocalCloud> {
  const { dataDir } = options;
  const { logs, log } = makeLog(options.log);
  const say = (line: string) => log('local cloud', line);
  const delays = options.awsDelays ? awsDelays() : NO_DELAYS;
  const { api } = ends.with(options.place ?? (await takePlace(options.port, dataDir)));
  const secrets =
    options.secretsFile === undefined ? new Map<string, string>() : await readSecrets(options.secretsFile);

  const aws = ends.with(await listenForAws());
  const stack = readStack(options.template, { awsEndpoint: aws.url, apiUrl: api.url });
  const statements = roleStatements(stack);
  const tables = stack.resources('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table');

  const generated = generatedSecrets(stack, inDir(dataDir, 'generated-secrets.json'));
  const functions = makeFunctions(stack.resources('AWS::Lambda::Function'), {
    assetPathOf: options.assetPathOf,
    awsEndpoint: aws.url,
    delays,
    log,
    failed: (name, problem) => say(`${name} failed: ${problem}`),
    invoked: options.onInvocation,
  });
  const routes = makeRoutes(stack, functions, options.verifyToken);
  const schedules = ends.with(makeSchedules(stack, functions));

  const positions = openStreamPositions(inDir(dataDir, 'stream-positions.json'));
  ends.add(() => positions.close());
  const sqs = ends.with(await startSqs(stack.resources('AWS::SQS::Queue'), { dataDir }));
  const dynamodb = ends.with(await startDynamoDB(tables, { dataDir, emulator: options.emulator }));
  const bus = ends.with(makeEventBus({ stack, sqs: sqs.service, delays, log: say }));
  ends.add(async () => {
    await Promise.all(functions.map((fn) => fn.stop()));
  });
  const readers = { stack, functions, roleStatements: statements, sqs, dynamodb, positions, delays };
  const eventSources = startEventSources({ ...readers, log: say });
  ends.add(() => settledWithin(STOP_GRACE_MS, eventSources.stop()));

  const dynamodbService = wakingReaders(dynamodb.service, eventSources);
  const services = {
    [DYNAMODB_TARGET]: dynamodbService,
    [EVENTS_TARGET]: bus.service,
    [SECRETS_TARGET]: secretsService(secrets, generated),
    [SQS_TARGET]: sqs.service,
    [STREAMS_TARGET]: dynamodb.service,
  };
  const { intercept, interceptCommand } = options;
  const callers = callersOf(functions, statements);
  aws.open({ services, callers, intercept, delays, log: say });
  await deployCustomResources(stack, functions, inDir(dataDir, 'custom-resources.json'));

  const expiry = ends.with(startExpiry({ tables, dynamodb: dynamodbService, log: say }));
  if (options.schedules !== false) {
    schedules.resume();
    void schedules.run();
  }
  // Messages in flight have to arrive before their receiver stops.
  ends.with(delays);
  const watched = socketRoutes(stack, functions);
  const reached = { callers, delays, log: say, limits: options.socketLimits, interceptCommand };
  const sockets = watched && ends.with(makeSocketApi({ routes: watched, ...reached }));
  api.open({ routes, sockets, delays, log: say });

  return {
    url: api.url,
    emulator: dynamodb.emulator,
    awsConfig: {
      endpoint: aws.url,
      region: REGION,
      credentials: { accessKeyId: 'LOCALADMIN', secretAccessKey: 'local' },
    },
    stack,
    socketUsage: () => sockets?.usage ?? { messages: 0, connectedMs: 0 },
    function: (name) => functionNamed(functions, name),
    inspectQueue: sqs.inspect,
    tapBus: bus.tap,
    schedules,
    expireItems: expiry.run,
    secrets,
    logs,
    stop: () => ends.run(),
  };
}

/** The functions as callers of AWS, by their access keys. */
function callersOf(
  functions: readonly LambdaFunction[],
  statements: ReadonlyMap<string, readonly Statement[]>,
): Map<string, Caller> {
  return new Map(
    functions.map(({ accessKeyId, name, roleName }) => [
      accessKeyId,
      { name, roleName, statements: statements.get(roleName) ?? [] },
    ]),
  );
}

function functionNamed(functions: readonly LambdaFunction[], name: string): LambdaFunction {
  const found = functions.find((fn) =>
    [fn.name, fn.logicalId, fn.environment.POWERTOOLS_SERVICE_NAME].includes(name),
  );
  if (found === undefined) throw new Error(`Expected the name of a function, got ${name}.`);
  return found;
}

/** How long running invocations may take to end. */
const STOP_GRACE_MS = 3_000;
const LOG_LINES_MAX = 1_000;

/** The parts to stop, in the reverse order of their start. */
class Ends {
  private readonly steps: (() => unknown)[] = [];
  private running: Promise<void> | undefined;

  add(step: () => unknown): void {
    this.steps.push(step);
  }

  with<Part extends { stop(): unknown }>(part: Part): Part {
    this.add(() => part.stop());
    return part;
  }

  /** Runs every step even if another one fails. A second call waits for the first. */
  run(): Promise<void> {
    this.running ??= this.runOnce();
    return this.running;
  }

  private async runOnce(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'The local cloud did not stop cleanly.');
  }
}

function makeLog(listener: LocalCloudOptions['log']) {
  const logs: LogLine[] = [];
  return {
    logs,
    log(source: string, line: string) {
      logs.push({ source, line });
      if (logs.length > LOG_LINES_MAX) logs.shift();
      listener?.({ source, line });
    },
  };
}

const WRITES = new Set(['BatchWriteItem', 'DeleteItem', 'PutItem', 'TransactWriteItems', 'UpdateItem']);

/** Wraps the service so that each write wakes the readers of the table's stream. */
function wakingReaders(service: AwsService, eventSources: EventSources): AwsService {
  return async (call) => {
    const reply = await service(call);
    if (reply.status < 300 && WRITES.has(call.operation)) {
      for (const { table } of tablesOf(call.operation, call.input)) eventSources.tableWritten(table);
    }
    return reply;
  };
}

async function settledWithin(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}

function inDir(dir: string | undefined, file: string): string | undefined {
  return dir === undefined ? undefined : join(dir, file);
}
