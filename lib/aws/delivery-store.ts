import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type DeliveryRecord, type DeliveryStore, WAITING_SEEN_MS } from '../service/ports/delivery-store.ts';
import { bestEffort } from './best-effort.ts';
import { type ItemChange, isAsRead, type Returned } from './change-item.ts';
import { secondsAfter } from './dynamo.ts';
import { itemTable } from './item-table.ts';
import { receiverKey } from './receiver-store.ts';

/** Days that a record is kept after the last delivery. */
const DELIVERY_DAYS = 14;

/**
 * Statistics of deliveries in DynamoDB, in the table of the receivers. Key: `receiver`, as `delivery#HASH` of the queue and the
 * URL.
 *
 *     waitStarted    increments the number of waiting deliveries, or sets it to 1 when no wait was reported recently
 *     stillWaiting   records that waits are reported. The delivery becomes the first if it waits for longest, or if the first one
 *                    is no longer reported
 *     waitEnded      decrements the number. If the delivery was the first, the next one reported becomes the first
 *
 * When the response of a write is lost, a count may be off by one: see `write-mark.ts`.
 */
export function deliveryStore(client: DynamoDBDocumentClient, table: string): DeliveryStore {
  const items = itemTable(client, table, (queue: string, url: string) => ({
    receiver: `delivery#${receiverKey(`${queue} ${url}`)}`,
  }));
  const change = (queue: string, url: string, nowMs: number, { set, ...more }: Change, returns?: Returned) =>
    bestEffort(
      items.change(
        [queue, url],
        { set: { expiresAt: secondsAfter(nowMs, DELIVERY_DAYS), ...set }, ...more },
        returns,
      ),
    );
  return {
    async get(queue, url, nowMs) {
      const item = await items.get([queue, url], 'eventual');
      return item && toRecord(item, nowMs);
    },

    async succeeded(queue, url, recent, nowMs) {
      await change(queue, url, nowMs, { set: { lastSuccessMs: nowMs, recent }, remove: ['failures'] });
    },

    async failed(queue, url, recent, failure) {
      const counted = { set: { lastFailure: failure, recent }, add: { failures: 1 } };
      const changed = await change(queue, url, failure.atMs, counted, 'after');
      return changed && deliveryItem.parse(changed.item).failures;
    },

    async waitStarted(queue, url, sinceMs, nowMs) {
      const set = { waiting: 1, seenMs: nowMs, sinceMs, firstSeenMs: nowMs };
      const isFirst = {
        condition: 'attribute_not_exists(seenMs) OR seenMs < :staleMs',
        values: { ':staleMs': nowMs - WAITING_SEEN_MS },
      };
      const first = await change(queue, url, nowMs, { set, if: [isFirst], once: true });
      if (first?.met === false)
        await change(queue, url, nowMs, { set: { seenMs: nowMs }, add: { waiting: 1 } });
    },

    async stillWaiting(queue, url, sinceMs, nowMs) {
      const isFirst = {
        condition: 'attribute_not_exists(sinceMs) OR sinceMs >= :sinceMs OR firstSeenMs < :staleMs',
        values: { ':sinceMs': sinceMs, ':staleMs': nowMs - WAITING_SEEN_MS },
      };
      const set = { seenMs: nowMs, sinceMs, firstSeenMs: nowMs };
      const first = await change(queue, url, nowMs, { set, if: [isFirst] });
      if (first?.met === false) await change(queue, url, nowMs, { set: { seenMs: nowMs } });
    },

    async waitEnded(queue, url, sinceMs, nowMs) {
      const less = { add: { waiting: -1 } };
      const wasFirst = isAsRead('sinceMs', sinceMs);
      const first = await change(queue, url, nowMs, { ...less, remove: ['sinceMs'], if: [wasFirst] });
      if (first?.met === false) await change(queue, url, nowMs, less);
    },
  };
}

type Change = Omit<ItemChange, 'table' | 'key'>;

const deliveryItem = z.object({
  lastSuccessMs: z.number().exactOptional(),
  lastFailure: z
    .object({ atMs: z.number(), text: z.string(), status: z.number().exactOptional() })
    .exactOptional(),
  failures: z.number().default(0),
  recent: z.object({ posted: z.number(), failed: z.number() }).exactOptional(),
  waiting: z.number().default(0),
  seenMs: z.number().default(0),
  sinceMs: z.number().optional(),
});

function toRecord(item: Record<string, unknown>, nowMs: number): DeliveryRecord {
  const { waiting: count, seenMs, sinceMs, ...record } = deliveryItem.parse(item);
  const isWaiting = count > 0 && seenMs > nowMs - WAITING_SEEN_MS;
  return { ...record, ...(isWaiting && { waiting: { count, sinceMs: sinceMs ?? seenMs } }) };
}
