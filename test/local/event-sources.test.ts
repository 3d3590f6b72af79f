import { expect, test } from 'vitest';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { startEventSources } from '../../lib/local/event-sources.ts';
import { LocalCloudError } from '../../lib/local/local-cloud-error.ts';
import { fakeFunction, stackOf } from './fixtures.ts';

test('a stream has at most the two readers that AWS lets read a shard', () => {
  const fn = fakeFunction('Reader');
  const mapping = {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { FunctionName: fn.name, EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] } },
  };
  const stack = stackOf({
    Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} },
    First: mapping,
    Second: mapping,
    Third: mapping,
  });
  const everything = { Effect: 'Allow', Action: '*', Resource: '*' } as const;
  const start = () =>
    startEventSources({
      stack,
      functions: [fn],
      roleStatements: new Map([[fn.roleName, [everything]]]),
      delays: NO_DELAYS,
      log: () => {},
      // Nothing is started.
      sqs: {} as never,
      dynamodb: {} as never,
      positions: {} as never,
    });
  expect(start).toThrow(LocalCloudError);
  expect(start).toThrow(/at most 2 event source mappings of the stream of Table.*got 3/);
});
