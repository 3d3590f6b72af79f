import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { ApiMapping, DomainName, HttpStage, type IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { type Scope, tokenScope } from '../../lib/contract/callers.ts';
import { ROUTE_KEYS, type RouteKey, scopesOf } from '../../lib/contract/routes.ts';
import { DEPLOYED } from '../../lib/costs/usage-costs.ts';
import { CONCURRENCY, limitsOf, POLL_CONCURRENCY } from '../../lib/infra/limits.ts';
import { Matchmaker, type MatchmakerProps } from '../../lib/infra/matchmaker.ts';
import { localApp } from '../../lib/infra/synthesize.ts';
import { isAllowed, roleStatements } from '../../lib/local/policy.ts';
import { readStack } from '../../lib/local/template.ts';
import { IS_LONG } from '../long.ts';
import { temporaryFolder } from './synthesized.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Another app: without feature flags, with its own construct tree and resources. */
function studio(props: MatchmakerProps | ((stack: Stack) => MatchmakerProps) = {}) {
  const app = localApp(temporaryFolder());
  const stack = new Stack(app, 'Studio');
  const matchmaker = new Matchmaker(stack, 'Matchmaker', typeof props === 'function' ? props(stack) : props);
  return { stack, matchmaker, template: () => Template.fromStack(stack) };
}

const templates = new Map<string, Template>();
/** The template of another app, synthesized once for each set of properties. */
function templateWith(props: MatchmakerProps = {}): Template {
  const key = JSON.stringify(props);
  const template = templates.get(key) ?? studio(props).template();
  templates.set(key, template);
  return template;
}

/** As docs/operations.md does. */
function mapDomain(stack: Stack, { api }: Matchmaker): void {
  const domainName = new DomainName(stack, 'Domain', {
    domainName: 'match.game.example',
    certificate: Certificate.fromCertificateArn(
      stack,
      'Certificate',
      'arn:aws:acm:eu-central-1:123456789012:certificate/id',
    ),
  });
  const stage = HttpStage.fromHttpStageAttributes(stack, 'ApiStage', {
    api: api as IHttpApi,
    stageName: '$default',
  });
  new ApiMapping(stack, 'Mapping', { api, domainName, stage });
}

const JWT = { issuer: 'https://issuer.example', audience: ['game'] };
const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
/** So many that a function could name no queues of GameLift beside them. */
const SECRET_GRANTS = { backend: Array.from({ length: 90 }, (_, n) => `queue-${n + 100}`) };
const GAME_SESSION_QUEUES = Array.from(
  { length: 8 },
  (_, n) => `arn:aws:gamelift:eu-central-1:123456789012:gamesessionqueue/arena-${n}`,
);
/** Options of which none changes what another one sets, in one template, because each takes a second to synthesize. */
const SET: MatchmakerProps = {
  invocationLog: true,
  pollConcurrency: 500,
  searchReserve: 30,
  publishReserve: 20,
  requestsPerSecond: 200,
  allowedOrigins: ['https://game.example'],
  secretsPrefix: 'studio/matchmaking/',
  secretsKeys: [KEY],
  secretGrants: SECRET_GRANTS,
};
/** The same options with other values. */
const SET_OTHERWISE: MatchmakerProps = {
  jwt: JWT,
  push: false,
  pollConcurrency: 0,
  tickConcurrency: 5,
  notifyConcurrency: 3,
  notifySlowConcurrency: 4,
  provisionConcurrency: 6,
  deadlineConcurrency: 7,
  searchReserve: 30,
  requestBurst: 50,
  gameSessionQueues: GAME_SESSION_QUEUES,
};

/** Calls of the roles of a stack that belong to no function. */
function callersOf(template: Template, stack: Stack) {
  const local = readStack(template.toJSON(), {
    awsEndpoint: 'http://aws.invalid',
    apiUrl: 'http://api.invalid',
  });
  const [api] = local.resources('AWS::ApiGatewayV2::Api');
  const all = roleStatements(local);
  return (id: string) => {
    const statements = all.get(stack.resolve((stack.node.findChild(id) as Role).roleName).Ref)!;
    return (key: RouteKey, name = 'some') => {
      const [method, path] = key.split(' ');
      const resourceArn = `${api!.arn}/$default/${method}${path!.replaceAll(/\{\w+\}/g, name)}`;
      return isAllowed(statements, { action: 'execute-api:Invoke', resourceArn });
    };
  };
}

describe('Matchmaker in another app', () => {
  const first = studio();
  new Matchmaker(first.stack, 'Second', { secretsPrefix: 'second/', push: false });
  mapDomain(first.stack, first.matchmaker);
  const twice = first.template();

  it('needs no properties', () => {
    const template = templateWith();
    template.resourceCountIs('AWS::Lambda::Function', 18);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 8);
    template.resourceCountIs('Custom::QueueDefinitions', 0);
  });

  it('can be used twice in one stack, once with push: the resources of both are fewer than the 500 of a stack', () => {
    twice.resourceCountIs('AWS::ApiGatewayV2::Api', 3);
    twice.resourceCountIs('AWS::Events::EventBus', 2);
  });

  it('lets a domain be mapped to its stage, as docs/operations.md does', () => {
    const [own] = Object.values(twice.findResources('AWS::ApiGatewayV2::Stage'));
    const [mapping] = Object.values(twice.findResources('AWS::ApiGatewayV2::ApiMapping'));
    expect(mapping!.Properties).toMatchObject({
      Stage: own!.Properties.StageName,
      ApiId: own!.Properties.ApiId,
    });
  });

  const {
    stack,
    matchmaker,
    template: synthesize,
  } = studio((stack) => ({
    alarmTopic: new Topic(stack, 'Alarms'),
  }));
  const caller = (id: string) =>
    new Role(stack, id, { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
  matchmaker.grantBackend(caller('backend'));
  matchmaker.grantAdmin(caller('admin'));
  matchmaker.grantAdmin(caller('adminOfSome'), 'arena', 'duel');
  const template = synthesize();
  const callsOf = callersOf(template, stack);

  describe.each(['backend', 'admin'] as const)('lets a %s by IAM', (scope) => {
    it.each(ROUTE_KEYS)('call %s only if it is a route of its scope', (key) => {
      expect(callsOf(scope)(key)).toBe((scopesOf(key) as readonly Scope[]).includes(scope));
    });
  });

  it('lets an admin of some queues call only the routes of these queues', () => {
    const may = callsOf('adminOfSome');
    for (const queue of ['arena', 'duel']) {
      expect(may('PUT /queues/{queue}', queue)).toBe(true);
      expect(may('DELETE /queues/{queue}', queue)).toBe(true);
      expect(may('GET /queues/{queue}/stats', queue)).toBe(true);
    }
    expect(may('PUT /queues/{queue}', 'raid')).toBe(false);
    expect(may('PUT /queues/{queue}', 'duel-2')).toBe(false);
    expect(may('GET /queues')).toBe(false);
  });

  it('rejects a grant for a queue whose name is a pattern', () => {
    const role = stack.node.findChild('admin') as Role;
    expect(() => matchmaker.grantAdmin(role, 'a*')).toThrow('Expected the name of a queue, got "a*".');
  });

  it('exposes its API, bus and tables to other constructs', () => {
    const { Resources } = template.toJSON();
    const typeOf = (value: string) => Resources[stack.resolve(value).Ref].Type;
    expect(typeOf(matchmaker.bus.eventBusName)).toBe('AWS::Events::EventBus');
    expect(Object.values(matchmaker.tables).map(({ tableName }) => typeOf(tableName))).toEqual(
      Array(7).fill('AWS::DynamoDB::GlobalTable'),
    );
    const [api, attribute] = stack.resolve(matchmaker.apiUrl)['Fn::GetAtt'];
    expect([Resources[api].Type, attribute]).toEqual(['AWS::ApiGatewayV2::Api', 'ApiEndpoint']);
  });

  it('lets Lambda log every invocation only on request', () => {
    const levels = (template: Template) => [
      ...new Set(
        Object.values(template.findResources('AWS::Lambda::Function')).map(
          ({ Properties }) => Properties.LoggingConfig?.SystemLogLevel,
        ),
      ),
    ];
    expect(levels(templateWith())).toEqual(['WARN']);
    expect(levels(templateWith(SET))).toEqual(['INFO']);
  });

  it('has as many alarms, dashboards and queues with pollers as its price is estimated for', () => {
    const template = templateWith();
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
    const metricsOf = ({ Properties }: (typeof alarms)[number]) =>
      (Properties.Metrics as { MetricStat?: object }[] | undefined)?.filter(({ MetricStat }) => MetricStat)
        .length ?? 1;
    const sources = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
    const ofQueues = sources.filter(({ Properties }) => Properties.StartingPosition === undefined);
    expect({
      alarmMetrics: alarms.reduce((sum, alarm) => sum + metricsOf(alarm), 0),
      dashboards: Object.keys(template.findResources('AWS::CloudWatch::Dashboard')).length,
      polledQueues: ofQueues.length,
      secrets: Object.keys(template.findResources('AWS::SecretsManager::Secret')).length,
    }).toEqual({
      alarmMetrics: DEPLOYED.alarmMetrics,
      dashboards: DEPLOYED.dashboards,
      polledQueues: DEPLOYED.polledQueues,
      secrets: DEPLOYED.secrets,
    });
  });

  it('notifies a topic when an alarm starts and ends', () => {
    const { topicArn } = stack.node.findChild('Alarms') as Topic;
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms).toHaveLength(36);
    for (const { Properties } of alarms) {
      expect(Properties.AlarmActions).toEqual([stack.resolve(topicArn)]);
      expect(Properties.OKActions).toEqual([stack.resolve(topicArn)]);
    }
  });
});

describe('the guides of docs/operations.md', () => {
  it('may be followed in any region: the template names none', () => {
    expect(JSON.stringify(templateWith().toJSON())).not.toMatch(/\b(us|eu|ap|sa|ca|af|me)-[a-z]+-\d\b/);
  });

  it('name the metrics that functions record', () => {
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const section = page.slice(page.indexOf('## Metrics in other systems'));
    const named = [...section.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, name]) => name!);
    const dashboard = JSON.stringify(templateWith().findResources('AWS::CloudWatch::Dashboard'));
    for (const name of new Set(named))
      if (!['Muster', 'GetMetricData'].includes(name)) expect(dashboard).toContain(name);
  });
});

