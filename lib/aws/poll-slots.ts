import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { PollSlot, PollSlots } from '../service/ports/poll-slots.ts';
import { bestEffort } from './best-effort.ts';
import { isAsRead } from './change-item.ts';
import { itemTable } from './item-table.ts';

/** The prefix of the keys. No queue has this name. */
const KEY_PREFIX = '#polls#';
/** Expired slots are only removed to save space. */
const KEPT_MS = 3_600_000;

/**
 * The slots of players in DynamoDB, in the table of ranges: one item for each player who has polled, with the time of each slot.
 * Key: `#polls#PLAYER`.
 *
 *     take      a free slot, by one write. The first try takes the slot that the time selects. If it is taken, the response has
 *               all slots, and the next try takes a free one
 *     release   if the slot still has the time of the request
 */
export function pollSlots(client: DynamoDBDocumentClient, table: string): PollSlots {
  const items = itemTable(client, table, (playerId: string) => ({ item: `${KEY_PREFIX}${playerId}` }));
  const take = (playerId: string, slot: number, untilMs: number, nowMs: number) => {
    const name = nameOf(slot);
    const isFree = {
      condition: `attribute_not_exists(#${name}) OR #${name} <= :nowMs`,
      values: { ':nowMs': nowMs },
    };
    const set = { [name]: untilMs, expiresAt: Math.ceil((untilMs + KEPT_MS) / 1_000) };
    return items.change([playerId], { set, if: [isFree] }, 'found');
  };
  return {
    async take(playerId, slots, untilMs, nowMs) {
      let slot = nowMs % slots;
      let freeAtMs = nowMs;
      // Each concurrent request of the player can take one slot first.
      for (let attempt = 0; attempt < slots; attempt++) {
        const write = await take(playerId, slot, untilMs, nowMs);
        if (write.met) return { taken: true, slot: { playerId, slot, untilMs } };
        const times = Array.from({ length: slots }, (_, i) => Number(write.item?.[nameOf(i)] ?? 0));
        freeAtMs = Math.min(...times);
        slot = times.findIndex((time) => time <= nowMs);
        if (slot === -1) break;
      }
      return { taken: false, freeAtMs };
    },

    async release({ playerId, slot, untilMs }: PollSlot) {
      const name = nameOf(slot);
      await bestEffort(items.change([playerId], { remove: [name], if: [isAsRead(name, untilMs)] }));
    },
  };
}

/** The player whose slots an item holds; undefined for other items. */
export function playerOfSlots(item: Record<string, unknown>): string | undefined {
  const key = String(item.item);
  return key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : undefined;
}

function nameOf(slot: number): string {
  return `slot${slot}`;
}
