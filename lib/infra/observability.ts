import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Dashboard,
  DashboardVariable,
  DefaultValue,
  GraphWidget,
  type IMetric,
  LogQueryWidget,
  MathExpression,
  Metric,
  TreatMissingData,
  VariableInputType,
  VariableType,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { MusterFunction } from './muster-function.ts';
import type { StoreTable } from './store.ts';

export interface ObservabilityProps {
  readonly stage: HttpStage;
  readonly functions: readonly MusterFunction[];
  /** Sends the ticks. No queue is matched while it fails. */
  readonly dispatch: MusterFunction;
  /** Searches. Failed work is seldom retried. */
  readonly tick: MusterFunction;
  /** Reads the streams. A failure delays all later events. */
  readonly publish: MusterFunction;
  /** Accepts tickets. No ticket can be created while it fails. */
  readonly enqueue: MusterFunction;
  /** Connects game clients; undefined without `push`. */
  readonly sockets: MusterFunction | undefined;
  /** Sends game clients the changes of their tickets; undefined without `push`. */
  readonly push: MusterFunction | undefined;
  /** The tables by their contents. */
  readonly tables: Readonly<Record<string, StoreTable>>;
  /** The queues whose messages must not wait, by consumer, each with the maximum age. */
  readonly queues: Readonly<Record<string, { readonly queue: Queue; readonly ageMax: Duration }>>;
  /** The dead letters of each consumer, by its name. */
  readonly deadLetters: Readonly<Record<string, Queue>>;
  /**
   * Notified when an alarm starts and ends.
   * @default - alarms send no notifications
   */
  readonly alarmTopic?: ITopic | undefined;
}

/** The dashboard, and an alarm for everything that needs attention. */
export class Observability extends Construct {
  readonly dashboard: Dashboard;
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    this.alarms = Object.entries({ ...ofTicks(props), ...ofEvents(props), ...ofRequests(props) }).map(
      ([name, one]) => new Alarm(this, name, { ...DEFAULTS, ...one }),
    );
    if (props.alarmTopic) notify(this, props.alarmTopic, this.alarms);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(3),
      variables: [TRACED],
    });
    for (const row of widgets(props)) this.dashboard.addWidgets(...row);
    this.dashboard.addWidgets(traceWidget(props.functions));
  }
}

/** Reports the start and the end of alarms to a topic. */
function notify(scope: Construct, topic: ITopic, alarms: readonly Alarm[]): void {
  // A topic that has a policy, such as one of `enforceSSL`, accepts nothing else from alarms.
  const account = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: account }));
  const action = new SnsAction(topic);
  for (const alarm of alarms) {
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}

/** The rows of the dashboard. */
function widgets({ stage, functions, deadLetters }: ObservabilityProps): GraphWidget[][] {
  return [
    [
      // Each tick counts only its own range, and the number of ticks a minute depends on the queue, so no statistic
      // gives the sum.
      graph('Waiting tickets, in the fullest range of skill', perQueue('Waiting', 'Maximum')),
      graph('Matches a minute', perQueue('Matches', 'Sum')),
      graph('Tickets timed out a minute', perQueue('TimedOut', 'Sum')),
    ],
    [
      graph(
        'Matches accepted, declined and not answered, a minute',
        ...['Accepted', 'Declined', 'NotAccepted'].map((name) => perQueue(name, 'Sum')),
      ),
      graph(
        'Matches placed, failed requests, refused and not placed in time, a minute',
        ...['Placed', 'PlacementTried', 'PlacementRefused', 'PlacementTimedOut'].map((name) =>
          perQueue(name, 'Sum'),
        ),
      ),
      graph(
        'Matches requeued and ended, and tickets cancelled and returned, a minute',
        ...['Requeued', 'Ended', 'Cancelled', 'Returned'].map((name) => perQueue(name, 'Sum')),
      ),
    ],
    [
      graph('Wait of matched tickets, p50 (ms)', perQueue('TicketWait', 'p50')),
      graph('Wait of matched tickets, p99 (ms)', perQueue('TicketWait', 'p99')),
      graph('Imbalance of matches, mean', perQueue('Imbalance', 'Average')),
    ],
    [
      graph('Duration of a tick, p50 and p99 (ms)', ...perQueueP50P99('TickDuration')),
      graph('Age of a tick when it begins, p50 and p99 (ms)', ...perQueueP50P99('TickAge')),
      graph(
        'Matches lost to a ticket taken meanwhile, searches cut short, last chances missed, and failed calls of custom rules, a minute',
        perQueue('LostRaces', 'Sum'),
        perQueue('SearchesCut', 'Sum'),
        perQueue('LastChancesMissed', 'Sum'),
        perQueue('FunctionsFailed', 'Sum'),
      ),
    ],
    [
      graph(
        'Requests a minute',
        stage.metricCount({ period: minute }),
        stage.metricClientError({ period: minute }),
        stage.metricServerError({ period: minute }),
      ),
      graph(
        'Latency of requests, p50 and p99 (ms)',
        stage.metricLatency({ period: minute, statistic: 'p50', label: 'p50' }),
        stage.metricLatency({ period: minute, statistic: 'p99', label: 'p99' }),
      ),
      graph('Dead letters', ...Object.values(deadLetters).map(depth)),
    ],
    [
      graph(
        'Failed invocations a minute',
        ...functions.map((fn) => fn.metricErrors({ period: minute, label: fn.name })),
      ),
      graph(
        'Throttled invocations a minute',
        ...functions.map((fn) => fn.metricThrottles({ period: minute, label: fn.name })),
      ),
      graph(
        'Players who would have to accept any side, role or region (%); above 0 waits have no bound',
        perQueue('ChoiceFreeNeeded', 'Maximum'),
      ),
    ],
  ];
}

