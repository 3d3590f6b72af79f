import { describe, expect, it, vi } from 'vitest';
import { accessesOf } from '../../lib/local/access.ts';
import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import { type LogLine, startLocalCloud } from '../../lib/local/local-cloud.ts';
import { compilePattern } from '../../lib/local/pattern.ts';
import { isAllowed, matchesWildcard, roleStatements } from '../../lib/local/policy.ts';
import type { Properties, Resource, Template } from '../../lib/local/template.ts';
import { synthesized } from '../infra/synthesized.ts';
import { JOURNEYS, type Journey } from './journeys.ts';
import { studioAround, type TestMuster } from './muster.ts';
import { refusalsOfEachCall } from './refusals.ts';
import { retriesAtOnce } from './retries.ts';

const { template, assetPathOf } = synthesized();

// biome-ignore lint/suspicious/noExplicitAny: each trigger has events of its own form
type Invocation = { readonly event: any };

/** What a function did to what. */
interface Access {
  readonly caller: string;
  readonly action: string;
  readonly resourceArn: string;
}

/** How long a minute takes where calls are refused. */
const MINUTE_MS = 2_000;
/** Fewer kinds of calls would mean that the refusals do not reach the functions. */
const REFUSED_MIN = 30;

const invocations: Invocation[] = [];
const accesses: Access[] = [];
const muster = await watchedMuster();
const refusals = refusalsOfEachCall();
const failures: string[] = [];
const failing = await failingMuster();

/** The service of the whole template; what its functions are invoked with, and what they do, is kept. */
async function watchedMuster(): Promise<TestMuster> {
  const { intercept } = retriesAtOnce();
  const cloud = await startLocalCloud({ template, assetPathOf, port: 0, intercept: watching(intercept) });
  for (const { logicalId } of cloud.stack.resources('AWS::Lambda::Function')) {
    const fn = cloud.function(logicalId);
    const { invoke } = fn;
    vi.spyOn(fn, 'invoke').mockImplementation((event) => {
      invocations.push({ event });
      return invoke(event);
    });
  }
  return studioAround(cloud);
}

/**
 * The same service, whose calls to AWS are refused at first, each kind of them; what its functions do then is kept
 * beside what they do when all goes well. Minutes are short, so that what a minute's schedule mends is mended soon.
 */
async function failingMuster(): Promise<TestMuster> {
  const { intercept: atOnce } = retriesAtOnce();
  const cloud = await startLocalCloud({
    template: withMoreTries(template),
    assetPathOf,
    port: 0,
    schedules: false,
    intercept: watching((call, service, caller) =>
      refusals.intercept(call, (allowed) => atOnce(allowed, service, caller), caller),
    ),
    log: ({ line }) => failures.push(line),
  });
  refusals.begin();
  const minutes = setInterval(() => void cloud.schedules.run(), MINUTE_MS);
  const stop = async () => {
    clearInterval(minutes);
    await cloud.stop();
  };
  return studioAround({ ...cloud, stop }, { repeats: true });
}

/** A message meets a refusal at each call that its function makes, which is more than one outage would do to it. */
function withMoreTries({ Resources }: Template): Template {
  const all = structuredClone(Resources) as Resources;
  for (const { Type, Properties } of Object.values(all)) {
    const redrive = Type === 'AWS::SQS::Queue' && Properties.RedrivePolicy;
    if (redrive) (redrive as { maxReceiveCount: number }).maxReceiveCount += 20;
  }
  return { Resources: all };
}

/** Keeps what functions do. */
function watching(intercept: Interceptor): Interceptor {
  return (call, service, caller) => {
    for (const { action, resourceArn } of accessesOf(call.target, call.operation, call.input))
      if (caller !== undefined) accesses.push({ caller, action, resourceArn });
    return intercept(call, service, caller);
  };
}

