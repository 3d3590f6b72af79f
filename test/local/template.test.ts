// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub's own notation
import { describe, expect, test } from 'vitest';
import { LocalCloudError } from '../../lib/local/local-cloud-error.ts';
import { readStack, type Template } from '../../lib/local/template.ts';

const OPTIONS = { awsEndpoint: 'http://127.0.0.1:1', apiUrl: 'http://127.0.0.1:2' };

/** The resolved value of a property in a template that has other resources to refer to. */
function resolved(value: unknown, template: Partial<Template> = {}) {
  const stack = readStack(
    {
      ...template,
      Resources: {
        Probe: { Type: 'AWS::Lambda::Function', Properties: { value } },
        Jobs: { Type: 'AWS::SQS::Queue' },
        Named: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Join': ['-', ['my', 'jobs']] } } },
        Tickets: { Type: 'AWS::DynamoDB::GlobalTable' },
        Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'games' } },
        Rule: { Type: 'AWS::Events::Rule', Properties: { EventBusName: { Ref: 'Bus' } } },
        Api: { Type: 'AWS::ApiGatewayV2::Api' },
        ...template.Resources,
      },
    },
    OPTIONS,
  );
  return stack.resources('AWS::Lambda::Function')[0]!.properties.value;
}

describe('references', () => {
  test.each([
    [{ Ref: 'Jobs' }, 'http://127.0.0.1:1/000000000000/Jobs'],
    [{ Ref: 'Named' }, 'http://127.0.0.1:1/000000000000/my-jobs'],
    [{ 'Fn::GetAtt': ['Named', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:my-jobs'],
    [{ 'Fn::GetAtt': ['Named', 'QueueName'] }, 'my-jobs'],
    [{ Ref: 'Tickets' }, 'Tickets'],
    [{ 'Fn::GetAtt': ['Tickets', 'Arn'] }, 'arn:aws:dynamodb:us-east-1:000000000000:table/Tickets'],
    [{ 'Fn::GetAtt': ['Bus', 'Arn'] }, 'arn:aws:events:us-east-1:000000000000:event-bus/games'],
    [{ 'Fn::GetAtt': ['Rule', 'Arn'] }, 'arn:aws:events:us-east-1:000000000000:rule/games/Rule'],
    [{ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, 'http://127.0.0.1:2'],
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
  ])('%j is %j', (value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  test('resolve a parameter to its default', () => {
    expect(resolved({ Ref: 'Size' }, { Parameters: { Size: { Type: 'Number', Default: 3 } } })).toBe(3);
    expect(() => resolved({ Ref: 'Size' }, { Parameters: { Size: { Type: 'Number' } } })).toThrow(
      /no default/,
    );
  });

  test('to a missing resource throw an error that names the referring resource', () => {
    expect(() => resolved({ Ref: 'Nobody' })).toThrow('Probe refers to Nobody');
    expect(() => resolved({ 'Fn::GetAtt': ['Jobs', 'Color'] })).toThrow('Probe reads Jobs.Color');
  });
});

describe('intrinsic functions', () => {
  test.each([
    [{ 'Fn::Join': [':', ['a', { Ref: 'AWS::Partition' }]] }, 'a:aws'],
    [{ 'Fn::Sub': '${AWS::AccountId}/${Named.QueueName}/${!literal}' }, '000000000000/my-jobs/${literal}'],
    [{ list: [{ Ref: 'AWS::NoValue' }, 1], gone: { Ref: 'AWS::NoValue' } }, { list: [1] }],
    [
      { Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      { Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ],
  ])('%j is %j', (value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  test('throw when they have no local counterpart', () => {
    expect(() => resolved({ 'Fn::ImportValue': 'x' })).toThrow('Probe uses Fn::ImportValue');
    expect(() => resolved({ 'Fn::Sub': ['${x}', { x: 'a' }] })).toThrow('Probe uses Fn::Sub');
  });
});

describe('resources', () => {
  test('for monitoring are ignored, and other unsupported types throw', () => {
    const stack = readStack({ Resources: { Alarm: { Type: 'AWS::CloudWatch::Alarm' } } }, OPTIONS);
    expect(stack.resources('AWS::CloudWatch::Alarm')).toEqual([]);
    const bucket = () => readStack({ Resources: { Files: { Type: 'AWS::S3::Bucket' } } }, OPTIONS);
    expect(bucket).toThrow(LocalCloudError);
    expect(bucket).toThrow('The resource Files has the type AWS::S3::Bucket');
    const sometimes = { Sometimes: { Type: 'AWS::SQS::Queue', Condition: 'There' } };
    expect(() => readStack({ Resources: sometimes }, OPTIONS)).toThrow('Sometimes has a condition');
  });

  test('of a custom type are returned by customResources', () => {
    const stack = readStack({ Resources: { Seed: { Type: 'Custom::Seed', Properties: { a: 1 } } } }, OPTIONS);
    expect(stack.customResources()).toMatchObject([{ logicalId: 'Seed', properties: { a: 1 } }]);
  });
});