const minute = Duration.minutes(1);

/** The text of the query that the dashboard replaces with the id that is entered on top of it. */
const TRACED_ID = 'TICKET_OR_MATCH_ID';
const TRACED = new DashboardVariable({
  type: VariableType.PATTERN,
  inputType: VariableInputType.INPUT,
  id: 'traced',
  label: 'Trace of a ticket or match, by id',
  value: TRACED_ID,
  defaultValue: DefaultValue.value(TRACED_ID),
  visible: true,
});

/** Every line that any function has logged about a ticket or a match. The quotes distinguish `t-1` from `t-10`. */
function traceWidget(functions: readonly MusterFunction[]): LogQueryWidget {
  return new LogQueryWidget({
    title: 'Trace of a ticket or match: enter its id on top',
    logGroupNames: functions.map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [
      'fields @timestamp, service, level, message, event, status, reasonCode, matchId, @message',
      `filter @message like '"${TRACED_ID}"'`,
      'sort @timestamp asc',
      'limit 500',
    ],
    width: 24,
    height: 8,
  });
}

/** An alarm starts at 1 or more unless it says otherwise, and missing data is no alarm. */
const DEFAULTS = {
  threshold: 1,
  comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
};
type Alarms = Record<string, Omit<AlarmProps, 'threshold'> & Partial<AlarmProps>>;

/** A single failure, or a burst that retries absorb, raises no alarm. */
const THREE_OF_FIVE = { evaluationPeriods: 5, datapointsToAlarm: 3 };
const ABOVE = { comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD };

function ofTicks({ dispatch, tick }: ObservabilityProps): Alarms {
  return {
    // `dispatch` has no queue and no dead letters, so three failed minutes in a row raise the alarm.
    DispatchFails: {
      alarmDescription:
        'dispatch has failed three minutes in a row: at least one queue cannot be read or gets no ticks, or overdue matches and what crashed ticks have left are not settled. See its log.',
      metric: dispatch.metricErrors({ period: minute }),
      evaluationPeriods: 3,
    },
    // An invocation that never starts is not an error. AWS may start two in one minute and none in the next.
    DispatchRests: {
      alarmDescription:
        'dispatch has not run for three minutes: no queue gets ticks. See whether its schedule is enabled and whether the account has Lambda concurrency left.',
      metric: dispatch.metricInvocations({ period: minute }),
      evaluationPeriods: 3,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    },
    // A retried tick is stale and dropped, so the dead letters stay empty.
    TickFails: fails(tick, 'at least one queue, or a range of it, gets no matches'),
    TickThrottled: throttled(tick),
    // A queue that is set aside is searched again at least once a minute, and every tick in between counts.
    QueueSetAside: {
      alarmDescription:
        'The ticks of a queue have failed three times in a row or more, in three of five minutes: it is set aside and gets matches only when a tick succeeds again. Its tickets still time out, and other queues go on. See the log of tick for its name and the error.',
      metric: counted('SetAside', 'tick', minute),
      ...THREE_OF_FIVE,
    },
    // `publish` evaluates the share for each queue, because an alarm cannot have a share for each of many queues. It requires at
    // least three failed matches, so one datapoint is enough.
    QueueFailing: {
      alarmDescription:
        'Too many matches of a queue fail: they are not accepted, or get no game server (option failedShare). See the logs of publish and provision for the queue and the counts by reason, and its page in the console; then why provision fails, or what the game shows its players.',
      metric: counted('QueueFailing', 'muster', minute),
      evaluationPeriods: 1,
    },
  };
}

