import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { ladderDefinition } from '../../lib/contract/ladder.ts';
import { accessesOf } from '../../lib/local/access.ts';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import { deployCustomResources } from '../../lib/local/custom-resources.ts';
import { type LambdaFunction, makeFunctions } from '../../lib/local/lambda.ts';
import { type LogLine, startLocalCloud } from '../../lib/local/local-cloud.ts';
import { compilePattern } from '../../lib/local/pattern.ts';
import { isAllowed, matchesWildcard, roleStatements } from '../../lib/local/policy.ts';
import type { Properties, Resource, Template } from '../../lib/local/template.ts';
import { digestOf } from '../../lib/service/domain/stored-definition.ts';
import { scratchDir } from '../local/fixtures.ts';
import { IS_LONG } from '../long.ts';
import { eventually } from '../patience.ts';
import { JOURNEYS, type Journey } from './journeys.ts';
import { studioAround, type TestMuster, testMuster } from './muster.ts';
import { patientApp } from './patient-app.ts';
import { refusalsOfEachCall } from './refusals.ts';
import { retriesAtOnce } from './retries.ts';

const { template, assetPathOf } = patientApp();
/** The functions of the WebSocket API, of which `wiring-push.test.ts` has the journeys. */
const OF_SOCKETS = ['authorize', 'sockets', 'push'];

// biome-ignore lint/suspicious/noExplicitAny: each trigger has its own event type
type Invocation = { readonly event: any };

/** An action of a function on a resource. */
interface Access {
  readonly caller: string;
  readonly action: string;
  readonly resourceArn: string;
}

/** The length of a simulated minute in the service whose calls are rejected. */
const MINUTE_MS = 2_000;
/** Fewer rejected kinds of calls would mean that the faults do not reach the functions. */
const REFUSED_MIN = 30;

const invocations: Invocation[] = [];
/** The log of the cloud has only its last lines. */
const errors: LogLine[] = [];
const accesses: Access[] = [];
const muster = await watchedMuster();
const refusals = refusalsOfEachCall();
const failures: string[] = [];
/**
 * What functions do after rejected calls, and faults that are planted in the template, are parts of the long run. In `npm test`
 * test/service rejects each call of each use case, and test/infra/functions.test.ts lists the rights of each function.
 */
const failing = IS_LONG ? await failingMuster() : undefined;

/** The service of the whole template. Records the invocations of its functions and their accesses. */
async function watchedMuster(): Promise<TestMuster> {
  const { intercept } = retriesAtOnce();
  const log = (line: LogLine) => void (isError(line) && errors.push(line));
  const watched = await testMuster({ intercept: watching(intercept), log });
  for (const fn of functionsOf(watched)) {
    const { invoke } = fn;
    Object.assign(fn, {
      invoke(event: unknown) {
        invocations.push({ event });
        return invoke(event);
      },
    });
    afterAll(() => Object.assign(fn, { invoke }));
  }
  return watched;
}

/** The functions but those of the sockets. */
function functionsOf({ cloud }: TestMuster): LambdaFunction[] {
  const ofSockets = OF_SOCKETS.map((name) => cloud.function(name));
  return cloud.stack
    .resources('AWS::Lambda::Function')
    .map(({ logicalId }) => cloud.function(logicalId))
    .filter((fn) => !ofSockets.includes(fn));
}

/**
 * The same service, but the first calls of each kind to AWS are rejected. Records what its functions do in that case.
 * Minutes are short, so that the minute's schedule repairs failures soon.
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
  const end = new AbortController();
  // A minute begins when the one before has been worked off, so a busy machine has fewer of them.
  const minutes = (async () => {
    while (!end.signal.aborted) {
      await cloud.schedules.run().catch(() => {});
      await sleep(MINUTE_MS, undefined, { signal: end.signal }).catch(() => {});
    }
  })();
  const stop = async () => {
    end.abort();
    await Promise.all([cloud.stop(), minutes]);
  };
  return studioAround({ ...cloud, stop }, { repeats: true });
}

/** Raises the retry limits, because a message fails at each call of its function, which one outage would not cause. */
function withMoreTries({ Resources }: Template): Template {
  const all = structuredClone(Resources) as Resources;
  for (const { Type, Properties } of Object.values(all)) {
    const redrive = Type === 'AWS::SQS::Queue' && Properties.RedrivePolicy;
    if (redrive) (redrive as { maxReceiveCount: number }).maxReceiveCount += 20;
  }
  return { Resources: all };
}