describe.concurrent('with the whole template one can', () => {
  it.each(Object.entries<Journey>(JOURNEYS))('%s', async (_what, journey) => {
    await journey(muster);
  });
});

describe.concurrent('while each kind of call is refused at first one can still', () => {
  it.each(Object.entries<Journey>(JOURNEYS))('%s', async (_what, journey) => {
    await journey(failing);
  });
});

describe('the template', () => {
  it('lets nothing go wrong unseen', () => {
    expect(muster.cloud.logs.filter(isError)).toEqual([]);
  });

  it('has no route that was not used', () => {
    const keys = muster.cloud.stack
      .resources('AWS::ApiGatewayV2::Route')
      .map(({ properties }) => properties.RouteKey);
    const used = new Set(invocations.map(({ event }) => event.routeKey));
    expect(keys.filter((key) => !used.has(key))).toEqual([]);
  });

  it('has no event source, and no alternative of a filter, that was not used', () => {
    for (const { logicalId, properties } of muster.cloud.stack.resources('AWS::Lambda::EventSourceMapping')) {
      const records = invocations
        .flatMap(({ event }) => event.Records ?? [])
        .filter(({ eventSourceARN }) => eventSourceARN === properties.EventSourceArn);
      expect(records.length, logicalId).toBeGreaterThan(0);
      const { Filters = [] } = (properties.FilterCriteria ?? {}) as { Filters?: { Pattern: string }[] };
      for (const { Pattern } of Filters) {
        expect(unused(JSON.parse(Pattern), records), `the filter of ${logicalId}`).toEqual([]);
      }
    }
  });

  it('has no rule, and no alternative of its pattern, that was not used', () => {
    const patterns = muster.cloud.stack
      .resources('AWS::Events::Rule')
      .filter(({ properties }) => properties.EventPattern !== undefined);
    expect(patterns.length).toBeGreaterThan(0);
    for (const { logicalId, properties } of patterns) {
      const [{ Arn: queueArn }] = properties.Targets as [{ Arn: string }];
      const events = invocations
        .flatMap(({ event }) => event.Records ?? [])
        .filter(({ eventSourceARN }) => eventSourceARN === queueArn)
        .map(({ body }) => JSON.parse(body))
        .filter((message) => 'detail-type' in message);
      expect(events.length, logicalId).toBeGreaterThan(0);
      expect(unused(properties.EventPattern as Properties, events), `the pattern of ${logicalId}`).toEqual(
        [],
      );
    }
  });

  it('has no schedule that was not used', () => {
    const schedules = muster.cloud.stack
      .resources('AWS::Events::Rule')
      .filter(({ properties }) => properties.ScheduleExpression !== undefined);
    const used = new Set(invocations.flatMap(({ event }) => event.resources ?? []));
    expect(schedules.filter(({ arn }) => !used.has(arn))).toEqual([]);
  });

  it('lets functions do what they do when a call of theirs is refused', () => {
    expect(refusals.refused.size).toBeGreaterThan(REFUSED_MIN);
    expect(failures.filter((line) => line.includes('is not authorized'))).toEqual([]);
  });

  it('gives no function a right that neither success nor failure uses', () => {
    const { stack } = muster.cloud;
    const mappings = stack.resources('AWS::Lambda::EventSourceMapping');
    const functions = stack
      .resources('AWS::Lambda::Function')
      .map(({ logicalId }) => muster.cloud.function(logicalId));
    const statements = roleStatements(stack);
    for (const fn of functions) {
      const theirs = accesses.filter(({ caller }) => caller === fn.name);
      for (const access of theirs) {
        expect(isAllowed(statements.get(fn.roleName)!, access), JSON.stringify(access)).toBe(true);
      }
      const rights = statements
        .get(fn.roleName)!
        .flatMap(({ Action, Resource }) =>
          [Action!].flat().flatMap((action) => [Resource!].flat().map((arn) => ({ action, arn }))),
        );
      const used = ({ action, arn }: { action: string; arn: string }) =>
        theirs.some((access) => access.action === action && matchesWildcard(arn, access.resourceArn));
      expect(
        rights.filter((right) => !usedByLambda(right, mappings) && !used(right)),
        `the rights of ${fn.name}`,
      ).toEqual([]);
    }
  });
});

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