function ofEvents({ publish, push, deadLetters, queues }: ObservabilityProps): Alarms {
  return {
    // The age of events shows every cause of delay: an error, a bus that rejects them (a partial failure, not an error), or
    // too little concurrency. Dead letters appear only after the last of many tries.
    PublishLate: streamLate(publish, 'webhooks and assignments are late'),
    PublishThrottled: throttled(publish),
    ...(push && {
      // Players who cannot be reached do not count, because they are left to the retries.
      PushLate: streamLate(push, 'game clients learn of changes late, or with their next ping'),
      // The service tries to reach a player for at least a minute, so one datapoint is enough. A client that has left does not
      // count.
      PushDropped: {
        alarmDescription:
          'API Gateway has taken no message for connected players for a minute: it throttles or fails. They learn of changes with their next ping. See the log of push, and the quota of requests of API Gateway (docs/scale.md).',
        metric: counted('PushesDropped', 'push', minute),
        evaluationPeriods: 1,
      },
      PushThrottled: throttled(push),
    }),
    // A failing webhook is tried at least every fifteen minutes, and each failure counts. Dead letters appear only after half an
    // hour, or after a day.
    WebhookFailing: {
      alarmDescription:
        'A webhook has failed three times or more since its last success, or five of the latest 20 times: its receiver does not respond or returns errors, or its secret does not exist. Its events are kept for a day while it is down. See the log of notify for the queue, the URL and the error, or the page of the queue in the console.',
      metric: counted('WebhookFailing', 'notify', Duration.minutes(15)),
      evaluationPeriods: 2,
      datapointsToAlarm: 1,
    },
    ...named(deadLetters, 'DeadLetters', (consumer, queue) => ({
      alarmDescription: `${consumer} has given up on at least one message. See its log, then redrive or purge the queue ${queue.queueName}.`,
      metric: depth(queue),
      evaluationPeriods: 1,
    })),
    // Messages received more than three times do not count, because the fault is their receiver's.
    ...named(queues, 'Late', (name, { queue, ageMax }) => ({
      alarmDescription: `A message has waited more than ${ageMax.toHumanString()} for ${name.toLowerCase()} in three of five minutes. See its log, and whether it is throttled.`,
      metric: queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: 'Maximum' }),
      threshold: ageMax.toSeconds(),
      ...ABOVE,
      ...THREE_OF_FIVE,
    })),
  };
}

function ofRequests({ stage, enqueue, sockets, tables }: ObservabilityProps): Alarms {
  return {
    // The minimum of failed requests avoids an alarm for a single error at low load.
    ApiFails: {
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
      ...ABOVE,
      ...THREE_OF_FIVE,
    },
    // Error responses do not count as errors of the function: this alarm detects crashes and timeouts.
    EnqueueFails: fails(enqueue, 'players cannot create tickets'),
    EnqueueThrottled: throttled(enqueue),
    // A client that is rejected with a reason does not count as an error of the function.
    ...(sockets && {
      SocketsFail: fails(sockets, 'game clients cannot connect, or what they ask for is not done'),
      SocketsThrottled: throttled(sockets),
    }),
    ...named(tables, 'TableThrottled', (name, table) => ({
      alarmDescription: `DynamoDB has throttled the table of ${name.toLowerCase()} in three of five minutes: requests get 503, ticks are slower. See which key is hot (CloudWatch Contributor Insights) and the account's table quotas.`,
      metric: throttles(table),
      ...THREE_OF_FIVE,
    })),
  };
}

/** An alarm for each of these, by its name and this suffix. */
function named<T>(
  all: Readonly<Record<string, T>>,
  suffix: string,
  alarm: (name: string, one: T) => Alarms[string],
): Alarms {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [`${name}${suffix}`, alarm(name, one)]));
}

function streamLate(fn: MusterFunction, consequence: string): Alarms[string] {
  return {
    alarmDescription: `${fn.name} received a change of a ticket or match more than a minute after it was written: ${consequence}. See its log.`,
    metric: fn.metric('IteratorAge', { period: Duration.minutes(5), statistic: 'Maximum' }),
    threshold: minute.toMilliseconds(),
    evaluationPeriods: 1,
    ...ABOVE,
  };
}

function fails(fn: MusterFunction, consequence: string): Alarms[string] {
  return {
    alarmDescription: `${fn.name} has failed in three of five minutes: ${consequence}. See its log.`,
    metric: fn.metricErrors({ period: minute }),
    ...THREE_OF_FIVE,
  };
}

/** Throttles in most minutes show that the concurrency is too low for the load. */
function throttled(fn: MusterFunction): Alarms[string] {
  return {
    alarmDescription: `${fn.name} was throttled by Lambda in three of five minutes. Raise its reserved concurrency or the account's limit, or cap long polls (pollConcurrency).`,
    metric: fn.metricThrottles({ period: minute }),
    ...THREE_OF_FIVE,
  };
}

/** A metric that functions count themselves. */
function counted(metricName: string, service: string, period: Duration): IMetric {
  return new Metric({
    namespace: 'Muster',
    metricName,
    dimensionsMap: { service },
    statistic: 'Sum',
    period,
  });
}

/** Includes the indexes, whose throttles block the table’s writes. */
function throttles(table: StoreTable): IMetric {
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
  const expression = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`);
  return new MathExpression({
    expression: expression.join(' + '),
    usingMetrics,
    label: 'Throttled requests',
    period: minute,
  });
}

function depth(queue: Queue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: 'Maximum' });
}

function perQueueP50P99(metricName: string): IMetric[] {
  return ['p50', 'p99'].map((statistic) => perQueue(metricName, statistic));
}

/** A search expression with a line for each queue, including queues created after the deployment. */
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
