import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { readWith } from '../service/domain/unreadable.ts';
import type { ReceiverRecord, ReceiverStore } from '../service/ports/receiver-store.ts';
import { secondsAfter } from './dynamo.ts';
import { itemTable } from './item-table.ts';
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
 *     endTrial        if there is one
 *     markFast        if slowUntilMs is over and downUntilMs is absent
 *     markDown        if downUntilMs is as read, or if it is absent and there are failures
 *     clearFailures   if there is a record
 *
 * For writes whose response is lost see `write-mark.ts`.
 */
export function receiverStore(client: DynamoDBDocumentClient, table: string): ReceiverStore {
  const items = itemTable(client, table, (name: string) => ({ receiver: receiverKey(name) }));
  return {
    async get(name) {
      const item = await items.get([name], 'lately');
      return item && toReceiver(item);
    },

    async addFailure(name, nowMs, { slowUntilMs, slowTimes }) {
      const failed = {
        add: { failures: 1 },
        init: { failingSinceMs: nowMs },
        set: { slowUntilMs, slowTimes, expiresAt: secondsAfter(nowMs, KEPT_DAYS) },
        remove: ['fastAtMs', 'trialUntilMs'],
      };
      return toReceiver((await items.change([name], failed, 'after')).item ?? {});
    },

    async markSlow(name, nowMs, { slowUntilMs, slowTimes }) {
      const set = { slowUntilMs, slowTimes, expiresAt: secondsAfter(nowMs, KEPT_DAYS) };
      await items.change([name], { set, remove: ['fastAtMs', 'trialUntilMs'] });
    },

    async beginTrial(name, nowMs, untilMs) {
      const writeId = newWriteMark();
      const set = { trialUntilMs: untilMs, expiresAt: secondsAfter(nowMs, KEPT_DAYS), writeId };
      const isOver = {
        condition: 'attribute_not_exists(trialUntilMs) OR trialUntilMs <= :nowMs',
        values: { ':nowMs': nowMs },
      };
      return wasApplied(await items.change([name], { set, if: [isOver] }, 'found'), writeId);
    },

    async endTrial(name) {
      const isBegun = { condition: 'attribute_exists(trialUntilMs)' };
      await items.change([name], { remove: ['trialUntilMs'], if: [isBegun] });
    },

    async markFast(name, nowMs, slowTimes) {
      const isNotSlow = {
        condition:
          '(attribute_not_exists(slowUntilMs) OR slowUntilMs <= :nowMs) AND attribute_not_exists(downUntilMs)',
        values: { ':nowMs': nowMs },
      };
      const set = { fastAtMs: nowMs, slowTimes, expiresAt: secondsAfter(nowMs, KEPT_DAYS) };
      await items.change([name], { set, remove: ['trialUntilMs'], if: [isNotSlow] });
    },

    async markDown(name, untilMs, expectedMs) {
      const writeId = newWriteMark();
      const isAsRead =
        expectedMs === undefined
          ? {
              condition: 'failures > :none AND attribute_not_exists(downUntilMs)',
              values: { ':none': 0 },
            }
          : { condition: 'downUntilMs = :expectedMs', values: { ':expectedMs': expectedMs } };
      const set = { downUntilMs: untilMs, writeId };
      return wasApplied(await items.change([name], { set, if: [isAsRead] }, 'found'), writeId);
    },

    async clearFailures(name) {
      const exists = { condition: 'attribute_exists(receiver)' };
      await items.change([name], {
        set: { failures: 0 },
        remove: ['failingSinceMs', 'downUntilMs'],
        if: [exists],
      });
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
