// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub's own notation
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BusEvent } from '../../lib/local/event-bus.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from '../../lib/local/local-cloud.ts';
import { LocalCloudError } from '../../lib/local/local-cloud-error.ts';
import type { Template } from '../../lib/local/template.ts';
import { newDir, scratchDir, until, writeCode } from './fixtures.ts';
import { descendants, isGone, isLinux } from './processes.ts';

const sdk = (name: string) => import.meta.resolve(`@aws-sdk/client-${name}`);

/** A ring: HTTP → table → stream → bus → queue → table. The functions use the SDK as Muster's functions do. */
const SOURCES = {
  Api: `
    import { DynamoDBClient, PutItemCommand, ScanCommand } from '${sdk('dynamodb')}';
    const client = new DynamoDBClient({});
    export const handler = async ({ pathParameters, queryStringParameters }) => {
      const TableName = process.env.TABLE;
      if (queryStringParameters?.scan) {
        return client.send(new ScanCommand({ TableName })).then(() => ({}), ({ name, message }) => ({ name, message }));
      }
      await client.send(new PutItemCommand({ TableName, Item: { id: { S: pathParameters.id } } }));
      return { id: pathParameters.id };
    };`,
  Publish: `
    import { EventBridgeClient, PutEventsCommand } from '${sdk('eventbridge')}';
    const client = new EventBridgeClient({});
    export const handler = async ({ Records }) => {
      const Entries = Records.map(({ dynamodb }) => ({
        EventBusName: process.env.BUS, Source: 'test', DetailType: 'Put', Resources: ['things/' + dynamodb.Keys.id.S],
        Detail: JSON.stringify({ id: dynamodb.Keys.id.S }),
      }));
      const { FailedEntryCount } = await client.send(new PutEventsCommand({ Entries }));
      if (FailedEntryCount > 0) throw new Error('not put');
    };`,
  Work: `
    import { DynamoDBClient, PutItemCommand } from '${sdk('dynamodb')}';
    import { GetSecretValueCommand, SecretsManagerClient } from '${sdk('secrets-manager')}';
    const client = new DynamoDBClient({});
    const secrets = new SecretsManagerClient({});
    export const handler = async ({ Records }) => {
      const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: 'muster/word' }));
      for (const { body } of Records) {
        const { detail } = JSON.parse(body);
        await client.send(new PutItemCommand({ TableName: process.env.DONE,
          Item: { id: { S: detail.id }, word: { S: SecretString }, event: { S: body } } }));
      }
    };`,
  Deploy: `
    export const handler = async (event) => {
      console.log(event.RequestType, JSON.stringify(event.OldResourceProperties ?? null), JSON.stringify(event.ResourceProperties));
      const { refuse } = event.ResourceProperties;
      await fetch(event.ResponseURL, { method: 'PUT', body: JSON.stringify({
        Status: refuse ? 'FAILED' : 'SUCCESS', Reason: refuse, PhysicalResourceId: 'seed',
        StackId: event.StackId, RequestId: event.RequestId, LogicalResourceId: event.LogicalResourceId }) });
    };`,
  Scheduled: `export const handler = async (event) => { console.log(JSON.stringify(event)); };`,
};

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

const arnOf = (logicalId: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [logicalId, attribute] });

function functionOf(
  name: string,
  Variables: object,
  ...statements: [action: string | string[], resource: unknown][]
): Resources {
  return {
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Handler: 'index.handler',
        Role: arnOf(`${name}Role`),
        Timeout: 10,
        MemorySize: 512,
        Environment: { Variables },
      },
    },
    [`${name}Role`]: { Type: 'AWS::IAM::Role', Properties: {} },
    [`${name}Policy`]: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        Roles: [{ Ref: `${name}Role` }],
        PolicyDocument: {
          Statement: statements.map(([Action, Resource]) => ({ Effect: 'Allow', Action, Resource })),
        },
      },
    },
  };
}

const tableOf = (rest: object = {}) => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ...rest,
  },
});

const permissionOf = (FunctionName: unknown, Principal: string, SourceArn: unknown) => ({
  Type: 'AWS::Lambda::Permission',
  Properties: { Action: 'lambda:InvokeFunction', FunctionName, Principal, SourceArn },
});

