import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANNOUNCED } from '../../lib/aws/ticket-store.ts';
import { ROUTE_KEYS, routeOf, scopesOf } from '../../lib/contract/routes.ts';
import { lambdasDir } from '../../lib/infra/bundle.ts';
import { OUTCOMES } from '../../lib/service/domain/match-outcomes.ts';
import { builtApp } from './built-app.ts';
import { functionNamed, resourcesOf, target } from './resources.ts';

const { template } = builtApp();

describe('the API', () => {
  const routes = resourcesOf(template, 'AWS::ApiGatewayV2::Route').map(({ Properties }) => {
    const integration = target(
      Properties.Target['Fn::Join'][1].find((part: unknown) => typeof part === 'object'),
    );
    const { IntegrationUri, PayloadFormatVersion } = template.Resources[integration]!.Properties;
    expect(PayloadFormatVersion).toBe('2.0');
    return `${Properties.RouteKey} → ${functionNamed(template, IntegrationUri)} (${Properties.AuthorizationType})`;
  });

  it('routes every request to its function and authorizes the caller', () => {
    const expected = ROUTE_KEYS.filter((key) => scopesOf(key).length > 0).map(
      (key) => `${key} → ${routeOf(key).function} (AWS_IAM)`,
    );
    expect(expected).toContain('POST /queues/{queue}/tickets → enqueue (AWS_IAM)');
    expect(routes.filter((route) => !route.endsWith('(NONE)')).sort()).toEqual(expected.sort());
  });

  it('leaves only health, the OpenAPI document and the default route open', () => {
    expect(routes.filter((route) => route.endsWith('(NONE)'))).toEqual([
      'GET /health → meta (NONE)',
      'GET /openapi.json → meta (NONE)',
      '$default → meta (NONE)',
    ]);
  });

  it('may invoke each function that it has a route for, by one permission', () => {
    const invocable = resourcesOf(template, 'AWS::Lambda::Permission')
      .filter(({ Properties }) => Properties.Principal === 'apigateway.amazonaws.com')
      .map(({ Properties }) => functionNamed(template, Properties.FunctionName));
    const served = new Set(ROUTE_KEYS.map((key) => routeOf(key).function));
    expect(invocable.sort()).toEqual([...served].sort());
  });

  it('logs requests without data that identifies the caller', () => {
    const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage');
    const { Format } = stage!.Properties.AccessLogSettings;
    expect(Object.keys(JSON.parse(Format))).toContain('route');
    expect(Format).not.toMatch(/identity|sourceIp|userAgent|claims|principal|\.path|Path/i);
  });

  it('limits open routes to few requests and each other route to a thousand a second', () => {
    const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage');
    expect(stage!.Properties.DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: 1000,
      ThrottlingBurstLimit: 1000,
    });
    const few = { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 };
    expect(stage!.Properties.RouteSettings).toEqual({
      'GET /health': few,
      'GET /openapi.json': few,
      $default: few,
    });
  });

  it('creates the routes before the stage that refers to them', () => {
    const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage');
    const limited = Object.keys(stage!.Properties.RouteSettings);
    const dependedOn = [stage!.DependsOn ?? []].flat().map((id) => template.Resources[id]!);
    expect(dependedOn.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(limited.sort());
  });

  it('has one stage at the root, with an access log that holds no bodies, credentials, addresses or user agents', () => {
    const [stage, ...others] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage');
    expect(others).toEqual([]);
    expect(stage!.Properties).toMatchObject({ StageName: '$default', AutoDeploy: true });
    expect(stage!.Properties.AccessLogSettings.Format).toContain('$context.routeKey');
    expect(stage!.Properties.AccessLogSettings.Format).not.toMatch(
      /body|authorization|claims|queryString|identity|sourceIp|userAgent/i,
    );
  });
});

