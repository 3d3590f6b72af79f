import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { readWith } from '../service/domain/unreadable.ts';
import type { ReceiverRecord, ReceiverStore } from '../service/ports/receiver-store.ts';
import { conditionally, secondsAfter } from './dynamo.ts';
import { receiverKey } from './receiver-key.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/** Days that a record is kept after the last mark or failure. */
const KEPT_DAYS = 2;

/**
 * Webhook receivers in DynamoDB. Key: `receiver`, the hash of the URL.
 *
 *     addFailure      always
 *     markSlow        always
 *     beginTrial      if trialUntilMs is absent or over
 *     markFast        if slowUntilMs is over and downUntilMs is absent
 *     markDown        if downUntilMs is as read, or if it is absent and there are failures
 *     clearFailures   if there is a record
 *
 * For writes whose response is lost see `write-mark.ts`.
 */
export function receiverStore(client: DynamoDBDocumentClient, table: string): ReceiverStore {
  const itemOf = (url: string) => ({ TableName: table, Key: { receiver: receiverKey(url) } });
  return {
    async get(url) {
      const { Item } = await client.send(new GetCommand(itemOf(url)));
      return Item && toReceiver(Item);
    },

    async addFailure(url, nowMs, { slowUntilMs, slowTimes }) {
      const { Attributes } = await client.send(
        new UpdateCommand({
          ...itemOf(url),
          UpdateExpression:
            'ADD failures :one SET failingSinceMs = if_not_exists(failingSinceMs, :nowMs), slowUntilMs = :slowUntilMs, slowTimes = :slowTimes, expiresAt = :expiresAt REMOVE fastAtMs, trialUntilMs',
          ExpressionAttributeValues: {
            ':one': 1,
            ':nowMs': nowMs,
            ':slowUntilMs': slowUntilMs,
            ':slowTimes': slowTimes,
            ':expiresAt': secondsAfter(nowMs, KEPT_DAYS),
          },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return toReceiver(Attributes ?? {});
    },

    async markSlow(url, nowMs, { slowUntilMs, slowTimes }) {
      await client.send(
        new UpdateCommand({
          ...itemOf(url),
          UpdateExpression:
            'SET slowUntilMs = :slowUntilMs, slowTimes = :slowTimes, expiresAt = :expiresAt REMOVE fastAtMs, trialUntilMs',
          ExpressionAttributeValues: {
            ':slowUntilMs': slowUntilMs,
            ':slowTimes': slowTimes,
            ':expiresAt': secondsAfter(nowMs, KEPT_DAYS),
          },
        }),
      );
    },

    async beginTrial(url, nowMs, untilMs) {
      const mark = newWriteMark();
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(url),
            UpdateExpression: 'SET trialUntilMs = :untilMs, expiresAt = :expiresAt, writeId = :writeId',
            ConditionExpression: 'attribute_not_exists(trialUntilMs) OR trialUntilMs <= :nowMs',
            ExpressionAttributeValues: {
              ':nowMs': nowMs,
              ':untilMs': untilMs,
              ':expiresAt': secondsAfter(nowMs, KEPT_DAYS),
              ':writeId': mark,
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return wasApplied(write, mark);
    },

    async markFast(url, nowMs, slowTimes) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(url),
            UpdateExpression:
              'SET fastAtMs = :nowMs, slowTimes = :slowTimes, expiresAt = :expiresAt REMOVE trialUntilMs',
            ConditionExpression:
              '(attribute_not_exists(slowUntilMs) OR slowUntilMs <= :nowMs) AND attribute_not_exists(downUntilMs)',
            ExpressionAttributeValues: {
              ':nowMs': nowMs,
              ':slowTimes': slowTimes,
              ':expiresAt': secondsAfter(nowMs, KEPT_DAYS),
            },
          }),
        ),
      );
    },

    async markDown(url, untilMs, expectedMs) {
      const mark = newWriteMark();
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(url),
            UpdateExpression: 'SET downUntilMs = :untilMs, writeId = :writeId',
            ConditionExpression:
              expectedMs === undefined
                ? 'failures > :none AND attribute_not_exists(downUntilMs)'
                : 'downUntilMs = :expectedMs',
            ExpressionAttributeValues: {
              ':untilMs': untilMs,
              ':writeId': mark,
              ...(expectedMs === undefined ? { ':none': 0 } : { ':expectedMs': expectedMs }),
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return wasApplied(write, mark);
    },

    async clearFailures(url) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(url),
            UpdateExpression: 'SET failures = :none REMOVE failingSinceMs, downUntilMs',
            ConditionExpression: 'attribute_exists(receiver)',
            ExpressionAttributeValues: { ':none': 0 },
          }),
        ),
      );
    },
  };
}

const receiverItem = z.object({
  fastAtMs: z.number().exactOptional(),
  trialUntilMs: z.number().exactOptional(),
  failures: z.number().default(0),
  failingSinceMs: z.number().exactOptional(),
  slowUntilMs: z.number().default(0),
  slowTimes: z.number().default(0),
  downUntilMs: z.number().exactOptional(),
});

function toReceiver(item: Record<string, unknown>): ReceiverRecord {
  return readWith(receiverItem, item, 'the record of a webhook receiver');
}