/** @param change replaces resources; a value of undefined removes one */
function templateOf(change: Record<string, Resources[string] | undefined> = {}): Template {
  const resources: Record<string, Resources[string] | undefined> = {
    Things: tableOf({ StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
    Done: tableOf({ TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } }),
    Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'games' } },
    Jobs: { Type: 'AWS::SQS::Queue', Properties: {} },
    ...functionOf('Api', { TABLE: { Ref: 'Things' } }, ['dynamodb:PutItem', arnOf('Things')]),
    ...functionOf(
      'Publish',
      { BUS: { Ref: 'Bus' } },
      ['events:PutEvents', arnOf('Bus')],
      [
        [
          'dynamodb:DescribeStream',
          'dynamodb:GetRecords',
          'dynamodb:GetShardIterator',
          'dynamodb:ListStreams',
        ],
        arnOf('Things', 'StreamArn'),
      ],
    ),
    ...functionOf(
      'Work',
      { DONE: { Ref: 'Done' } },
      ['dynamodb:PutItem', arnOf('Done')],
      [
        'secretsmanager:GetSecretValue',
        { 'Fn::Sub': 'arn:aws:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:muster/*' },
      ],
      [['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], arnOf('Jobs')],
    ),
    ...functionOf('Deploy', {}),
    ...functionOf('Scheduled', { POWERTOOLS_SERVICE_NAME: 'dispatch' }),
    Stream: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionName: { Ref: 'Publish' }, EventSourceArn: arnOf('Things', 'StreamArn') },
    },
    Queue: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionName: { Ref: 'Work' }, EventSourceArn: arnOf('Jobs') },
    },
    ToJobs: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventBusName: { Ref: 'Bus' },
        EventPattern: {
          source: ['test'],
          resources: [{ prefix: 'things/' }],
          detail: { id: ['wanted', 'after', 'kept'] },
        },
        Targets: [{ Arn: arnOf('Jobs'), Id: 'Jobs' }],
      },
    },
    JobsPolicy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [{ Ref: 'Jobs' }],
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Allow',
              Principal: { Service: 'events.amazonaws.com' },
              Action: 'sqs:SendMessage',
              Resource: arnOf('Jobs'),
              Condition: { ArnEquals: { 'aws:SourceArn': arnOf('ToJobs') } },
            },
          ],
        },
      },
    },
    EveryMinute: {
      Type: 'AWS::Events::Rule',
      Properties: {
        ScheduleExpression: 'cron(* * * * ? *)',
        Targets: [{ Arn: arnOf('Scheduled'), Id: 'Scheduled' }],
      },
    },
    EveryMinutePermission: permissionOf(arnOf('Scheduled'), 'events.amazonaws.com', arnOf('EveryMinute')),
    Http: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} },
    Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { StageName: '$default' } },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationUri: arnOf('Api'), PayloadFormatVersion: '2.0' },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        RouteKey: 'PUT /things/{id}',
        Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Integration' }]] },
      },
    },
    HttpPermission: permissionOf(arnOf('Api'), 'apigateway.amazonaws.com', {
      'Fn::Join': ['', ['arn:aws:execute-api:us-east-1:000000000000:', { Ref: 'Http' }, '/*/*/things/{id}']],
    }),
    Seed: { Type: 'Custom::Seed', Properties: { ServiceToken: arnOf('Deploy'), count: 3 } },
    ...change,
  };
  const present = Object.entries(resources).filter(([, resource]) => resource !== undefined);
  return { Resources: Object.fromEntries(present) as Resources };
}

const codeDir = newDir();
const assetPathOf = writeCode(codeDir, SOURCES);
afterAll(() => rmSync(codeDir, { recursive: true }));

const start = (template: Template, options: Partial<LocalCloudOptions> = {}) =>
  startLocalCloud({ template, assetPathOf, port: 0, schedules: false, ...options });

const doneItem = async (cloud: LocalCloud, id: string) => {
  const client = new DynamoDBClient(cloud.awsConfig);
  const { Item } = await client.send(new GetItemCommand({ TableName: 'Done', Key: { id: { S: id } } }));
  client.destroy();
  return Item;
};
const putThing = (cloud: LocalCloud, id: string) => fetch(`${cloud.url}/things/${id}`, { method: 'PUT' });
const logged = (cloud: LocalCloud, source: string) =>
  cloud.logs.filter((line) => line.source === source).map(({ line }) => line);

