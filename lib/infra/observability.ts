import { Duration } from 'aws-cdk-lib';
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MusterFunction } from './muster-function.ts';
import type { StoreTable } from './store.ts';

export interface ObservabilityProps {
  readonly stage: HttpStage;
  readonly functions: readonly MusterFunction[];
  /** Sends the ticks; nothing matches while it fails. */
  readonly dispatch: MusterFunction;
  /** Searches; what it fails to do is seldom tried again. */
  readonly tick: MusterFunction;
  /** Reads the streams; what it fails to do holds up what comes after. */
  readonly publish: MusterFunction;
  /** Takes the tickets: while it fails nobody can ask for a match. */
  readonly enqueue: MusterFunction;
  /** The tables, by what they hold. */
  readonly tables: Readonly<Record<string, StoreTable>>;
  /** The queues whose messages must not wait, by their consumer, each with the age that is too old. */
  readonly queues: Readonly<Record<string, { readonly queue: Queue; readonly ageMax: Duration }>>;
  /** The dead letters of each consumer, by its name. */
  readonly deadLetters: Readonly<Record<string, Queue>>;
  /**
   * Is told when an alarm goes off, and when it is over.
   * @default - alarms are only shown
   */
  readonly alarmTopic?: ITopic | undefined;
}

/** The dashboard, and an alarm for everything that needs somebody to look at it. */
export class Observability extends Construct {
  readonly dashboard: Dashboard;
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    this.alarms = [
      ...Object.entries(props.deadLetters).map(([consumer, queue]) => deadLetterAlarm(this, consumer, queue)),
      dispatchFailsAlarm(this, props.dispatch),
      dispatchRestsAlarm(this, props.dispatch),
      tickFailsAlarm(this, props.tick),
      publishLateAlarm(this, props.publish),
      throttledAlarm(this, 'Tick', props.tick),
      throttledAlarm(this, 'Publish', props.publish),
      apiFailsAlarm(this, props.stage),
      enqueueFailsAlarm(this, props.enqueue),
      throttledAlarm(this, 'Enqueue', props.enqueue),
      ...Object.entries(props.tables).map(([name, table]) => tableThrottledAlarm(this, name, table)),
      ...Object.entries(props.queues).map(([name, { queue, ageMax }]) =>
        lateAlarm(this, name, queue, ageMax),
      ),
    ];
    if (props.alarmTopic) {
      const action = new SnsAction(props.alarmTopic);
      for (const alarm of this.alarms) {
        alarm.addAlarmAction(action);
        alarm.addOkAction(action);
      }
    }
    this.dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) });
    this.dashboard.addWidgets(
      // Each tick counts its own range only, and how many ticks a minute has is the queue's to say: no statistic is the sum.
      graph('Waiting tickets, in the fullest range of skill', perQueue('Waiting', 'Maximum')),
      graph('Matches a minute', perQueue('Matches', 'Sum')),
      graph('Tickets timed out a minute', perQueue('TimedOut', 'Sum')),
    );
    this.dashboard.addWidgets(
      graph('Wait of matched tickets, p50 (ms)', perQueue('TicketWait', 'p50')),
      graph('Wait of matched tickets, p99 (ms)', perQueue('TicketWait', 'p99')),
      graph('Imbalance of matches, mean', perQueue('Imbalance', 'Average')),
    );
    this.dashboard.addWidgets(
      graph('Duration of a tick, p50 and p99 (ms)', ...perQueueP50P99('TickDuration')),
      graph('Age of a tick when it begins, p50 and p99 (ms)', ...perQueueP50P99('TickAge')),
      graph('Matches lost to a ticket taken meanwhile, a minute', perQueue('LostRaces', 'Sum')),
    );
    this.dashboard.addWidgets(
      graph(
        'Requests a minute',
        props.stage.metricCount({ period: minute }),
        props.stage.metricClientError({ period: minute }),
        props.stage.metricServerError({ period: minute }),
      ),
      graph(
        'Latency of requests, p50 and p99 (ms)',
        props.stage.metricLatency({ period: minute, statistic: 'p50', label: 'p50' }),
        props.stage.metricLatency({ period: minute, statistic: 'p99', label: 'p99' }),
      ),
      graph('Dead letters', ...Object.values(props.deadLetters).map(depth)),
    );
    this.dashboard.addWidgets(
      graph(
        'Failed invocations a minute',
        ...props.functions.map((fn) => fn.metricErrors({ period: minute, label: fn.name })),
      ),
      graph(
        'Throttled invocations a minute',
        ...props.functions.map((fn) => fn.metricThrottles({ period: minute, label: fn.name })),
      ),
    );
  }
}

const minute = Duration.minutes(1);

function deadLetterAlarm(scope: Construct, consumer: string, queue: Queue): Alarm {
  return alarm(scope, `${consumer}DeadLetters`, {
    alarmDescription: `${consumer} has given up on at least one message. See its log, then redrive or purge the queue ${queue.queueName}.`,
    metric: depth(queue),
    evaluationPeriods: 1,
  });
}

/** `dispatch` has no queue, and so no dead letters: three minutes in a row without ticks are its alarm. */
function dispatchFailsAlarm(scope: Construct, dispatch: MusterFunction): Alarm {
  return alarm(scope, 'DispatchFails', {
    alarmDescription: 'dispatch has failed three minutes in a row: no queue gets ticks. See its log.',
    metric: dispatch.metricErrors({ period: minute }),
    evaluationPeriods: 3,
  });
}