/** A wire to cut, and the journey that must notice. */
const CUTS: readonly [what: string, journey: keyof typeof JOURNEYS, cut: (resources: Resources) => void][] = [
  [
    'enqueue is told a wrong table',
    'be matched',
    (all) => {
      variables(all, 'enqueue').TICKETS_TABLE = {
        Ref: idOf(all, 'AWS::DynamoDB::GlobalTable', 'StoreMatches'),
      };
    },
  ],
  [
    'publish is not told its bus',
    'hear of a time-out',
    (all) => {
      delete variables(all, 'publish').EVENT_BUS_NAME;
    },
  ],
  ['tick may not put matches', 'be matched', (all) => forbid(all, 'tick', 'dynamodb:PutItem')],
  [
    'the stream of tickets lets no cancelling through',
    'hear of a ticket from its start to its cancelling',
    (all) => {
      const mapping = all[idOf(all, 'AWS::Lambda::EventSourceMapping', 'TicketsStream')]!;
      const [filter] = (mapping.Properties.FilterCriteria as { Filters: { Pattern: string }[] }).Filters;
      filter!.Pattern = filter!.Pattern.replace('"CANCELLED",', '');
    },
  ],
  [
    'the rule to notify looks for another mark',
    'hear of a time-out',
    (all) => {
      pattern(all, 'NotifyRule').resources = [{ prefix: 'webhook:' }];
    },
  ],
  [
    'the rule to deadline forgets placing',
    'let the time for an assignment run out, and ask again for the same ticket',
    (all) => {
      pattern(all, 'DeadlineRule').detail = { match: { status: ['REQUIRES_ACCEPTANCE'] } };
    },
  ],
  [
    'a route is missing',
    'bring an assignment from outside',
    (all) => {
      delete all[idOf(all, 'AWS::ApiGatewayV2::Route', 'PUTmatches')];
    },
  ],
  [
    'a route leads to another function',
    'search without storing',
    (all) => {
      all[idOf(all, 'AWS::ApiGatewayV2::Route', 'dryrun')]!.Properties.Target =
        all[idOf(all, 'AWS::ApiGatewayV2::Route', 'Health')]!.Properties.Target;
    },
  ],
  [
    'the API may not invoke a function',
    'ask for health, the description, and nothing',
    (all) => {
      delete all[idOf(all, 'AWS::Lambda::Permission', 'Otherwisemeta')];
    },
  ],
  [
    'the bus may not send to a queue',
    'hear of a time-out',
    (all) => {
      delete all[idOf(all, 'AWS::SQS::QueuePolicy', 'NotifyEventsQueuePolicy')];
    },
  ],
  [
    'the pool lacks the players',
    'be matched',
    (all) => {
      const table = all[idOf(all, 'AWS::DynamoDB::GlobalTable', 'StoreTickets')]!;
      const [index] = table.Properties.GlobalSecondaryIndexes as [
        { Projection: { NonKeyAttributes: string[] } },
      ];
      index.Projection.NonKeyAttributes = ['enqueuedAt'];
    },
  ],
];

describe.concurrent('a template with one wire cut fails', () => {
  it.each(CUTS)('when %s: one cannot %s', async (_what, name, cut) => {
    const resources = structuredClone(template.Resources) as Resources;
    cut(resources);
    expect(resources).not.toEqual(template.Resources);
    const { promise: erred, resolve: err } = Promise.withResolvers<string>();
    const log = (line: LogLine) => isError(line) && err(line.line);
    let muster: TestMuster;
    try {
      muster = await studioAround(
        await startLocalCloud({
          template: { Resources: resources },
          assetPathOf,
          port: 0,
          log,
        }),
      );
    } catch (error) {
      expect((error as Error).name).toBe('LocalCloudError');
      return;
    }
    const journey: Promise<string | undefined> = JOURNEYS[name](muster).then(
      () => undefined,
      (error) => String(error),
    );
    expect(await Promise.race([journey, erred, patience()])).toBeTypeOf('string');
    await muster.stop();
  });
});

