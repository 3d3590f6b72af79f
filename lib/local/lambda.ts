/**
 * The template's functions, each run from its own bundle in worker threads of its own, as Lambda would: with
 * the environment the template gives it and no other, one invocation at a time per worker, ended at its timeout.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FunctionStart, Invocation, Outcome } from './lambda-worker.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { ACCOUNT_ID, type Properties, REGION, type Resource } from './template.ts';

/** What a function answered. A function error is data: who invokes decides what it means. */
export type InvocationResult =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string };

export interface LambdaFunction {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** The name of its execution role. */
  readonly roleName: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Says in its calls to AWS who calls. */
  readonly accessKeyId: string;
  /** @param event what JSON can carry */
  invoke(event: unknown): Promise<InvocationResult>;
  stop(): Promise<void>;
}

export interface LambdaOptions {
  /** The directory or file of a function's code, by its logical id. */
  readonly assetPathOf: (logicalId: string) => string;
  /** Where the functions find DynamoDB, SQS, EventBridge and Secrets Manager. */
  readonly awsEndpoint: string;
  /** Called with each line that a function writes. */
  readonly log: (functionName: string, line: string) => void;
  /** Called when an invocation has ended. */
  readonly invoked?: ((invocation: InvocationReport) => void) | undefined;
}

/** What Lambda would bill an invocation by. */
export interface InvocationReport {
  /** The function's service name, such as `tick`. */
  readonly service: string;
  readonly durationMs: number;
  readonly memoryMb: number;
  readonly ok: boolean;
}

/** @param resources of the type AWS::Lambda::Function */
export function makeFunctions(resources: readonly Resource[], options: LambdaOptions): LambdaFunction[] {
  return resources.map((resource, index) => makeFunction(resource, index, options));
}

/** A worker thread takes some 20 MB: what waits for one of these waits its turn. */
const WORKERS_MAX = 20;
/** Starting takes much CPU and no waiting: more at a time would only delay each other. */
const STARTING_MAX = 2;
const IDLE_MS = 60_000;

interface Job {
  readonly event: string;
  readonly settle: (result: InvocationResult) => void;
  startedMs?: number;
}

interface Slot {
  readonly worker: Worker;
  state: 'starting' | 'idle' | 'busy';
  job?: Job;
  /** Ends the worker at its timeout, or when it has been idle for long. */
  timer?: NodeJS.Timeout;
}

