/** EventBridge's scheduled rules. Each invokes its function immediately, and then at its rate or every minute by cron. */
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
 * @throws LocalCloudError when a schedule is neither a rate nor the cron of every minute, when its target is not a
 * function of the template, or when the function does not let EventBridge invoke it
 */
export function makeSchedules(stack: Stack, functions: readonly LambdaFunction[]): Schedules {
  const schedules = stack
    .resources('AWS::Events::Rule')
    .filter(
      ({ properties }) => properties.ScheduleExpression !== undefined && properties.State !== 'DISABLED',
    )
    .map((rule) => ({
      rule,
      everyMs: rateMs(rule),
      targets: targetsOf(rule, stack, functions),
    }));
  let timers: NodeJS.Timeout[] = [];

  const invoke = async ({ rule, targets }: (typeof schedules)[number]) => {
    await Promise.all(targets.map((target) => target.invoke(scheduledEvent(rule))));
  };
  const pause = () => {
    for (const timer of timers) clearInterval(timer);
    timers = [];
  };

  return {
    async run() {
      await Promise.all(schedules.map(invoke));
    },
    pause,
    resume() {
      pause();
      timers = schedules.map((schedule) => setInterval(() => void invoke(schedule), schedule.everyMs));
    },
    stop: pause,
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function rateMs({ logicalId, properties }: Resource): number {
  // AWS guarantees no second within the minute, so a rate is equivalent.
  if (properties.ScheduleExpression === 'cron(* * * * ? *)') return UNIT_MS.minute!;
  const [, count, unit] =
    /^rate\((\d+) (minute|hour|day)s?\)$/.exec(String(properties.ScheduleExpression)) ?? [];
  if (count === undefined || unit === undefined) {
    throw new LocalCloudError(
      `The rule ${logicalId} has the schedule ${properties.ScheduleExpression}: only rates, and the cron of every minute, have a local counterpart.`,
    );
  }
  return Number(count) * UNIT_MS[unit]!;
}

function targetsOf(rule: Resource, stack: Stack, functions: readonly LambdaFunction[]): LambdaFunction[] {
  const targets = (rule.properties.Targets ?? []) as readonly { Arn: string; Input?: string }[];
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