describe('limits', () => {
  const reservedIn = (template: Template) =>
    Object.fromEntries(
      Object.values(template.findResources('AWS::Lambda::Function'))
        .filter(({ Properties }) => Properties.ReservedConcurrentExecutions !== undefined)
        .map(({ Properties }) => [
          Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME,
          Properties.ReservedConcurrentExecutions,
        ]),
    );
  const ticksAtOnce = (template: Template) =>
    Object.values(template.findResources('AWS::Lambda::EventSourceMapping')).find(
      ({ Properties }) => Properties.BatchSize === 1,
    )!.Properties.ScalingConfig?.MaximumConcurrency;

  it('reserve no concurrency by default', () => {
    const template = templateWith();
    expect(reservedIn(template)).toEqual({});
    expect(ticksAtOnce(template)).toBe(200);
  });

  it('cap the concurrent long polls', () => {
    expect(reservedIn(templateWith(SET))).toMatchObject({ tickets: 500 });
  });

  it('cap the long polls of players, who have tokens, unless the option is 0', () => {
    expect(reservedIn(templateWith({ jwt: JWT }))).toEqual({ tickets: POLL_CONCURRENCY });
    expect(reservedIn(templateWith(SET_OTHERWISE))).not.toHaveProperty('tickets');
    expect(limitsOf({ jwt: JWT, pollConcurrency: 700 }).reserved.tickets).toBe(700);
    const queues = Object.values(CONCURRENCY).reduce((sum, one) => sum + one, 0);
    // The usual limit of an account, of which AWS requires that 100 stay unreserved.
    expect(POLL_CONCURRENCY + queues).toBeLessThanOrEqual(1_000 - 100);
  });

  it('reserve concurrency for tick and dispatch, and start at most as many ticks as are reserved', () => {
    const template = templateWith(SET);
    expect(reservedIn(template)).toMatchObject({ tick: 30, dispatch: 2 });
    expect(ticksAtOnce(template)).toBe(30);
  });

  it('reserve concurrency for publish', () => {
    expect(reservedIn(templateWith(SET))).toMatchObject({ publish: 20 });
  });

  const concurrencyIn = (template: Template) =>
    Object.values(template.findResources('AWS::Lambda::EventSourceMapping')).flatMap(
      ({ Properties }) => Properties.ScalingConfig?.MaximumConcurrency ?? [],
    );

  it('cap the concurrent invocations by each queue', () => {
    const { tick, ...others } = CONCURRENCY;
    const pushAgain = 5;
    expect(concurrencyIn(templateWith())).toEqual([tick, ...Object.values(others), pushAgain]);
    const gameLift = SET_OTHERWISE.provisionConcurrency;
    expect(concurrencyIn(templateWith(SET_OTHERWISE))).toEqual([5, 3, 4, 6, 7, CONCURRENCY.rate, gameLift]);
  });

  it('leave more than half of an account’s usual concurrency to other functions', () => {
    expect(Object.values(CONCURRENCY).reduce<number>((sum, one) => sum + one, 0)).toBeLessThan(500);
  });

  it('cap the concurrent ticks with a reservation too', () => {
    expect(ticksAtOnce(templateWith(SET_OTHERWISE))).toBe(5);
  });

  it.each([
    [SET, { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 200 }],
    [SET_OTHERWISE, { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 50 }],
  ])('set the rate of each closed route with %j', (props, DefaultRouteSettings) => {
    templateWith(props).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings,
      RouteSettings: Match.objectLike({ $default: { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 } }),
    });
  });

  it.each([
    [{ pollConcurrency: -1 }, 'Expected `pollConcurrency` to be a whole number from 0 and up, got -1.'],
    [{ searchReserve: 1 }, 'Expected `searchReserve` to be a whole number from 2 to 1000, got 1.'],
    [{ publishReserve: 1.5 }, 'Expected `publishReserve` to be a whole number from 1 and up, got 1.5.'],
    [{ tickConcurrency: 1001 }, 'Expected `tickConcurrency` to be a whole number from 2 to 1000, got 1001.'],
    [
      { tickConcurrency: 31, searchReserve: 30 },
      'Expected `tickConcurrency` to be a whole number from 2 to 30, got 31.',
    ],
    [{ notifyConcurrency: 1 }, 'Expected `notifyConcurrency` to be a whole number from 2 to 1000, got 1.'],
    [
      { notifySlowConcurrency: 0 },
      'Expected `notifySlowConcurrency` to be a whole number from 2 to 1000, got 0.',
    ],
    [
      { provisionConcurrency: 1001 },
      'Expected `provisionConcurrency` to be a whole number from 2 to 1000, got 1001.',
    ],
    [
      { deadlineConcurrency: 2.5 },
      'Expected `deadlineConcurrency` to be a whole number from 2 to 1000, got 2.5.',
    ],
    [{ requestsPerSecond: 0 }, 'Expected `requestsPerSecond` to be a whole number from 1 and up, got 0.'],
    [{ bucketCapacity: 0 }, 'Expected `bucketCapacity` to be a number above 0 to 1, got 0.'],
    [{ bucketCapacity: 1.5 }, 'Expected `bucketCapacity` to be a number above 0 to 1, got 1.5.'],
    [{ requestBurst: -1 }, 'Expected `requestBurst` to be a whole number from 1 and up, got -1.'],
  ])('are rejected when they are %j', (props, message) => {
    expect(() => limitsOf(props)).toThrow(message);
  });
});