/** Records the accesses of functions. */
function watching(intercept: Interceptor): Interceptor {
  return (call, service, caller) => {
    for (const { action, resourceArn } of accessesOf(call.target, call.operation, call.input))
      if (caller !== undefined) accesses.push({ caller, action, resourceArn });
    return intercept(call, service, caller);
  };
}

/** It expects that a tick finds what a crashed one has left. In other journeys `dispatch` runs, which would find it first. */
const ALONE = 'get tickets back that crashed ticks have claimed, although their first queue is removed';

describe.concurrent('with the whole template a game backend can', () => {
  const { [ALONE]: alone, ...together } = JOURNEYS;
  it(ALONE, { concurrent: false }, () => alone(muster));
  it.each(Object.entries<Journey>(together))('%s', async (_what, journey) => {
    await journey(muster);
  });
});

describe.runIf(failing)(
  'when the first calls of each kind are rejected, a game backend can still',
  { concurrent: true },
  () => {
    // What it has recorded is looked at below.
    afterAll(() => failing!.stop());
    it.each(Object.entries<Journey>(JOURNEYS))('%s', async (_what, journey) => {
      await journey(failing!);
    });
  },
);

describe('a deployment', () => {
  it('stores a ladder whose file is new, and removes it when the file is removed', async () => {
    const { cloud, api } = muster;
    const state = join(scratchDir(), 'custom-resources.json');
    const [resource] = cloud.stack.customResources();
    /** The function of a deployment has its definitions beside its code. */
    const deploy = async (ladder: Record<string, string>) => {
      const files = { queue: {}, ladder };
      const code = scratchDir();
      cpSync(assetPathOf(cloud.function('deploy-queues').logicalId), code, { recursive: true });
      writeFileSync(join(code, 'definitions.json'), JSON.stringify(files));
      const functions = makeFunctions(cloud.stack.resources('AWS::Lambda::Function'), {
        assetPathOf: (id) => (id === cloud.function('deploy-queues').logicalId ? code : assetPathOf(id)),
        awsEndpoint: cloud.awsConfig.endpoint,
        delays: NO_DELAYS,
        log: () => {},
        failed: (_, problem) => expect.fail(problem),
      });
      const digests = Object.entries(ladder).map(([name, text]) => [name, digestOf(JSON.parse(text))]);
      const properties = {
        ServiceToken: resource!.properties.ServiceToken,
        digest: digestOf(files),
        ladder: Object.fromEntries(digests),
      };
      const stack = { ...cloud.stack, customResources: () => [{ ...resource!, properties }] };
      await deployCustomResources(stack, functions, state).finally(() =>
        Promise.all(functions.map((fn) => fn.stop())),
      );
    };
    await deploy({ spare: JSON.stringify(ladderDefinition.parse({ name: 'spare' })) });
    expect((await api.get('/ladders/spare')).status).toBe(200);
    await deploy({});
    expect((await api.get('/ladders/spare')).status).toBe(404);
  });
});

