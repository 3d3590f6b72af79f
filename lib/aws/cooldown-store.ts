import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type CooldownRecord, storedOffences, withOffence } from '../service/domain/cooldowns.ts';
import type { CooldownStore } from '../service/ports/cooldown-store.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import { isAsRead } from './change-item.ts';
import { jsonOf } from './item.ts';
import { itemTable } from './item-table.ts';
import { latestGroup, latestKeys } from './latest-group.ts';

/** Each further try means that another match of the same player ended at the same time. */
const TRIES_MAX = 5;
/** The list of a queue in the index `latest`. */
const LIST = 'cooldowns';

/**
 * The offences of players in DynamoDB, in the table of ranges: an item for each player of a queue with an offence, removed by
 * TTL. Key: `QUEUE#cooldown#PLAYER`. The items are also in the index `latest`, by the time of the last offence.
 *
 *     add       reads the record and writes it with the offence, on the condition that its offences are as they were read. The
 *               offence names its match, so a repetition finds it
 *     forgive   changes another attribute, so it needs no condition
 */
export function cooldownStore(client: DynamoDBDocumentClient, table: string): CooldownStore {
  const items = itemTable(client, table, keyOf);
  return {
    of: (queue, playerIds) => items.byId(playerIds, (playerId) => [queue, playerId], recordOf),

    async add(queue, playerId, offence, keptMs) {
      for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
        const item = await items.get([queue, playerId]);
        const record = withOffence(recordOf(item), offence);
        if (record === undefined) return undefined;
        const lastMs = record.offences.at(-1)!.atMs;
        const change = {
          set: {
            offences: JSON.stringify(record.offences),
            expiresAt: Math.max(Number(item?.expiresAt ?? 0), secondsOf(lastMs + keptMs)),
            latestGroup: latestGroup(queue, playerId, LIST),
            writtenAtMs: lastMs,
          },
          once: true as const,
          if: [isAsRead('offences', item?.offences)],
        };
        if ((await items.change([queue, playerId], change)).met) return record;
      }
      throw new StoreBusy(`other matches keep changing the offences of player ${playerId}`);
    },

    async forgive(queue, playerId, nowMs, keptMs) {
      await items.change([queue, playerId], {
        set: { forgivenAtMs: nowMs, expiresAt: secondsOf(nowMs + keptMs) },
        remove: ['latestGroup', 'writtenAtMs'],
      });
    },

    async latest(queue, limit) {
      const newest = (await latestKeys(client, table, queue, limit, LIST)).slice(0, limit);
      const read = await items.all(newest.map(({ item }) => [queue, playerOf(item)]));
      const found = new Map(read.map((item) => [item.item, item]));
      return newest.flatMap(({ item }) => cooldownOf(found.get(item) ?? {}) ?? []);
    },
  };
}

/** The record in an item of the table of ranges, with its queue and player; undefined for other items. */
export function cooldownOf(
  item: Record<string, unknown>,
): { queue: string; playerId: string; record: CooldownRecord } | undefined {
  const [queue, kind, playerId] = String(item.item).split('#');
  return kind === 'cooldown' && playerId !== undefined
    ? { queue: queue!, playerId, record: recordOf(item) }
    : undefined;
}

/** A record of another type counts as empty, so after a rollback a later version's offences are ignored. */
function recordOf(item: Record<string, unknown> | undefined): CooldownRecord {
  const { offences = [], forgivenAtMs } = cooldownItem.safeParse(item ?? {}).data ?? {};
  return { offences, ...(forgivenAtMs !== undefined && { forgivenAtMs }) };
}

function keyOf(queue: string, playerId: string): { item: string } {
  return { item: `${queue}#cooldown#${playerId}` };
}

const playerOf = (item: string) => item.split('#')[2]!;
const secondsOf = (ms: number) => Math.ceil(ms / 1_000);

const cooldownItem = z.object({
  offences: jsonOf(storedOffences).exactOptional(),
  forgivenAtMs: z.number().exactOptional(),
});