describe('the repository linked into another project', () => {
  /** Runs a module of a project that has the repository as a package, and returns what it prints. */
  async function printed(app: string): Promise<string> {
    const project = temporaryFolder();
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/muster'));
    symlinkSync(join(root, 'node_modules/aws-cdk-lib'), join(project, 'node_modules/aws-cdk-lib'));
    writeFileSync(join(project, 'app.mjs'), app);
    const { stdout } = await promisify(execFile)(process.execPath, ['app.mjs'], { cwd: project });
    return stdout.trim();
  }

  it('can be imported by Node without a build', async () => {
    expect(await printed("import { Matchmaker } from 'muster'; console.log(Matchmaker.name);")).toBe(
      'Matchmaker',
    );
  });

  // It bundles the functions as all tests of this file do.
  it.runIf(IS_LONG)('can be deployed without a build', async () => {
    const functions = await printed(
      `import { App, Stack } from 'aws-cdk-lib';
       import { Matchmaker } from 'muster';
       const app = new App({ outdir: 'cdk.out', builtinCloudFormationValidation: false });
       const stack = new Stack(app, 'Game');
       new Matchmaker(stack, 'Matchmaker', { stage: 'prod' });
       console.log(Object.values(app.synth().getStackByName('Game').template.Resources)
         .filter(({ Type }) => Type === 'AWS::Lambda::Function').length);`,
    );
    expect(functions).toBe('18');
  });
});