/** On a template that is whole, each journey ends long before. */
const PATIENCE_MS = 8_000;
function patience(): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve('it did not come to its end'), PATIENCE_MS).unref();
  });
}

function isError({ line }: LogLine): boolean {
  return /"level":"ERROR"|failed:|is not authorized|lets apigateway/.test(line);
}

/** What Lambda itself does in a function's name, when it takes from a queue or stream for it. */
function usedByLambda(
  { action, arn }: { action: string; arn: string },
  mappings: readonly Resource[],
): boolean {
  if (action.startsWith('logs:')) return true;
  return mappings.some(({ properties }) => {
    const onFailure = (properties.DestinationConfig as { OnFailure?: Properties } | undefined)?.OnFailure;
    return (
      onFailure?.Destination === arn ||
      (properties.EventSourceArn === arn && TAKING.some((taking) => action.endsWith(taking)))
    );
  });
}
const TAKING = [
  ':ReceiveMessage',
  ':DeleteMessage',
  ':GetQueueAttributes',
  ':DescribeStream',
  ':GetRecords',
  ':GetShardIterator',
  ':ListStreams',
];

/** The alternatives of a pattern's leaves that none of the events matched. */
function unused(node: Properties, events: readonly unknown[], path: readonly string[] = []): string[] {
  return Object.entries(node).flatMap(([key, value]) => {
    const here = [...path, key];
    if (!Array.isArray(value)) return unused(value as Properties, events, here);
    return value
      .filter((alternative) => {
        const only = here.reduceRight<unknown>((inner, name) => ({ [name]: inner }), [alternative]);
        return !events.some(compilePattern(only));
      })
      .map((alternative) => `${here.join('.')}: ${JSON.stringify(alternative)}`);
  });
}

/** The logical id of the one resource of a type whose id has a part. */
function idOf(all: Resources, type: string, part: string): string {
  const ids = Object.keys(all).filter((id) => all[id]!.Type === type && id.includes(part));
  expect(ids, `${type} with ${part} in its id`).toHaveLength(1);
  return ids[0]!;
}

function variables(all: Resources, service: string): Record<string, unknown> {
  return (functionOf(all, service).Properties.Environment as { Variables: Record<string, unknown> })
    .Variables;
}

function functionOf(all: Resources, service: string): Resources[string] {
  return Object.values(all).find(
    ({ Type, Properties }) =>
      Type === 'AWS::Lambda::Function' &&
      JSON.stringify(Properties.Environment).includes(`"POWERTOOLS_SERVICE_NAME":"${service}"`),
  )!;
}

function pattern(all: Resources, rule: string): Record<string, unknown> {
  return all[idOf(all, 'AWS::Events::Rule', rule)]!.Properties.EventPattern as Record<string, unknown>;
}

/** Takes an action out of a function's policy. */
function forbid(all: Resources, service: string, action: string): void {
  const [role] = (functionOf(all, service).Properties.Role as { 'Fn::GetAtt': [string, string] })[
    'Fn::GetAtt'
  ];
  for (const { Type, Properties } of Object.values(all)) {
    if (Type !== 'AWS::IAM::Policy' || !JSON.stringify(Properties.Roles).includes(role)) continue;
    const document = Properties.PolicyDocument as { Statement: { Action: string | string[] }[] };
    document.Statement = document.Statement.map((statement) => ({
      ...statement,
      Action: [statement.Action].flat().filter((one) => one !== action),
    })).filter(({ Action }) => Action.length > 0);
  }
}
