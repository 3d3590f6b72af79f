import { describe, expect, test } from 'vitest';
import { accessesOf } from '../../lib/local/access.ts';
import { isAllowed, type Statement } from '../../lib/local/policy.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Tickets';

describe('a role', () => {
  const allow: Statement = {
    Effect: 'Allow',
    Action: ['dynamodb:Get*', 'dynamodb:Query'],
    Resource: `${TABLE}/index/*`,
  };
  const may = (statements: Statement[], action: string, resourceArn: string) =>
    isAllowed(statements, { action, resourceArn });

  test('allows only the actions and resources that a statement names', () => {
    expect(may([allow], 'dynamodb:Query', `${TABLE}/index/pool`)).toBe(true);
    expect(may([allow], 'dynamodb:getitem', `${TABLE}/index/pool`)).toBe(true);
    expect(may([allow], 'dynamodb:PutItem', `${TABLE}/index/pool`)).toBe(false);
    expect(may([allow], 'dynamodb:Query', TABLE)).toBe(false);
    expect(may([], 'dynamodb:Query', TABLE)).toBe(false);
  });

  test('does not allow an action that another statement denies', () => {
    const deny: Statement = { Effect: 'Deny', Action: 'dynamodb:GetItem', Resource: '*' };
    expect(may([allow, deny], 'dynamodb:Query', `${TABLE}/index/pool`)).toBe(true);
    expect(may([allow, deny], 'dynamodb:GetItem', `${TABLE}/index/pool`)).toBe(false);
  });
});

describe('the policy of a queue', () => {
  const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:jobs';
  const fromRule = (rule: string): Statement => ({
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: QUEUE,
    Condition: { ArnEquals: { 'aws:SourceArn': rule } },
  });
  const onlyTls: Statement = {
    Effect: 'Deny',
    Principal: { AWS: '*' },
    Action: 'sqs:*',
    Resource: QUEUE,
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };
  const request = {
    action: 'sqs:SendMessage',
    resourceArn: QUEUE,
    service: 'events.amazonaws.com',
    context: { 'aws:SourceArn': 'arn:rule/a' },
  };

  test('lets only the rule that it names send', () => {
    expect(isAllowed([onlyTls, fromRule('arn:rule/a')], request)).toBe(true);
    expect(isAllowed([onlyTls, fromRule('arn:rule/b')], request)).toBe(false);
    expect(isAllowed([onlyTls], request)).toBe(false);
  });

  test('with an unsupported condition throws', () => {
    const statement: Statement = {
      ...fromRule('x'),
      Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } },
    };
    expect(() => isAllowed([statement], request)).toThrow('IpAddress');
  });
});

describe('accessesOf', () => {
  const needs = (target: string, operation: string, input: object) =>
    accessesOf(target, operation, input as Record<string, unknown>).map(
      ({ action, resourceArn }) => `${action} ${resourceArn.split(':').slice(5).join(':')}`,
    );
  const DYNAMODB = 'DynamoDB_20120810';

  test.each([
    [DYNAMODB, 'PutItem', { TableName: 'T' }, ['dynamodb:PutItem table/T']],
    [DYNAMODB, 'Query', { TableName: TABLE, IndexName: 'pool' }, ['dynamodb:Query table/Tickets/index/pool']],
    [
      DYNAMODB,
      'BatchWriteItem',
      { RequestItems: { A: [], B: [] } },
      ['dynamodb:BatchWriteItem table/A', 'dynamodb:BatchWriteItem table/B'],
    ],
    [
      DYNAMODB,
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'M' } },
          { Update: { TableName: 'T' } },
          { ConditionCheck: { TableName: 'Q' } },
        ],
      },
      ['dynamodb:PutItem table/M', 'dynamodb:UpdateItem table/T', 'dynamodb:ConditionCheckItem table/Q'],
    ],
    [
      'AmazonSQS',
      'SendMessageBatch',
      { QueueUrl: 'http://127.0.0.1:1/000000000000/jobs' },
      ['sqs:SendMessage jobs'],
    ],
    [
      'AWSEvents',
      'PutEvents',
      { Entries: [{ EventBusName: 'games' }] },
      ['events:PutEvents event-bus/games'],
    ],
    [
      'secretsmanager',
      'GetSecretValue',
      { SecretId: 'muster/x' },
      ['secretsmanager:GetSecretValue secret:muster/x-local0'],
    ],
  ])('returns for %s %s of %j the permissions %j', (target, operation, input, expected) => {
    expect(needs(target, operation, input)).toEqual(expected);
  });
});