describe('tokens instead of AWS credentials', () => {
  it('protect every route that IAM protects', () => {
    const template = templateWith(SET_OTHERWISE);
    template.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: 'https://issuer.example', Audience: ['game'] },
    });
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    const types = routes.map(({ Properties }) => Properties.AuthorizationType);
    expect(types.filter((type) => type === 'JWT')).toHaveLength(45);
    expect(types.filter((type) => type === 'NONE')).toHaveLength(3);
    expect(routes.filter(({ Properties }) => Properties.AuthorizerId)).toHaveLength(45);
  });

  it.each(ROUTE_KEYS)('admit to %s the callers with a scope of the route', (key) => {
    const template = templateWith({ jwt: JWT });
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    const { AuthorizationScopes = [] } = routes.find(
      ({ Properties }) => Properties.RouteKey === key,
    )!.Properties;
    expect(AuthorizationScopes).toEqual(scopesOf(key).map(tokenScope));
  });

  it.each([
    [
      { jwt: { issuer: 'http://issuer.example', audience: ['game'] } },
      'Expected `jwt.issuer` to be an https URL',
    ],
    [
      { jwt: { issuer: 'https://issuer.example', audience: [] } },
      'Expected `jwt.audience` to name at least one',
    ],
    [{ secretsPrefix: '' }, 'Expected `secretsPrefix` to be at least one character'],
  ])('%j is rejected', (props, message) => {
    expect(() => studio(props)).toThrow(message);
  });
});

