import type { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { BundledCode, type FunctionName } from './bundle.ts';
import type { StagePolicy } from './stage-policy.ts';

export interface MusterFunctionProps {
  /** Which function: names its entry `lambdas/<name>.ts`, and its service in logs and metrics. */
  readonly name: FunctionName;
  readonly description: string;
  /** How long one invocation may take. */
  readonly timeout: Duration;
  /**
   * Memory in MB, and CPU in proportion to it: 1769 is one whole CPU.
   * @default 512
   */
  readonly memorySizeMb?: number;
  /**
   * How often Lambda repeats a failed asynchronous invocation, 0 to 2.
   * @default 2 (Lambda's own)
   */
  readonly retryAttempts?: number;
  /**
   * How old an asynchronous invocation may get while Lambda has no room for it, 1 minute to 6 hours.
   * @default 6 hours (Lambda's own)
   */
  readonly maxEventAge?: Duration;
  /**
   * How many invocations may run at once, taken out of what the other functions of the account may use.
   * @default - none is reserved
   */
  readonly reservedConcurrency?: number | undefined;
  /**
   * Whether it sends messages to the queue that invokes it, on purpose. Lambda takes a message that has passed through a
   * function 16 times for a loop and drops it, unless told otherwise.
   * @default false
   */
  readonly sendsToItself?: boolean;
  readonly stage: StagePolicy;
}

/**
 * A function of the service: its bundle on Node 24 (arm64), a log group of its own, and a role that may at first
 * do nothing but write to that log group. What it uses is given by what is used (`allow…`), which adds the right and
 * the environment variable together.
 */
export class MusterFunction extends LambdaFunction {
  readonly name: FunctionName;

  constructor(scope: Construct, id: string, props: MusterFunctionProps) {
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: props.stage.logRetention,
      removalPolicy: props.stage.removalPolicy,
    });
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(scope, id, {
      description: props.description,
      code: new BundledCode(props.name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: props.timeout,
      memorySize: props.memorySizeMb ?? 512,
      ...(props.retryAttempts === undefined ? {} : { retryAttempts: props.retryAttempts }),
      ...(props.maxEventAge === undefined ? {} : { maxEventAge: props.maxEventAge }),
      ...(props.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: props.reservedConcurrency }),
      ...(props.sendsToItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      role,
      logGroup,
      environment: {
        POWERTOOLS_SERVICE_NAME: props.name,
        POWERTOOLS_METRICS_NAMESPACE: 'Muster',
      },
    });
    this.name = props.name;
  }
}
