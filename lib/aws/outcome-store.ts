import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { COOLDOWNS_BEGUN, FAULTS, OUTCOMES, VANISHED } from '../service/domain/match-outcomes.ts';
import { countedMinutes } from '../service/domain/minute-counts.ts';
import type { OutcomeStore } from '../service/ports/outcome-store.ts';
import { batchGet } from './batch-get.ts';
import { secondsAfter } from './dynamo.ts';

const NAMES = [...OUTCOMES, ...COOLDOWNS_BEGUN, ...FAULTS, VANISHED] as const;
/** Days that counts are kept. */
const COUNTED_DAYS = 1;

/** Outcomes in DynamoDB, an item of the ranges table for each queue and minute, with an attribute for each outcome. */
export function outcomeStore(client: DynamoDBDocumentClient, table: string): OutcomeStore {
  const keyOf = (queue: string, minute: number) => ({ item: `${queue}#outcomes#${minute}` });
  return {
    async add(queue, counts, nowMs) {
      const names = NAMES.filter((name) => counts[name] !== undefined);
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: keyOf(queue, countedMinutes(nowMs).at(-1)!),
          UpdateExpression: `SET expiresAt = :expiresAt ADD ${names.map((name) => `#${name} :${name}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: {
            ':expiresAt': secondsAfter(nowMs, COUNTED_DAYS),
            ...Object.fromEntries(names.map((name) => [`:${name}`, counts[name]])),
          },
        }),
      );
    },

    async recent(queue, nowMs) {
      const minutes = countedMinutes(nowMs);
      const items = await batchGet(
        client,
        table,
        minutes.map((minute) => keyOf(queue, minute)),
      );
      const found = new Map(items.map((item) => [item.item, outcomesItem.parse(item)]));
      return minutes.flatMap((minute) => {
        const counts = found.get(keyOf(queue, minute).item);
        return counts === undefined ? [] : [{ minute, counts }];
      });
    },
  };
}

const count = z.number().exactOptional().catch(0);
const outcomesItem = z.object(
  Object.fromEntries(NAMES.map((name) => [name, count])) as Record<(typeof NAMES)[number], typeof count>,
);