describe('the option allowedOrigins', () => {
  it('lets pages of these origins send what the client sends, and limits preflights as other requests', () => {
    const template = templateWith(SET);
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: Match.objectLike({
        AllowOrigins: ['https://game.example'],
        AllowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
        ExposeHeaders: ['etag', 'retry-after', 'x-request-id'],
        MaxAge: 7200,
      }),
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::Route', {
      RouteKey: 'OPTIONS /{proxy+}',
      AuthorizationType: 'NONE',
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      RouteSettings: Match.objectLike({
        'OPTIONS /{proxy+}': { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 200 },
      }),
    });
  });

  it('is off by default', () => {
    const text = JSON.stringify(templateWith().toJSON());
    expect(text).not.toMatch(/CorsConfiguration|OPTIONS/);
  });

  it.each(['game.example', 'https://game.example/', 'https://game.example/play', 'https://*.example'])(
    'is rejected when it is %s',
    (origin) => {
      expect(() => studio({ allowedOrigins: [origin] })).toThrow(
        `Expected \`allowedOrigins\` to be origins such as https://game.example, or *, got "${origin}".`,
      );
    },
  );
});

describe('the environment of a function', () => {
  it('has at most the 4 KB that Lambda takes: options that are short one by one are refused in sum', () => {
    templateWith(SET);
    templateWith(SET_OTHERWISE);
    expect(() =>
      templateWith({ secretGrants: SECRET_GRANTS, gameSessionQueues: GAME_SESSION_QUEUES }),
    ).toThrow(
      /environment of the function queues to have at most 4096 bytes.*, got 4\d\d\d \(DEAD_LETTER_URLS \d+, SECRET_GRANTS \d+, GAME_SESSION_QUEUES \d+\)\. Shorten/,
    );
  });
});

describe('secrets', () => {
  it('are readable only under the configured prefix', () => {
    const text = JSON.stringify(templateWith(SET).toJSON());
    expect(text).toContain(':secret:studio/matchmaking/*');
    expect(text).not.toContain(':secret:muster/');
  });

  it('under customer keys can be decrypted only by functions that read secrets, through Secrets Manager', () => {
    const policies = Object.values(templateWith(SET).findResources('AWS::IAM::Policy'));
    const decrypting = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.filter(
        ({ Action }: { Action: string }) => Action === 'kms:Decrypt',
      ).map((statement: object) => [Properties.Roles[0].Ref, statement]),
    );
    expect(decrypting.map(([role]) => String(role))).toEqual([
      expect.stringContaining('FanOutNotify'),
      expect.stringContaining('FanOutProvision'),
    ]);
    for (const [, statement] of decrypting) {
      expect(statement).toEqual({
        Action: 'kms:Decrypt',
        Effect: 'Allow',
        Resource: KEY,
        Condition: {
          StringEquals: {
            'kms:ViaService': {
              'Fn::Join': ['', ['secretsmanager.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]],
            },
          },
        },
      });
    }
  });

  it('need no permission for a key unless keys are given', () => {
    expect(JSON.stringify(templateWith().toJSON())).not.toContain('kms:');
  });

  it.each(['*', 'alias/mine', 'arn:aws:kms:eu-central-1:123456789012:key/*'])(
    'are not under the key %s',
    (key) => {
      expect(() => studio({ secretsKeys: [key] })).toThrow('Expected `secretsKeys` to be ARNs of KMS keys');
    },
  );
});
