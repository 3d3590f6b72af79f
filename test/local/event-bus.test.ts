import { expect, test } from 'vitest';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { jsonReply } from '../../lib/local/aws-json.ts';
import { EVENTS_TARGET, makeEventBus } from '../../lib/local/event-bus.ts';
import { stackOf } from './fixtures.ts';

test.each([
  ['its path in the event', '$.detail.match.queue', 'duel'],
  ['a text', 'all', 'all'],
  ['a path that the event does not have', '$.detail.raid.queue', undefined],
  ['nothing', undefined, undefined],
])('an event is sent in the message group that the rule names by %s', async (_, group, expected) => {
  const sent: object[] = [];
  const bus = makeEventBus({
    stack: stackWith(group),
    sqs: async ({ input }) => {
      sent.push(input);
      return jsonReply({});
    },
    delays: NO_DELAYS,
    log: () => {},
  });
  const input = {
    Entries: [{ Source: 'muster', DetailType: 'MatchFound', Detail: '{"match":{"queue":"duel"}}' }],
  };
  await bus.service({ target: EVENTS_TARGET, operation: 'PutEvents', body: '', input });
  await bus.stop();
  expect(sent).toEqual([expect.objectContaining({ MessageGroupId: expected })]);
});

function stackWith(MessageGroupId: string | undefined) {
  return stackOf({
    Queue: { Type: 'AWS::SQS::Queue' },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: { source: ['muster'] },
        Targets: [
          {
            Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
            ...(MessageGroupId !== undefined && { SqsParameters: { MessageGroupId } }),
          },
        ],
      },
    },
    Policy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [{ Ref: 'Queue' }],
        PolicyDocument: {
          Statement: [
            { Effect: 'Allow', Action: 'sqs:SendMessage', Principal: { Service: 'events.amazonaws.com' } },
          ],
        },
      },
    },
  });
}
