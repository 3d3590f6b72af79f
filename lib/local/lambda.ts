/**
 * The template's functions. Each runs from its own bundle in its own worker threads, as on Lambda: with only the
 * environment that the template gives it, one invocation at a time per worker, and a timeout.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AwsDelays } from './aws-delays.ts';
import type { FunctionStart, InvocationResult } from './lambda-worker.ts';
import { ACCOUNT_ID, REGION } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import type { Resource } from './template.ts';
import { makeWorkerPool } from './worker-pool.ts';

export interface LambdaFunction {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** The name of its execution role. */
  readonly roleName: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Identifies the function in its calls to AWS. */
  readonly accessKeyId: string;
  /** @param event a JSON value */
  invoke(event: unknown): Promise<InvocationResult>;
  stop(): Promise<void>;
}

export interface LambdaOptions {
  /** The directory or file of a function's code, by its logical id. */
  readonly assetPathOf: (logicalId: string) => string;
  /** The endpoint of DynamoDB, SQS, EventBridge and Secrets Manager for functions. */
  readonly awsEndpoint: string;
  /** The delays of invocations and starts, added to the function's own time. */
  readonly delays: AwsDelays;
  /** Called with each line that a function writes. */
  readonly log: (functionName: string, line: string) => void;
  /** Called when a function fails. */
  readonly failed: (functionName: string, problem: string) => void;
  /** Called when an invocation ends. */
  readonly invoked?: ((invocation: InvocationReport) => void) | undefined;
}

/** The figures by which Lambda would bill an invocation. */
export interface InvocationReport {
  /** The function's name. */
  readonly name: string;
  /** The function's service name, such as `tick`. */
  readonly service: string;
  readonly durationMs: number;
  /** The CPU time of the invocation; 0 if it ended its worker. */
  readonly cpuMs: number;
  readonly memoryMb: number;
  readonly ok: boolean;
}

/**
 * Functions whose requests compute for seconds. On AWS each has its own processor; on this machine they run with a lower priority.
 */
const BACKGROUND = ['dry-run'];

/** @param resources of the type AWS::Lambda::Function */
export function makeFunctions(resources: readonly Resource[], options: LambdaOptions): LambdaFunction[] {
  return resources.map((resource, index) => makeFunction(resource, index, options));
}

function makeFunction(resource: Resource, index: number, options: LambdaOptions): LambdaFunction {
  const { properties, name, logicalId, arn } = resource;
  const timeoutMs = Number(properties.Timeout ?? 3) * 1000;
  const memoryMb = Number(properties.MemorySize ?? 128);
  const accessKeyId = `LOCALFUNCTION${String(index).padStart(3, '0')}`;
  const environment = {
    ...(properties.Environment as { Variables?: Record<string, string> } | undefined)?.Variables,
  };
  const service = environment.POWERTOOLS_SERVICE_NAME ?? name;
  const code = codeOf(resource, options.assetPathOf(logicalId));
  const workers = makeWorkerPool({
    start: { ...code, name, arn, memoryMb, isBackground: BACKGROUND.includes(service) },
    environment: { ...environment, ...runtimeEnvironment(name, memoryMb, accessKeyId, options.awsEndpoint) },
    timeoutMs,
    reservedConcurrency: properties.ReservedConcurrentExecutions as number | undefined,
    delays: options.delays,
    log: (line) => options.log(name, line),
    ended: (result, durationMs, cpuMs) => {
      if (!result.ok) options.failed(name, `${result.errorType}: ${result.errorMessage}`);
      options.invoked?.({ name, service, durationMs, cpuMs, memoryMb, ok: result.ok });
    },
  });
  return {
    logicalId,
    name,
    arn,
    roleName: String(properties.Role).split('/').at(-1)!,
    environment,
    timeoutMs,
    accessKeyId,
    invoke: (event) => workers.run(JSON.stringify(event)),
    stop: () => workers.stop(),
  };
}

function codeOf(
  { logicalId, properties }: Resource,
  assetPath: string,
): Pick<FunctionStart, 'file' | 'exportName'> {
  const handler = String(properties.Handler);
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

/** The variables that Lambda sets, and the endpoint of the local services. */
function runtimeEnvironment(
  name: string,
  memoryMb: number,
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