/** An invocation that never begins is no error. AWS may begin two within one minute and none in the next. */
function dispatchRestsAlarm(scope: Construct, dispatch: MusterFunction): Alarm {
  return alarm(scope, 'DispatchRests', {
    alarmDescription:
      'dispatch has not run for three minutes: no queue gets ticks. See whether its schedule is enabled and the account has Lambda concurrency left.',
    metric: dispatch.metricInvocations({ period: minute }),
    evaluationPeriods: 3,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
  });
}

/** A tick that failed comes again too late to search, so that its dead letters stay empty. One may fail; one a minute may not. */
function tickFailsAlarm(scope: Construct, tick: MusterFunction): Alarm {
  return alarm(scope, 'TickFails', {
    alarmDescription:
      'tick has failed in three of five minutes: at least one queue, or a range of it, gets no matches. See its log.',
    metric: tick.metricErrors({ period: minute }),
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  });
}

/**
 * Whatever keeps events back shows in their age: an error, a bus that refuses them (which is a partial failure and no
 * error), too little concurrency. The dead letters would tell of it only after the last of many tries.
 */
function publishLateAlarm(scope: Construct, publish: MusterFunction): Alarm {
  return alarm(scope, 'PublishLate', {
    alarmDescription:
      'publish was given a change of a ticket or match more than a minute after it was written: webhooks and assignments are late. See its log.',
    metric: publish.metric('IteratorAge', { period: Duration.minutes(5), statistic: 'Maximum' }),
    threshold: minute.toMilliseconds(),
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  });
}

/** A burst may be refused now and then, and is tried again; one a minute says that there is too little for the load. */
function throttledAlarm(scope: Construct, id: string, fn: MusterFunction): Alarm {
  return alarm(scope, `${id}Throttled`, {
    alarmDescription: `${fn.name} was refused Lambda concurrency in three of five minutes. Raise what is reserved for it or the account's limit, or cap what uses it up (pollConcurrency).`,
    metric: fn.metricThrottles({ period: minute }),
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  });
}

/** One in a hundred, and not of a handful: a single error at night is no reason to wake anybody. */
function apiFailsAlarm(scope: Construct, stage: HttpStage): Alarm {
  return alarm(scope, 'ApiFails', {
    alarmDescription:
      'More than 1% of the requests, and at least 5, got an error of the service (5xx) in three of five minutes. See the API’s access log for the routes, then the logs of their functions.',
    metric: new MathExpression({
      expression: 'IF(failed >= 5, 100 * failed / requests, 0)',
      usingMetrics: {
        failed: stage.metricServerError({ period: minute, statistic: 'Sum' }),
        requests: stage.metricCount({ period: minute, statistic: 'Sum' }),
      },
      label: 'Failed requests (%)',
      period: minute,
    }),
    threshold: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  });
}

/** What the function answers with is no error of it: this is a crash, or an invocation that ran out of time. */
function enqueueFailsAlarm(scope: Construct, enqueue: MusterFunction): Alarm {
  return alarm(scope, 'EnqueueFails', {
    alarmDescription:
      'enqueue has failed in three of five minutes: players cannot ask for a match. See its log.',
    metric: enqueue.metricErrors({ period: minute }),
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  });
}

/** Of the table and of its indexes, whose throttles hold up the table’s writes. A burst that retries absorb is no alarm. */
function tableThrottledAlarm(scope: Construct, name: string, table: StoreTable): Alarm {
  const events = [undefined, ...table.indexNames].flatMap((GlobalSecondaryIndexName) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
      (metricName) =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: {
            TableName: table.tableName,
            ...(GlobalSecondaryIndexName !== undefined && { GlobalSecondaryIndexName }),
          },
          statistic: 'Sum',
          period: minute,
        }),
    ),
  );
  const usingMetrics = Object.fromEntries(events.map((metric, i) => [`m${i}`, metric]));
  return alarm(scope, `${name}TableThrottled`, {
    alarmDescription: `DynamoDB has throttled the table of ${name.toLowerCase()} in three of five minutes: requests get 503, ticks are slower. See which key is hot (CloudWatch Contributor Insights) and the account's table quotas.`,
    metric: new MathExpression({
      expression: Object.keys(usingMetrics)
        .map((id) => `FILL(${id}, 0)`)
        .join(' + '),
      usingMetrics,
      label: 'Throttled requests',
      period: minute,
    }),
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  });
}

/** A message that has been received more than three times does not count: its receiver fails, not the consumer. */
function lateAlarm(scope: Construct, name: string, queue: Queue, ageMax: Duration): Alarm {
  return alarm(scope, `${name}Late`, {
    alarmDescription: `A message has waited more than ${ageMax.toHumanString()} for ${name.toLowerCase()} in three of five minutes. See its log, and whether it is throttled.`,
    metric: queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: 'Maximum' }),
    threshold: ageMax.toSeconds(),
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  });
}

/** Unless told otherwise an alarm goes off at 1 or more, and not while there is nothing to measure. */
function alarm(
  scope: Construct,
  id: string,
  props: Omit<AlarmProps, 'threshold'> & Partial<AlarmProps>,
): Alarm {
  return new Alarm(scope, id, {
    threshold: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    ...props,
  });
}

function depth(queue: Queue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: 'Maximum' });
}

function perQueueP50P99(metricName: string): IMetric[] {
  return ['p50', 'p99'].map((statistic) => perQueue(metricName, statistic));
}

/** One line for each queue there is, also for those that come after the deployment: a search, not a list. */
function perQueue(metricName: string, statistic: string): IMetric {
  return new MathExpression({
    expression: `SEARCH('{Muster,queue,service} MetricName="${metricName}"', '${statistic}', ${minute.toSeconds()})`,
    label: statistic.startsWith('p') ? statistic : '',
    period: minute,
  });
}

function graph(title: string, ...left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0 } });
}
