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
  const { sent } = await putEvents([{ ...ENTRY, Detail: '{"match":{"queue":"duel"}}' }], group);
  expect(sent).toEqual([expect.objectContaining({ MessageGroupId: expected })]);
});

test('a request of more than ten entries is rejected, and so is an entry above 1 MB', async () => {
  const { reply, sent } = await putEvents(Array.from({ length: 11 }, () => ENTRY));
  expect(reply).toMatchObject({ status: 400 });
  expect(sent).toEqual([]);
  const large = { ...ENTRY, Detail: JSON.stringify('x'.repeat(1024 * 1024)) };
  const { reply: partly, sent: small } = await putEvents([large, ENTRY]);
  expect(JSON.parse(String(partly.body))).toMatchObject({
    FailedEntryCount: 1,
    Entries: [{ ErrorCode: 'InvalidArgument' }, { EventId: expect.any(String) }],
  });
  expect(small).toHaveLength(1);
});

const ENTRY = { Source: 'muster', DetailType: 'MatchFound', Detail: '{}' };

/** The reply of a bus that sends its events to an SQS queue, and what it has sent. */
async function putEvents(Entries: readonly object[], group?: string) {
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
  const reply = await bus.service({
    target: EVENTS_TARGET,
    operation: 'PutEvents',
    body: '',
    input: { Entries },
  });
  await bus.stop();
  return { reply, sent };
}

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
