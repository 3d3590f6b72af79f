import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type DeliveryRecord, type DeliveryStore, WAITING_SEEN_MS } from '../service/ports/delivery-store.ts';
import { conditionally, secondsAfter } from './dynamo.ts';
import { receiverKey } from './receiver-key.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/** Days that a record is kept after the last delivery. */
const DELIVERY_DAYS = 14;

/**
 * Deliveries in DynamoDB, in the table of the receivers. Key: `receiver`, as `delivery#HASH` of the queue and the URL.
 *
 *     begins    one more waits; or it is the first, when none was seen any more
 *     waits     it is seen, and is the first if none is older, or if the older one was not seen any more
 *     ends      one less waits; if it was the first, the next one that is seen is
 *
 * When the response of a write is lost, a count may be off by one: see `write-mark.ts`.
 */
export function deliveryStore(client: DynamoDBDocumentClient, table: string): DeliveryStore {
  const itemOf = (queue: string, url: string) => ({
    TableName: table,
    Key: { receiver: `delivery#${receiverKey(`${queue} ${url}`)}` },
  });
  /** Updates a record, if the condition is met. */
  const update = (queue: string, url: string, nowMs: number, { sets, values, condition }: Update) =>
    conditionally(() =>
      client.send(
        new UpdateCommand({
          ...itemOf(queue, url),
          UpdateExpression: `SET expiresAt = :expiresAt${sets}`,
          ...(condition !== undefined && { ConditionExpression: condition }),
          ExpressionAttributeValues: { ':expiresAt': secondsAfter(nowMs, DELIVERY_DAYS), ...values },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );
  return {
    async get(queue, url, nowMs) {
      const { Item } = await client.send(new GetCommand(itemOf(queue, url)));
      return Item && toRecord(Item, nowMs);
    },

    async succeeded(queue, url, recent, nowMs) {
      const sets = ', lastSuccessMs = :nowMs, recent = :recent REMOVE failures';
      await update(queue, url, nowMs, { sets, values: { ':nowMs': nowMs, ':recent': recent } });
    },

    async failed(queue, url, recent, failure) {
      const sets = ', lastFailure = :failure, recent = :recent ADD failures :one';
      const values = { ':failure': failure, ':recent': recent, ':one': 1 };
      const write = await update(queue, url, failure.atMs, { sets, values });
      return write.met ? deliveryItem.parse(write.result.Attributes).failures : 1;
    },

    async begins(queue, url, nowMs) {
      const values = { ':one': 1, ':nowMs': nowMs };
      const mark = newWriteMark();
      const first = await update(queue, url, nowMs, {
        sets: ', waiting = :one, seenMs = :nowMs, sinceMs = :nowMs, firstSeenMs = :nowMs, writeId = :writeId',
        values: { ...values, ':writeId': mark, ':staleMs': nowMs - WAITING_SEEN_MS },
        condition: 'attribute_not_exists(seenMs) OR seenMs < :staleMs',
      });
      if (!wasApplied(first, mark))
        await update(queue, url, nowMs, { sets: ', seenMs = :nowMs ADD waiting :one', values });
    },

    async waits(queue, url, sinceMs, nowMs) {
      const values = { ':nowMs': nowMs };
      const first = await update(queue, url, nowMs, {
        sets: ', seenMs = :nowMs, sinceMs = :sinceMs, firstSeenMs = :nowMs',
        values: { ...values, ':sinceMs': sinceMs, ':staleMs': nowMs - WAITING_SEEN_MS },
        condition: 'attribute_not_exists(sinceMs) OR sinceMs >= :sinceMs OR firstSeenMs < :staleMs',
      });
      if (!first.met) await update(queue, url, nowMs, { sets: ', seenMs = :nowMs', values });
    },

    async ends(queue, url, sinceMs, nowMs) {
      const values = { ':less': -1 };
      const first = await update(queue, url, nowMs, {
        sets: ' ADD waiting :less REMOVE sinceMs',
        values: { ...values, ':sinceMs': sinceMs },
        condition: 'sinceMs = :sinceMs',
      });
      if (!first.met) await update(queue, url, nowMs, { sets: ' ADD waiting :less', values });
    },
  };
}

interface Update {
  /** What follows `SET expiresAt = :expiresAt`. */
  readonly sets: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly condition?: string;
}

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
