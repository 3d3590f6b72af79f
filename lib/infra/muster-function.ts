import { type CommonGrantOptions, Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  type FunctionProps,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { BundledModule } from '../rules/custom/bundle.ts';
import { BundledCode, type FunctionName } from './bundle.ts';
import type { StagePolicy } from './stage-policy.ts';

export interface MusterFunctionProps extends Pick<FunctionProps, 'retryAttempts' | 'maxEventAge'> {
  /** The name of its entry `lambdas/<name>.ts`, and of its service in logs and metrics. */
  readonly name: FunctionName;
  readonly description: string;
  /** Texts of files beside its bundle. @default none */
  readonly files?: Readonly<Record<string, string>>;
  /** The studio's code, for a function that searches. @default none */
  readonly code?: BundledModule | undefined;
  /** How long one invocation may take. @default 10 s */
  readonly timeout?: Duration;
  /**
   * Memory in MB, with CPU in proportion: 1769 is one whole CPU.
   * @default 512
   */
  readonly memorySizeMb?: number;
  /**
   * The reserved concurrency, which other functions of the account cannot use. It is also the maximum.
   * @default - nothing is reserved
   */
  readonly reservedConcurrency?: number | undefined;
  /**
   * Whether the function sends messages to its own queue on purpose. By default Lambda treats a message that has passed
   * through a function 16 times as a loop and drops it.
   * @default false
   */
  readonly sendsToItself?: boolean;
  readonly stage: StagePolicy;
}

/**
 * A function of the service: its bundle on Node 24 (arm64), its own log group, and a role that may only write to that
 * log group. The `allow…` methods of other constructs add a permission together with its environment variable.
 */
export class MusterFunction extends LambdaFunction {
  readonly name: FunctionName;

  constructor(scope: Construct, id: string, props: MusterFunctionProps) {
    const { retryAttempts, maxEventAge, reservedConcurrency } = props;
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: props.stage.logRetention,
      removalPolicy: props.stage.removalPolicy,
    });
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(scope, id, {
      description: props.description,
      code: new BundledCode(props.name, props.code ? { 'code.cjs': props.code.text } : props.files),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: props.timeout ?? Duration.seconds(10),
      memorySize: props.memorySizeMb ?? 512,
      ...(retryAttempts !== undefined && { retryAttempts }),
      ...(maxEventAge !== undefined && { maxEventAge }),
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      ...(props.sendsToItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      role,
      logGroup,
      // Lambda filters its own lines only in JSON. The functions write JSON anyway.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: props.stage.invocationLog ? SystemLogLevel.INFO : SystemLogLevel.WARN,
      environment: {
        POWERTOOLS_SERVICE_NAME: props.name,
        POWERTOOLS_METRICS_NAMESPACE: 'Muster',
      },
    });
    this.name = props.name;
    this.node.addValidation({ validate: () => environmentProblems(this) });
  }

  /** Permits it actions of a service of AWS on resources. */
  permit(
    service: string,
    actions: readonly string[],
    resourceArns: readonly string[],
    conditions?: CommonGrantOptions['conditions'],
  ): void {
    Grant.addToPrincipal({
      grantee: this,
      actions: actions.map((action) => `${service}:${action}`),
      resourceArns: [...resourceArns],
      ...(conditions && { conditions }),
    });
  }
}

/** Lambda's limit on the size of all variables of a function, as JSON. */
const ENVIRONMENT_BYTES_MAX = 4_096;
/** The maximum length of a resolved reference: the URL of a queue, whose name has at most 80 letters. */
const REFERENCE_BYTES = 140;

/** Why Lambda would reject the environment of the function. */
function environmentProblems(fn: MusterFunction): string[] {
  const { environment } = fn.node.defaultChild as CfnFunction;
  const { variables = {} } = Stack.of(fn).resolve(environment);
  const sizes = Object.entries(variables).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(JSON.stringify({ [name]: deployed(value) })),
  }));
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= ENVIRONMENT_BYTES_MAX) return [];
  const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 3);
  const most = largest.map((one) => `${one.name} ${one.bytes}`).join(', ');
  return [
    `Expected the environment of the function ${fn.name} to have at most ${ENVIRONMENT_BYTES_MAX} bytes, the most that Lambda takes, got ${bytes} (${most}). Shorten the options \`secretGrants\` and \`gameSessionQueues\`: name secrets QUEUE/… or shared/…, which need no grant, and GameLift queues by name instead of ARN.`,
  ];
}

/** A text with the maximum length of the deployed value. References have a different length in the template. */
function deployed(value: unknown): string {
  if (typeof value === 'string') return value;
  const [separator, parts] = (value as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'] ?? [];
  return parts?.map(deployed).join(separator) ?? '-'.repeat(REFERENCE_BYTES);
}