describe('a local cloud', () => {
  let cloud: LocalCloud;
  const events: BusEvent[] = [];
  beforeAll(async () => {
    cloud = await start(templateOf());
    cloud.secrets.set('word', 'hush');
    cloud.tapBus((event) => events.push(event));
  });
  afterAll(() => cloud.stop());

  test('passes a write of one function through stream, bus and queue to another function', async () => {
    const response = await putThing(cloud, 'wanted');
    expect(await response.json()).toEqual({ id: 'wanted' });
    await until(() => doneItem(cloud, 'wanted'));
    const item = (await doneItem(cloud, 'wanted'))!;
    expect(item.word).toEqual({ S: 'hush' });
    expect(JSON.parse(item.event!.S!)).toEqual({
      version: '0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'detail-type': 'Put',
      source: 'test',
      account: '000000000000',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      region: 'us-east-1',
      resources: ['things/wanted'],
      detail: { id: 'wanted' },
    });
  });

  test('sends no event to a queue whose rule does not match it', async () => {
    await putThing(cloud, 'unwanted');
    await putThing(cloud, 'after');
    await until(() => doneItem(cloud, 'after'));
    expect(events.map(({ detail }) => (detail as { id: string }).id)).toContain('unwanted');
    expect(await doneItem(cloud, 'unwanted')).toBeUndefined();
  });

  test("rejects and logs a call that the function's role does not allow", async () => {
    const response = await fetch(`${cloud.url}/things/x?scan=1`, { method: 'PUT' });
    const refusal =
      'User: arn:aws:sts::000000000000:assumed-role/ApiRole/Api is not authorized to perform: dynamodb:Scan on resource: ' +
      'arn:aws:dynamodb:us-east-1:000000000000:table/Things because no identity-based policy allows the dynamodb:Scan action';
    expect(await response.json()).toEqual({ name: 'AccessDeniedException', message: refusal });
    expect(logged(cloud, 'local cloud')).toContain(refusal);
  });

  test('creates custom resources with their properties as strings', () => {
    const arn = 'arn:aws:lambda:us-east-1:000000000000:function:Deploy';
    expect(logged(cloud, 'Deploy')).toEqual([`Create null {"ServiceToken":"${arn}","count":"3"}`]);
  });

  test('invokes the functions of its schedules', async () => {
    await cloud.schedules.run();
    await until(() => logged(cloud, 'Scheduled').length > 0);
    expect(JSON.parse(logged(cloud, 'Scheduled')[0]!)).toMatchObject({
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      resources: ['arn:aws:events:us-east-1:000000000000:rule/EveryMinute'],
    });
  });

  test('finds a function by its service name, with its environment', () => {
    expect(cloud.function('dispatch').logicalId).toBe('Scheduled');
    expect(cloud.function('Work').environment).toEqual({ DONE: 'Done' });
    expect(() => cloud.function('nobody')).toThrow('Expected the name of a function');
  });

  test('deletes items past their time to live', async () => {
    const client = new DynamoDBClient(cloud.awsConfig);
    const nowSeconds = Math.floor(Date.now() / 1000);
    for (const [id, expiresAt] of [
      ['expired', nowSeconds - 1],
      ['alive', nowSeconds + 3600],
    ] as const) {
      const Item = { id: { S: id }, expiresAt: { N: String(expiresAt) } };
      await client.send(new PutItemCommand({ TableName: 'Done', Item }));
    }
    client.destroy();
    await cloud.expireItems();
    expect(await doneItem(cloud, 'expired')).toBeUndefined();
    expect(await doneItem(cloud, 'alive')).toBeDefined();
  });

  test('serves SDK clients and rejects invalid calls as AWS does', async () => {
    const sqs = new SQSClient(cloud.awsConfig);
    const events = new EventBridgeClient(cloud.awsConfig);
    const secrets = new SecretsManagerClient(cloud.awsConfig);
    await expect(
      sqs.send(
        new SendMessageCommand({
          QueueUrl: `${cloud.awsConfig.endpoint}/000000000000/Nowhere`,
          MessageBody: 'x',
        }),
      ),
    ).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    await expect(secrets.send(new GetSecretValueCommand({ SecretId: 'muster/none' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    const entry = { EventBusName: 'games', Source: 'other', DetailType: 'Any', Detail: '{}' };
    const { Entries, FailedEntryCount } = await events.send(
      new PutEventsCommand({
        Entries: [entry, { ...entry, Detail: '{' }, { ...entry, EventBusName: 'nowhere' }],
      }),
    );
    expect(FailedEntryCount).toBe(2);
    expect(Entries).toMatchObject([
      { EventId: expect.any(String) },
      { ErrorCode: 'MalformedDetail' },
      { ErrorCode: 'NotAuthorizedForSourceException' },
    ]);
    for (const client of [sqs, events, secrets]) client.destroy();
  });

  test('runs beside another one, which stops alone and once', async () => {
    const other = await start(templateOf());
    await putThing(other, 'x');
    await other.stop();
    await other.stop();
    await expect(putThing(other, 'y')).rejects.toThrow();
    expect((await putThing(cloud, 'x')).status).toBe(200);
  });
});

test('a local cloud with a data directory continues where the last one stopped', async () => {
  const dataDir = scratchDir();
  const first = await start(templateOf(), { dataDir });
  first.secrets.set('word', 'hush');
  await expect(start(templateOf(), { dataDir })).rejects.toThrow(
    `Another service uses the data directory ${dataDir}`,
  );
  await putThing(first, 'kept');
  await until(() => doneItem(first, 'kept'));
  await first.stop();

  const Seed = { Type: 'Custom::Seed', Properties: { ServiceToken: arnOf('Deploy'), count: 4 } };
  const second = await start(templateOf({ Seed }), { dataDir });
  expect(await doneItem(second, 'kept')).toMatchObject({ word: { S: 'hush' } });
  expect(logged(second, 'Deploy')[0]).toMatch(/^Update \{.*"count":"3"\} \{.*"count":"4"\}$/);
  await second.stop();
});

test('a local cloud with a data directory handles at once the messages that one was handling when it was killed, which left no process behind', async () => {
  const dataDir = scratchDir();
  const template = templateOf({ Jobs: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 600 } } });
  const module = import.meta.resolve('../../lib/local/local-cloud.ts');
  // Without its secret the consumer fails, and the message stays in flight.
  const killed = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `const { startLocalCloud } = await import('${module}');
    const { url } = await startLocalCloud({
      template: ${JSON.stringify(template)},
      assetPathOf: (logicalId) => '${codeDir}/' + logicalId,
      port: 0,
      dataDir: '${dataDir}',
      log: ({ line }) => line.startsWith('Work failed') && console.log(line),
    });
    await fetch(url + '/things/kept', { method: 'PUT' });`,
  ]);
  onTestFinished(() => void killed.kill('SIGKILL'));
  await once(killed.stdout, 'data');
  const started = isLinux ? descendants(killed) : [];
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await until(() => started.every(isGone));

  const secretsFile = join(scratchDir(), 'secrets.json');
  writeFileSync(secretsFile, '{ "word": "hush" }');
  const cloud = await start(template, { dataDir, secretsFile });
  await until(() => doneItem(cloud, 'kept'));
  await cloud.stop();
});