function makeFunction(resource: Resource, index: number, options: LambdaOptions): LambdaFunction {
  const { properties, name, logicalId } = resource;
  const timeoutMs = Number(properties.Timeout ?? 3) * 1000;
  const memoryMb = Number(properties.MemorySize ?? 128);
  const workersMax = Math.min(Number(properties.ReservedConcurrentExecutions ?? WORKERS_MAX), WORKERS_MAX);
  const accessKeyId = `LOCALFUNCTION${String(index).padStart(3, '0')}`;
  const environment = {
    ...(properties.Environment as { Variables?: Record<string, string> } | undefined)?.Variables,
  };
  const service = environment.POWERTOOLS_SERVICE_NAME ?? name;
  const start: FunctionStart = {
    ...codeOf(resource, options.assetPathOf(logicalId)),
    name,
    arn: resource.arn,
    memoryMb,
    timeoutMs,
  };
  const workerEnvironment = {
    ...environment,
    ...runtimeEnvironment(start, accessKeyId, options.awsEndpoint),
  };

  const waiting: Job[] = [];
  const slots = new Set<Slot>();
  let stopped = false;

  /** Gives waiting jobs to idle workers, and starts workers for the rest, within the limits. */
  const assign = () => {
    for (const slot of slots) {
      if (waiting.length === 0) return;
      if (slot.state === 'idle') run(slot, waiting.shift()!);
    }
    let starting = [...slots].filter((slot) => slot.state === 'starting').length;
    while (starting < Math.min(waiting.length, STARTING_MAX) && slots.size < workersMax) {
      addWorker();
      starting++;
    }
  };

  const run = (slot: Slot, job: Job) => {
    clearTimeout(slot.timer);
    slot.state = 'busy';
    slot.job = job;
    job.startedMs = performance.now();
    const deadlineMs = Date.now() + timeoutMs;
    slot.timer = setTimeout(() => {
      end(slot, 'Sandbox.Timedout', `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`);
    }, timeoutMs);
    slot.worker.postMessage({
      event: job.event,
      requestId: randomUUID(),
      deadlineMs,
    } satisfies Invocation);
  };

  const addWorker = () => {
    const worker = new Worker(new URL('./lambda-worker.ts', import.meta.url), {
      env: workerEnvironment,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      stdout: true,
      stderr: true,
      workerData: start,
    });
    const slot: Slot = { worker, state: 'starting' };
    slots.add(slot);
    for (const stream of [worker.stdout, worker.stderr]) eachLine(stream, (line) => options.log(name, line));
    worker.on('message', (outcome: Outcome | 'ready') => {
      if (outcome !== 'ready') settle(slot, outcome);
      slot.state = 'idle';
      clearTimeout(slot.timer);
      slot.timer = setTimeout(() => reap(slot), IDLE_MS).unref();
      assign();
    });
    worker.on('error', (error: Error) => {
      options.log(name, error.stack ?? String(error));
      end(slot, error.name, error.message);
    });
    worker.on('exit', () =>
      end(slot, 'Runtime.ExitError', 'Error: Runtime exited without providing a reason'),
    );
  };

  /** Ends the worker; the job it had, or one that waits when it could not even start, fails with the error. */
  const end = (slot: Slot, errorType: string, errorMessage: string) => {
    if (!slots.delete(slot)) return;
    clearTimeout(slot.timer);
    void slot.worker.terminate();
    const failure: InvocationResult = { ok: false, errorType, errorMessage };
    if (slot.state === 'starting' && !stopped) waiting.shift()?.settle(failure);
    settle(slot, failure);
    if (!stopped) assign();
  };

  const settle = (slot: Slot, result: InvocationResult) => {
    if (slot.job !== undefined && !result.ok) {
      options.log(name, `${name} failed: ${result.errorType}: ${result.errorMessage}`);
    }
    if (slot.job?.startedMs !== undefined) {
      const durationMs = performance.now() - slot.job.startedMs;
      options.invoked?.({ service, durationMs, memoryMb, ok: result.ok });
    }
    slot.job?.settle(result);
    delete slot.job;
  };

  /** One worker stays for the next ticket. */
  const reap = (slot: Slot) => {
    if (slot.state !== 'idle' || slots.size === 1) return;
    slots.delete(slot);
    void slot.worker.terminate();
  };

  return {
    logicalId,
    name,
    arn: resource.arn,
    roleName: String(properties.Role).split('/').at(-1)!,
    environment,
    timeoutMs,
    accessKeyId,
    invoke(event) {
      if (stopped) return Promise.resolve(STOPPED);
      return new Promise((settle) => {
        waiting.push({ event: JSON.stringify(event), settle });
        assign();
      });
    },
    async stop() {
      stopped = true;
      for (const job of waiting.splice(0)) job.settle(STOPPED);
      const workers = [...slots];
      for (const slot of workers) {
        slots.delete(slot);
        clearTimeout(slot.timer);
        slot.job?.settle(STOPPED);
      }
      await Promise.all(workers.map(({ worker }) => worker.terminate()));
    },
  };
}

const STOPPED: InvocationResult = {
  ok: false,
  errorType: 'LocalCloud.Stopped',
  errorMessage: 'The local cloud is stopping.',
};

function codeOf(
  { logicalId, properties }: Resource,
  assetPath: string,
): Pick<FunctionStart, 'file' | 'exportName'> {
  const handler = String((properties as Properties).Handler);
  const dot = handler.lastIndexOf('.');
  const module = handler.slice(0, dot);
  const file = ['.mjs', '.js', '.cjs']
    .map((extension) => join(assetPath, module + extension))
    .find((path) => existsSync(path));
  if (dot < 1 || file === undefined) {
    throw new LocalCloudError(
      `${logicalId}: expected the code of the handler "${handler}" in ${assetPath}, found none.`,
    );
  }
  return { file, exportName: handler.slice(dot + 1) };
}

/** What Lambda sets, with the addresses of the local services beside it. */
function runtimeEnvironment(
  { name, memoryMb }: FunctionStart,
  accessKeyId: string,
  awsEndpoint: string,
): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ACCOUNT_ID: ACCOUNT_ID,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ENDPOINT_URL_DYNAMODB: awsEndpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: awsEndpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: awsEndpoint,
    AWS_ENDPOINT_URL_SQS: awsEndpoint,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    MUSTER_LOCAL: '1',
  };
}

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') take(line);
  });
}
