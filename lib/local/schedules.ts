/** EventBridge's scheduled rules. Each invokes its function every minute. */
import { randomUUID } from 'node:crypto';
import type { LambdaFunction } from './lambda.ts';
import { ACCOUNT_ID, REGION } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import type { Resource, Stack } from './template.ts';

export interface Schedules {
  /** Invokes the functions of all schedules now. Settles when they have returned. */
  run(): Promise<void>;
  /** Starts no invocation until `resume`. */
  pause(): void;
  resume(): void;
  stop(): void;
}

/**
 * @throws LocalCloudError when a schedule is not the cron of every minute, when its target is not a function of the
 * template, or when the function does not let EventBridge invoke it
 */
export function makeSchedules(stack: Stack, functions: readonly LambdaFunction[]): Schedules {
  const schedules = stack
    .resources('AWS::Events::Rule')
    .filter(
      ({ properties }) => properties.ScheduleExpression !== undefined && properties.State !== 'DISABLED',
    )
    .map((rule) => ({ rule, targets: targetsOf(rule, stack, functions) }));
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    const invocations = schedules.flatMap(({ rule, targets }) =>
      targets.map((target) => target.invoke(scheduledEvent(rule))),
    );
    await Promise.all(invocations);
  };
  const pause = () => clearInterval(timer);
  return {
    run,
    pause,
    resume() {
      pause();
      timer = setInterval(() => void run(), EVERY_MS);
    },
    stop: pause,
  };
}

/** AWS guarantees no second within the minute. */
const EVERY_MS = 60_000;

function targetsOf(rule: Resource, stack: Stack, functions: readonly LambdaFunction[]): LambdaFunction[] {
  const { ScheduleExpression, Targets = [] } = rule.properties;
  if (ScheduleExpression !== 'cron(* * * * ? *)')
    throw new LocalCloudError(
      `The rule ${rule.logicalId} has the schedule ${ScheduleExpression}: only the cron of every minute has a local counterpart.`,
    );
  const targets = Targets as readonly { Arn: string; Input?: string }[];
  return targets.map(({ Arn, Input }) => {
    const target = functions.find(({ arn }) => arn === Arn);
    if (target === undefined || Input !== undefined) {
      throw new LocalCloudError(`The rule ${rule.logicalId} needs a function as its target, without input.`);
    }
    const permitted = stack
      .resources('AWS::Lambda::Permission')
      .some(
        ({ properties: { Action, Principal, FunctionName, SourceArn } }) =>
          Action === 'lambda:InvokeFunction' &&
          Principal === 'events.amazonaws.com' &&
          (FunctionName === target.arn || FunctionName === target.name) &&
          (SourceArn === undefined || SourceArn === rule.arn),
      );
    if (!permitted) {
      throw new LocalCloudError(
        `No AWS::Lambda::Permission of ${target.logicalId} lets the rule ${rule.logicalId} invoke it.`,
      );
    }
    return target;
  });
}

function scheduledEvent(rule: Resource) {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT_ID,
    time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    region: REGION,
    resources: [rule.arn],
    detail: {},
  };
}