describe('the tables', () => {
  const tables = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');

  it('are seven with these keys', () => {
    const keys = tables.map(({ Properties }) =>
      Properties.KeySchema.map(({ AttributeName }: { AttributeName: string }) => AttributeName),
    );
    expect(keys).toEqual([
      ['ticketId'],
      ['pool', 'poolOrder'],
      ['matchId'],
      ['queue', 'item'],
      ['item'],
      ['receiver'],
      ['playerId', 'ladder'],
    ]);
  });

  it('are billed by request, can be restored, and delete items past their expiresAt', () => {
    for (const { Properties } of tables) {
      expect(Properties.BillingMode).toBe('PAY_PER_REQUEST');
      expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expiresAt', Enabled: true });
      expect(Properties.Replicas).toHaveLength(1);
      expect(Properties.Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
    }
  });

  it('for tickets and matches have a stream of old and new images', () => {
    const views = tables.map(({ Properties }) => Properties.StreamSpecification?.StreamViewType);
    expect(views).toEqual([
      'NEW_AND_OLD_IMAGES',
      undefined,
      'NEW_AND_OLD_IMAGES',
      ...Array(4).fill(undefined),
    ]);
  });

  it('for tickets has the pool as its index', () => {
    expect(tables[0]!.Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'pool',
        KeySchema: [
          { AttributeName: 'pool', KeyType: 'HASH' },
          { AttributeName: 'poolOrder', KeyType: 'RANGE' },
        ],
        Projection: {
          ProjectionType: 'INCLUDE',
          NonKeyAttributes: ['enqueuedAt', 'players', 'linked'],
        },
      },
    ]);
  });

  it('for queues has a keys-only index that lists the definitions', () => {
    expect(tables[3]!.Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'items',
        KeySchema: [
          { AttributeName: 'item', KeyType: 'HASH' },
          { AttributeName: 'queue', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });
});

describe('the deadlines of matches', () => {
  it('are a keys-only index that only dispatch reads', () => {
    const [, , matches] = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');
    expect(matches!.Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'deadlines',
        KeySchema: [
          { AttributeName: 'deadlineGroup', KeyType: 'HASH' },
          { AttributeName: 'deadline', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });
});

describe('event sources', () => {
  const sources = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(({ Properties }) => ({
    ...Properties,
    fn: functionNamed(template, Properties.FunctionName),
    source: template.Resources[target(Properties.EventSourceArn)]!,
  }));
  const streams = sources.filter(({ source }) => source.Type === 'AWS::DynamoDB::GlobalTable');
  const queues = sources.filter(({ source }) => source.Type === 'AWS::SQS::Queue');

  it('send publish the changes that may be events, and retry until they are published or given up', () => {
    const filters = streams.map(({ fn, source, FilterCriteria }) => [
      fn,
      source.Properties.KeySchema[0].AttributeName,
      ...FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern)),
    ]);
    expect(filters).toEqual([
      [
        'publish',
        'ticketId',
        {
          eventName: ['INSERT', 'MODIFY'],
          dynamodb: { NewImage: { status: { S: ['CANCELLED', 'TIMED_OUT', 'FAILED'] } } },
        },
        {
          eventName: ['INSERT', 'MODIFY'],
          dynamodb: { NewImage: { status: { S: ['QUEUED'] }, announced: { S: [ANNOUNCED] } } },
        },
      ],
      [
        'publish',
        'matchId',
        { eventName: ['INSERT', 'MODIFY'], dynamodb: { NewImage: { game: { S: [{ exists: true }] } } } },
      ],
    ]);
    for (const stream of streams) {
      expect(stream).toMatchObject({
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 100,
        ParallelizationFactor: 1,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      expect(stream).not.toHaveProperty('MaximumBatchingWindowInSeconds');
      const deadLetters = target(stream.DestinationConfig.OnFailure.Destination);
      expect(template.Resources[deadLetters]!.Type).toBe('AWS::SQS::Queue');
    }
  });

  it('connect each consumer to its queue', () => {
    const facts = queues.map(({ fn, BatchSize, FunctionResponseTypes, ScalingConfig, source }) => ({
      fn,
      batchSize: BatchSize,
      reportsFailures: FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
      tries: source.Properties.RedrivePolicy.maxReceiveCount,
      atOnce: ScalingConfig.MaximumConcurrency,
    }));
    expect(facts).toEqual([
      { fn: 'tick', batchSize: 1, reportsFailures: false, tries: 15, atOnce: 200 },
      { fn: 'notify', batchSize: 10, reportsFailures: true, tries: 40, atOnce: 100 },
      { fn: 'notify', batchSize: 10, reportsFailures: true, tries: 40, atOnce: 20 },
      { fn: 'provision', batchSize: 10, reportsFailures: true, tries: 120, atOnce: 100 },
      { fn: 'deadline', batchSize: 10, reportsFailures: true, tries: 20, atOnce: 20 },
      { fn: 'rate', batchSize: 10, reportsFailures: true, tries: 40, atOnce: 10 },
    ]);
  });

  it('hide a message a little longer than its function may take', () => {
    for (const { FunctionName, source } of queues) {
      const { Timeout } = template.Resources[target(FunctionName)]!.Properties;
      expect(source.Properties.VisibilityTimeout).toBe(Math.ceil(1.2 * Timeout));
    }
    const hidden = queues.map(({ FunctionName, source }) => [
      functionNamed(template, FunctionName),
      source.Properties.VisibilityTimeout,
    ]);
    expect(hidden).toEqual([
      ['tick', 12],
      ['notify', 12],
      ['notify', 12],
      ['provision', 29],
      ['deadline', 18],
      ['rate', 18],
    ]);
  });

  it('include a schedule that invokes dispatch every minute without retries or late starts', () => {
    const [rule, ...others] = resourcesOf(template, 'AWS::Events::Rule').filter(
      ({ Properties }) => Properties.ScheduleExpression,
    );
    expect(others).toEqual([]);
    expect(rule!.Properties).toMatchObject({ ScheduleExpression: 'cron(* * * * ? *)', State: 'ENABLED' });
    expect(rule!.Properties.Targets).toHaveLength(1);
    expect(functionNamed(template, rule!.Properties.Targets[0].Arn)).toBe('dispatch');
    const [async] = resourcesOf(template, 'AWS::Lambda::EventInvokeConfig');
    expect(functionNamed(template, async!.Properties.FunctionName)).toBe('dispatch');
    expect(async!.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });
});

describe('the rules of the bus', () => {
  const rules = resourcesOf(template, 'AWS::Events::Rule').filter(
    ({ Properties }) => Properties.EventPattern,
  );
  const consumerOf = (queueArn: unknown) => {
    const mapping = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').find(
      ({ Properties }) => target(Properties.EventSourceArn) === target(queueArn),
    );
    return functionNamed(template, mapping!.Properties.FunctionName);
  };

  it('route events by pattern to the queues of notify, provision, deadline and rate', () => {
    const [bus] = resourcesOf(template, 'AWS::Events::EventBus');
    const routes = rules.map(({ Properties: { EventBusName, EventPattern, Targets } }) => {
      expect(target(EventBusName)).toBe(bus!.id);
      expect(Targets).toHaveLength(1);
      return [consumerOf(Targets[0].Arn), EventPattern];
    });
    expect(Object.fromEntries(routes)).toEqual({
      notify: { source: ['muster'], resources: [{ prefix: 'webhooks/' }] },
      provision: {
        source: ['muster'],
        'detail-type': ['MatchFound', 'MatchAccepted'],
        detail: { match: { status: ['PLACING'] } },
        resources: [{ prefix: 'provisioner/http' }],
      },
      deadline: {
        source: ['muster'],
        'detail-type': ['MatchFound', 'MatchAccepted', 'MatchFailed'],
        detail: { match: { $or: [{ status: ['REQUIRES_ACCEPTANCE', 'PLACING'] }, { requeued: [true] }] } },
      },
      rate: { source: ['muster'], 'detail-type': ['MatchEnded'], resources: ['rate'] },
    });
  });

  it('make each queue of the studio a message group, so that SQS prefers those with few messages in flight', () => {
    expect(rules.map(({ Properties }) => Properties.Targets[0].SqsParameters)).toEqual(
      rules.map(() => ({ MessageGroupId: '$.detail.queue' })),
    );
  });

  it('may send only to their own queues and to the dead letters of these queues', () => {
    const policies = resourcesOf(template, 'AWS::SQS::QueuePolicy');
    for (const { id, Properties } of rules) {
      const [{ Arn, DeadLetterConfig }] = Properties.Targets;
      for (const queue of [target(Arn), target(DeadLetterConfig.Arn)]) {
        const statements = policies
          .filter((policy) => policy.Properties.Queues.some((ref: unknown) => target(ref) === queue))
          .flatMap((policy) => policy.Properties.PolicyDocument.Statement)
          .filter((statement) => statement.Principal?.Service === 'events.amazonaws.com');
        const sources = statements.map(({ Condition }) =>
          target((Condition.ArnEquals ?? Condition.ArnLike)['aws:SourceArn']),
        );
        expect(sources).toEqual([id]);
      }
    }
  });
});

describe('queues', () => {
  const queues = resourcesOf(template, 'AWS::SQS::Queue');
  const deadLetters = new Set([
    ...queues.flatMap(({ Properties }) =>
      Properties.RedrivePolicy ? [target(Properties.RedrivePolicy.deadLetterTargetArn)] : [],
    ),
    ...resourcesOf(template, 'AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) =>
      Properties.DestinationConfig ? [target(Properties.DestinationConfig.OnFailure.Destination)] : [],
    ),
  ]);

  it('each have a consumer or hold dead letters', () => {
    const consumed = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(({ Properties }) =>
      target(Properties.EventSourceArn),
    );
    for (const { id, Properties } of queues) {
      expect(deadLetters.has(id) || consumed.includes(id), id).toBe(true);
      expect(deadLetters.has(id), `${id} has dead letters or holds them`).toBe(!Properties.RedrivePolicy);
    }
  });

  it('for dead letters keep them two weeks and raise an alarm at the first message', () => {
    expect(deadLetters.size).toBe(7);
    const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm');
    for (const id of deadLetters) {
      expect(template.Resources[id]!.Properties.MessageRetentionPeriod).toBe(14 * 86_400);
      const alarm = alarms.find(({ Properties: { Dimensions } }) =>
        Dimensions.some(
          ({ Value }: { Value: { 'Fn::GetAtt'?: [string, string] } }) => Value['Fn::GetAtt']?.[0] === id,
        ),
      );
      expect(alarm?.Properties, id).toMatchObject({
        MetricName: 'ApproximateNumberOfMessagesVisible',
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        Threshold: 1,
        EvaluationPeriods: 1,
      });
    }
  });

  it('are encrypted and reject requests without TLS', () => {
    const policies = resourcesOf(template, 'AWS::SQS::QueuePolicy');
    for (const { id, Properties } of queues) {
      expect(Properties.SqsManagedSseEnabled, id).toBe(true);
      const statements = policies
        .filter((policy) => target(policy.Properties.Queues[0]) === id)
        .flatMap((policy) => policy.Properties.PolicyDocument.Statement);
      expect(statements).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
    }
  });
});

interface MetricQuery {
  readonly Id: string;
  readonly MetricStat: {
    readonly Stat: string;
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
    };
  };
}

function metricOf({ Id, MetricStat: { Metric, Stat } }: MetricQuery): string {
  return `${Id} ${Metric.Namespace} ${Metric.MetricName} ${Stat}`;
}

describe('alarms', () => {
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm')
    .filter(({ Properties }) => Properties.Namespace === 'AWS/Lambda')
    .map(({ Properties: { Dimensions, ...properties } }) => {
      expect(Dimensions).toHaveLength(1);
      return { ...properties, fn: functionNamed(template, Dimensions[0].Value) };
    });
  const alarm = (fn: string, metric: string) =>
    alarms.find((one) => one.fn === fn && one.MetricName === metric);

  it('monitor the functions whose failures reach dead letters late or never', () => {
    expect(alarms.map(({ fn, MetricName }) => `${fn} ${MetricName}`).sort()).toEqual([
      'dispatch Errors',
      'dispatch Invocations',
      'enqueue Errors',
      'enqueue Throttles',
      'publish IteratorAge',
      'publish Throttles',
      'tick Errors',
      'tick Throttles',
    ]);
  });

  it.each([
    ['enqueue', 'Errors'],
    ['enqueue', 'Throttles'],
    ['tick', 'Errors'],
    ['tick', 'Throttles'],
    ['publish', 'Throttles'],
  ])('go off when %s has %s in three of five minutes', (fn, metric) => {
    expect(alarm(fn, metric)).toMatchObject({
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('go off when dispatch does not run, which shows as missing data', () => {
    expect(alarm('dispatch', 'Invocations')).toMatchObject({
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 3,
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    });
  });

  it('go off when publish is a minute behind the streams', () => {
    expect(alarm('publish', 'IteratorAge')).toMatchObject({
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 60_000,
      TreatMissingData: 'notBreaching',
    });
  });

  const all = resourcesOf(template, 'AWS::CloudWatch::Alarm');
  const named = (id: string) => all.find((one) => one.id.includes(`Observability${id}`))!.Properties;
  const threeOfFive = { EvaluationPeriods: 5, DatapointsToAlarm: 3, TreatMissingData: 'notBreaching' };

  it('go off when more than 1% of the requests and at least 5 fail', () => {
    const { Metrics, ...alarm } = named('ApiFails');
    expect(alarm).toMatchObject({ ...threeOfFive, ComparisonOperator: 'GreaterThanThreshold', Threshold: 1 });
    const [share, ...counts] = Metrics;
    expect(share.Expression).toBe('IF(failed >= 5, 100 * failed / requests, 0)');
    expect(counts.map(metricOf)).toEqual([
      'failed AWS/ApiGateway 5xx Sum',
      'requests AWS/ApiGateway Count Sum',
    ]);
  });

  it.each([
    ['Tickets', ['pool']],
    ['Matches', ['deadlines']],
    ['Queues', ['items']],
    ['Ranges', ['latest']],
    ['Receivers', []],
    ['Ratings', []],
  ])('go off when the table %s or an index of it is throttled', (name, indexes) => {
    const { Metrics, ...alarm } = named(`${name}TableThrottled`);
    expect(alarm).toMatchObject({
      ...threeOfFive,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
    });
    const [sum, ...events] = Metrics;
    expect(sum.Expression).toBe(events.map(({ Id }: { Id: string }) => `FILL(${Id}, 0)`).join(' + '));
    const watched = events.map(({ MetricStat: { Metric } }: MetricQuery) => {
      const { TableName, GlobalSecondaryIndexName = '' } = Object.fromEntries(
        Metric.Dimensions.map(({ Name, Value }) => [Name, Value]),
      );
      expect(target(TableName)).toContain(`Store${name}`);
      return `${Metric.Namespace} ${Metric.MetricName} ${GlobalSecondaryIndexName}`.trim();
    });
    expect(watched).toEqual(
      ['', ...indexes].flatMap((index) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metric) =>
          `AWS/DynamoDB ${metric} ${index}`.trim(),
        ),
      ),
    );
  });

  it.each([
    ['Notify', 300],
    ['Provision', 120],
    ['Deadline', 1_200],
  ])('go off when a message waits too long for %s', (name, seconds) => {
    const alarm = named(`${name}Late`);
    expect(alarm).toMatchObject({
      ...threeOfFive,
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateAgeOfOldestMessage',
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: seconds,
    });
    const queue = template.Resources[target(alarm.Dimensions[0].Value)]!;
    expect(queue.Properties.RedrivePolicy, 'a queue, not its dead letters').toBeDefined();
  });

  it('go off when a webhook fails, as notify counts it', () => {
    expect(named('WebhookFailing')).toMatchObject({
      Namespace: 'Muster',
      MetricName: 'WebhookFailing',
      Dimensions: [{ Name: 'service', Value: 'notify' }],
      Statistic: 'Sum',
      Period: 900,
      EvaluationPeriods: 2,
      DatapointsToAlarm: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
    });
    expect(readFileSync(join(lambdasDir, 'notify.ts'), 'utf8')).toContain("countForAlarm('WebhookFailing')");
  });

  it('go off when a queue is set aside, as tick counts it', () => {
    expect(named('QueueSetAside')).toMatchObject({
      ...threeOfFive,
      Namespace: 'Muster',
      MetricName: 'SetAside',
      Dimensions: [{ Name: 'service', Value: 'tick' }],
      Statistic: 'Sum',
      Period: 60,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
    });
    expect(readFileSync(join(lambdasDir, 'tick.ts'), 'utf8')).toContain("countForAlarm('SetAside')");
  });

  it('go off when too many matches of a queue fail, as publish and provision count it', () => {
    expect(named('QueueFailing')).toMatchObject({
      Namespace: 'Muster',
      MetricName: 'QueueFailing',
      Dimensions: [{ Name: 'service', Value: 'muster' }],
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
    });
    expect(readFileSync(join(lambdasDir, '../lib/aws/report-queue.ts'), 'utf8')).toContain(
      "addMetric('QueueFailing'",
    );
  });

  it('describe the problem and where to look', () => {
    for (const { Properties } of resourcesOf(template, 'AWS::CloudWatch::Alarm')) {
      expect(JSON.stringify(Properties.AlarmDescription)).toMatch(/See |Raise /);
    }
  });
});

/** As publish names them. */
const OUTCOME_METRICS = OUTCOMES.map((name) => `${name[0]!.toUpperCase()}${name.slice(1)}`);

describe('the dashboard', () => {
  const [dashboard] = resourcesOf(template, 'AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard!.Properties.DashboardBody);

  it('shows every metric of the service for every queue, including queues created later', () => {
    const searched = [
      ...body.matchAll(/SEARCH\('\{Muster,queue,service\} MetricName=\\+"(\w+)\\+"', '(\w+)'/g),
    ];
    expect(searched.map(([, metric, statistic]) => `${metric} ${statistic}`)).toEqual([
      'Waiting Maximum',
      'Matches Sum',
      'TimedOut Sum',
      ...OUTCOME_METRICS.map((name) => `${name} Sum`),
      'TicketWait p50',
      'TicketWait p99',
      'Imbalance Average',
      'TickDuration p50',
      'TickDuration p99',
      'TickAge p50',
      'TickAge p99',
      'LostRaces Sum',
      'SearchesCut Sum',
      'LastChancesMissed Sum',
      'FunctionsFailed Sum',
      'ChoiceFreeNeeded Maximum',
    ]);
  });

  it('queries exactly the metrics that tick and publish record', () => {
    const asked = [...body.matchAll(/MetricName=\\+"(\w+)/g)].map(([, metric]) => metric);
    const source = readFileSync(join(lambdasDir, 'tick.ts'), 'utf8');
    const taken = [...source.matchAll(/\bput\(\s*'(\w+)'/g)].map(([, metric]) => metric);
    expect(new Set(asked)).toEqual(new Set([...taken, ...OUTCOME_METRICS]));
  });

  it('finds all lines of the log about the ticket or match whose id is entered', () => {
    const groups = resourcesOf(template, 'AWS::Lambda::Function').map(
      ({ Properties }) => Properties.LoggingConfig.LogGroup.Ref as string,
    );
    // The deployment of definitions knows no tickets.
    const searched = groups.filter((group) => !group.includes('DeployQueues'));
    expect(searched.length).toBeGreaterThan(10);
    for (const group of searched) expect(body).toContain(`{"Ref":"${group}"}`);
    // The pattern of the variable, its default, and the query.
    expect(body.match(/TICKET_OR_MATCH_ID/g)).toHaveLength(3);
  });

  it('labels waiting tickets as those of one range of skill', () => {
    expect(body).toContain('Waiting tickets, in the fullest range of skill');
  });
});

describe('outputs', () => {
  it('name the URL, the bus and the tables of the deployment', () => {
    expect(Object.keys(template.Outputs ?? {}).sort()).toEqual([
      'ApiUrl',
      'EventBusName',
      'MatchesTable',
      'QueuesTable',
      'TicketsTable',
    ]);
  });
});