describe('the local cloud does not start a template with', () => {
  const without = (logicalId: string) => templateOf({ [logicalId]: undefined });
  test.each([
    [
      'a queue whose policy lets no rule send',
      without('JobsPolicy'),
      'No policy of the queue Jobs lets the rule ToJobs send to it',
    ],
    [
      'a schedule that may not invoke its function',
      without('EveryMinutePermission'),
      'No AWS::Lambda::Permission of Scheduled lets the rule EveryMinute invoke it',
    ],
    [
      'a schedule other than every minute',
      templateOf({
        EveryMinute: {
          Type: 'AWS::Events::Rule',
          Properties: {
            ScheduleExpression: 'cron(0 12 * * ? *)',
            Targets: [{ Arn: arnOf('Scheduled'), Id: 'Scheduled' }],
          },
        },
      }),
      'only the cron of every minute has a local counterpart',
    ],
    [
      'a consumer that may not read its queue',
      without('WorkPolicy'),
      'needs the role of Work to allow sqs:ReceiveMessage',
    ],
    ['a reference to a missing resource', without('Bus'), 'refers to Bus, which the template does not have'],
    [
      'a rule with an unsupported operator',
      templateOf({
        ToJobs: {
          Type: 'AWS::Events::Rule',
          Properties: { EventBusName: { Ref: 'Bus' }, EventPattern: { source: [{ cidr: '10.0.0.0/8' }] } },
        },
      }),
      'uses the operator "cidr"',
    ],
    [
      'a custom resource that fails',
      templateOf({
        Seed: { Type: 'Custom::Seed', Properties: { ServiceToken: arnOf('Deploy'), refuse: 'not today' } },
      }),
      'Seed failed: not today',
    ],
    [
      'a custom resource whose event is too large',
      templateOf({
        Seed: {
          Type: 'Custom::Seed',
          Properties: { ServiceToken: arnOf('Deploy'), list: 'x'.repeat(256 * 1024) },
        },
      }),
      'Seed failed: Lambda takes an asynchronous event of at most 262144 bytes',
    ],
  ])('%s', async (_, template, problem) => {
    const started = start(template);
    await expect(started).rejects.toThrow(LocalCloudError);
    await expect(started).rejects.toThrow(problem);
  });
});
