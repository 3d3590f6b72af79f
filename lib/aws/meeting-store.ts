import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { MeetingRecord, MeetingStore } from '../service/ports/meeting-store.ts';
import { updateOf } from './change-item.ts';
import { jsonOf } from './item.ts';
import { itemTable } from './item-table.ts';

/**
 * The meetings of players, in the table of ranges: an item for each player of a queue with a `recent` rule, written when a
 * match is created and removed by TTL. Key: `QUEUE#met#PLAYER`.
 */
export function meetingStore(client: DynamoDBDocumentClient, table: string): MeetingStore {
  const items = itemTable(client, table, keyOf);
  return {
    of: (queue, playerIds, sinceMs) =>
      items.byId(
        playerIds,
        (playerId) => [queue, playerId],
        // A record of another type is ignored: its players may meet again, which violates no invariant.
        (item) => meetingItem.safeParse(item).data?.met.filter(([, atMs]) => atMs >= sinceMs),
      ),
  };
}

/** The write of one player's record, as a part of the transaction that creates a match. */
export function meetingWrite(table: string, queue: string, record: MeetingRecord) {
  const set = { met: JSON.stringify(record.met), expiresAt: Math.ceil(record.expiresAtMs / 1000) };
  return { Update: updateOf({ table, key: keyOf(queue, record.playerId), set }) };
}

/** The meetings in an item of the table of ranges; undefined for other items and those of other versions. */
export function meetingsOf(
  item: Record<string, unknown>,
): { queue: string; playerId: string; met: [string, number][] } | undefined {
  const [queue, kind, playerId] = String(item.item).split('#');
  const met = meetingItem.safeParse(item).data?.met;
  return kind === 'met' && playerId !== undefined && met !== undefined
    ? { queue: queue!, playerId, met }
    : undefined;
}

function keyOf(queue: string, playerId: string): { item: string } {
  return { item: `${queue}#met#${playerId}` };
}

const meetingItem = z.object({ met: jsonOf(z.array(z.tuple([z.string(), z.number()]))) });
