import { createHash } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { readWith } from '../service/domain/unreadable.ts';
import type { ReceiverRecord, ReceiverStore } from '../service/ports/receiver-store.ts';
import { bestEffort } from './best-effort.ts';
import { secondsAfter } from './dynamo.ts';
import { itemTable } from './item-table.ts';

/** Days that a record is kept after its last change. */
const KEPT_DAYS = 2;

/**
 * Webhook receivers in DynamoDB. Key: `receiver`, the hash of the URL. All writes are unconditional, but for `markDown`: if
 * downUntilMs is absent or over. For writes whose response is lost see `write-mark.ts`.
 */
export function receiverStore(client: DynamoDBDocumentClient, table: string): ReceiverStore {
  const items = itemTable(client, table, (url: string) => ({ receiver: receiverKey(url) }));
  const kept = (nowMs: number) => ({ expiresAt: secondsAfter(nowMs, KEPT_DAYS) });
  return {
    async get(url) {
      const item = await items.get([url], 'eventual');
      return item && toReceiver(item);
    },

    async addFailure(url, nowMs) {
      const failed = { add: { failures: 1 }, set: kept(nowMs), remove: ['fastAtMs', 'downUntilMs'] };
      return toReceiver((await items.change([url], failed, 'after')).item ?? {});
    },

    async markDown(url, nowMs, untilMs) {
      const isUp = {
        condition: 'attribute_not_exists(downUntilMs) OR downUntilMs <= :nowMs',
        values: { ':nowMs': nowMs },
      };
      const set = { downUntilMs: untilMs, ...kept(nowMs) };
      return (await items.change([url], { set, if: [isUp], once: true })).met;
    },

    async markUp(url, nowMs, fastAtMs) {
      const remove = fastAtMs === undefined ? ['downUntilMs', 'fastAtMs'] : ['downUntilMs'];
      await bestEffort(items.change([url], { set: { failures: 0, fastAtMs, ...kept(nowMs) }, remove }));
    },
  };
}

const receiverItem = z.object({
  fastAtMs: z.number().exactOptional(),
  failures: z.number().default(0),
  downUntilMs: z.number().exactOptional(),
});

function toReceiver(item: Record<string, unknown>): ReceiverRecord {
  return readWith(receiverItem, item, 'the record of a webhook receiver');
}

/** The key of a webhook receiver: a hash of its URL, which may be longer than a key. */
export function receiverKey(url: string): string {
  return createHash('sha256').update(url).digest('base64url');
}