describe('the template', () => {
  const functions = functionsOf(muster);

  it('leaves no errors in the log', () => {
    expect(errors.filter((line) => !isExpected(line))).toEqual([]);
  });

  it('has no unused route', () => {
    const keys = muster.cloud.stack
      .resources('AWS::ApiGatewayV2::Route')
      .map(({ properties }) => properties.RouteKey as string)
      // `other-origin.test.ts` sends the requests of pages, and `wiring-push.test.ts` opens sockets.
      .filter((key) => key === '$default' || /^(?!OPTIONS).* \//.test(key));
    const used = new Set(invocations.map(({ event }) => event.routeKey));
    expect(keys.filter((key) => !used.has(key))).toEqual([]);
  });

  // The last events of the journeys may still be on their way.
  it('has no unused event source and no unused alternative of a filter', () =>
    eventually(() => {
      const targets = functions.flatMap(({ name, arn }) => [name, arn]);
      for (const { logicalId, properties } of muster.cloud.stack.resources(
        'AWS::Lambda::EventSourceMapping',
      )) {
        if (!targets.includes(properties.FunctionName as string)) continue;
        const records = invocations
          .flatMap(({ event }) => event.Records ?? [])
          .filter(({ eventSourceARN }) => eventSourceARN === properties.EventSourceArn);
        expect(records.length, logicalId).toBeGreaterThan(0);
        const { Filters = [] } = (properties.FilterCriteria ?? {}) as { Filters?: { Pattern: string }[] };
        for (const { Pattern } of Filters) {
          expect(unused(JSON.parse(Pattern), records), `the filter of ${logicalId}`).toEqual([]);
        }
      }
    }));

  it('has no unused rule and no unused alternative of a pattern', () =>
    eventually(() => {
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
    }));

  it('has no unused schedule', () => {
    const schedules = muster.cloud.stack
      .resources('AWS::Events::Rule')
      .filter(({ properties }) => properties.ScheduleExpression !== undefined);
    const used = new Set(invocations.flatMap(({ event }) => event.resources ?? []));
    expect(schedules.filter(({ arn }) => !used.has(arn))).toEqual([]);
  });

  it.runIf(failing)('permits everything that functions do after a rejected call', () => {
    expect(refusals.refused.size).toBeGreaterThan(REFUSED_MIN);
    expect(failures.filter((line) => line.includes('is not authorized'))).toEqual([]);
  });

  const statements = roleStatements(muster.cloud.stack);
  it('permits every access of each function', () => {
    for (const access of accesses) {
      const { roleName } = muster.cloud.function(access.caller);
      expect(isAllowed(statements.get(roleName)!, access), JSON.stringify(access)).toBe(true);
    }
  });

  // Some are used only after a rejected call.
  it.runIf(IS_LONG)('gives no function a permission that neither success nor failure uses', () => {
    const mappings = muster.cloud.stack.resources('AWS::Lambda::EventSourceMapping');
    const unusedRights = functions.flatMap((fn) => {
      const theirs = accesses.filter(({ caller }) => caller === fn.name);
      const rights = statements
        .get(fn.roleName)!
        .flatMap(({ Action, Resource }) =>
          [Action!].flat().flatMap((action) => [Resource!].flat().map((arn) => ({ action, arn }))),
        );
      const used = ({ action, arn }: { action: string; arn: string }) =>
        theirs.some((access) => access.action === action && matchesWildcard(arn, access.resourceArn));
      return rights
        .filter((right) => !usedByLambda(right, mappings) && !used(right))
        .map(({ action, arn }) => `${fn.name} ${action} ${arn}`);
    });
    expect(unusedRights).toEqual([]);
  });
});

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

/** Faults in the template, each with the journey that must fail. */
const CUTS: readonly [what: string, journey: keyof typeof JOURNEYS, cut: (resources: Resources) => void][] = [
  [
    'enqueue has a wrong table in its environment',
    'get a match',
    (all) => {
      variables(all, 'enqueue').TICKETS_TABLE = {
        Ref: idOf(all, 'AWS::DynamoDB::GlobalTable', 'StoreMatches'),
      };
    },
  ],
  [
    'publish has no bus in its environment',
    'receive the event of a time-out',
    (all) => {
      delete variables(all, 'publish').EVENT_BUS_NAME;
    },
  ],
  ['tick may not put matches', 'get a match', (all) => forbid(all, 'tick', 'dynamodb:PutItem')],
  [
    'the filter on the stream of tickets drops cancelled tickets',
    'receive the events of a ticket in two queues until it is cancelled',
    (all) => {
      const mapping = all[idOf(all, 'AWS::Lambda::EventSourceMapping', 'FanOutTicketsStream')]!;
      const [filter] = (mapping.Properties.FilterCriteria as { Filters: { Pattern: string }[] }).Filters;
      filter!.Pattern = filter!.Pattern.replace('"CANCELLED",', '');
    },
  ],
  [
    'the rule to notify has a wrong prefix',
    'receive the event of a time-out',
    (all) => {
      pattern(all, 'NotifyRule').resources = [{ prefix: 'webhook:' }];
    },
  ],
  [
    'the rule to deadline omits PLACING',
    'miss the deadline of an assignment, and post the same ticket again',
    (all) => {
      pattern(all, 'DeadlineRule').detail = { match: { status: ['REQUIRES_ACCEPTANCE'] } };
    },
  ],
  [
    'a route is missing',
    'put an external assignment',
    (all) => {
      delete all[idOf(all, 'AWS::ApiGatewayV2::Route', 'PUTmatches')];
    },
  ],
  [
    'a route invokes another function',
    'run a dry run',
    (all) => {
      all[idOf(all, 'AWS::ApiGatewayV2::Route', 'dryrun')]!.Properties.Target =
        all[idOf(all, 'AWS::ApiGatewayV2::Route', 'Health')]!.Properties.Target;
    },
  ],
  [
    'the API may not invoke a function',
    'read health, the OpenAPI document and an unknown path',
    (all) => {
      delete all[idOf(all, 'AWS::Lambda::Permission', 'ApiHealth')];
    },
  ],
  [
    'the bus may not send to a queue',
    'receive the event of a time-out',
    (all) => {
      delete all[idOf(all, 'AWS::SQS::QueuePolicy', 'NotifyEventsQueuePolicy')];
    },
  ],
  [
    'the pool index lacks the players',
    'get a match',
    (all) => {
      const table = all[idOf(all, 'AWS::DynamoDB::GlobalTable', 'StoreTickets')]!;
      const [index] = table.Properties.GlobalSecondaryIndexes as [
        { Projection: { NonKeyAttributes: string[] } },
      ];
      index.Projection.NonKeyAttributes = ['enqueuedAt'];
    },
  ],
];

describe.runIf(IS_LONG)('a template with a wiring fault', { concurrent: true }, () => {
  it.each(CUTS)('in which %s does not let a game backend %s', async (_what, name, cut) => {
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
    expect(await Promise.race([journey, erred, outlasted(JOURNEYS[name])])).toBeTypeOf('string');
    await muster.stop();
  });
});

/** A journey that does not end while the correct service ends it this many times, one after the other, never ends. */
const OUTLASTED_TIMES = 3;
async function outlasted(journey: Journey): Promise<string> {
  // On a busy machine a function may run out of time; the tests above expect that it ends well.
  for (let time = 0; time < OUTLASTED_TIMES; time++) await journey(muster).catch(() => {});
  return 'the journey did not end';
}

/** Errors that journeys cause: a definition of a later version, a provisioner that refuses matches, and receivers that fail. */
function isExpected({ line }: LogLine): boolean {
  return /cannot be read by this version|"why":"the provisioner returned status 4|"too many matches of a queue fail"|"a webhook fails"/.test(
    line,
  );
}

function isError({ line }: LogLine): boolean {
  return /"level":"ERROR"|failed:|is not authorized|lets apigateway/.test(line);
}

/** The accesses of Lambda itself with a function's role, when it reads from a queue or stream for it, and commands to sockets. */
function usedByLambda(
  { action, arn }: { action: string; arn: string },
  mappings: readonly Resource[],
): boolean {
  if (/^(logs|execute-api):/.test(action)) return true;
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

/** The alternatives in a pattern that none of the events matched. */
function unused(node: Properties, events: readonly unknown[], path: readonly string[] = []): string[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === '$or') return (value as Properties[]).flatMap((pattern) => unused(pattern, events, path));
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

/** The logical id of the only resource of a type whose id contains the text. */
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

/** Removes an action from a function's policy. */
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
