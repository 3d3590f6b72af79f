import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { COOLDOWNS_BEGUN, ELSEWHERE, FAULTS, OUTCOMES, VANISHED } from '../service/domain/match-outcomes.ts';
import { countedMinutes } from '../service/domain/minute-counts.ts';
import type { OutcomeStore } from '../service/ports/outcome-store.ts';
import { bestEffort } from './best-effort.ts';
import { secondsAfter } from './dynamo.ts';
import { itemTable } from './item-table.ts';

const NAMES = [...OUTCOMES, ...COOLDOWNS_BEGUN, ...FAULTS, VANISHED, ELSEWHERE] as const;
/** Days that counts are kept. */
const COUNTED_DAYS = 1;

/** Outcomes in DynamoDB, an item of the ranges table for each queue and minute, with an attribute for each outcome. */
export function outcomeStore(client: DynamoDBDocumentClient, table: string): OutcomeStore {
  const keyOf = (queue: string, minute: number) => ({ item: `${queue}#outcomes#${minute}` });
  const items = itemTable(client, table, keyOf);
  return {
    async add(queue, counts, nowMs) {
      const set = { expiresAt: secondsAfter(nowMs, COUNTED_DAYS) };
      const change = { set, add: counts as Record<string, number> };
      return (await bestEffort(items.change([queue, countedMinutes(nowMs).at(-1)!], change))) !== undefined;
    },

    async recent(queue, nowMs) {
      const minutes = countedMinutes(nowMs);
      const read = await items.all(minutes.map((minute) => [queue, minute]));
      const found = new Map(read.map((item) => [item.item, outcomesItem.parse(item)]));
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
