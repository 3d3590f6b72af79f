import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inParallel } from '../service/concurrency/in-parallel.ts';
import type { PlayerPresence, PresenceRecord } from '../service/domain/presence.ts';
import type { PresenceStore } from '../service/ports/presence-store.ts';
import { BATCH_GET_MAX } from './batch-get.ts';
import { type Condition, isAsRead } from './change-item.ts';
import { itemTable } from './item-table.ts';

/** A record is kept for this long after the last sign. A ticket waits for a day at most. */
const KEPT_SECONDS = 2 * 86_400;
/** The maximum of players in one write of `expect`, because an expression has at most 4 KB. */
const EXPECTED_AT_ONCE = 25;
/** The maximum of batches of records that are read concurrently. */
const BATCHES_AT_ONCE = 8;

/**
 * The last signs of players in DynamoDB, in the table of ranges: an item for each ticket, with the attributes `silentFromMs0` and
 * `by0` for its first player and so on, removed by TTL. Key: `QUEUE#presence#TICKET`. It names no player.
 *
 *     seen     if the stored sign is not later; with `isKnown` also if a sign is stored
 *     expect   if no sign of the player is stored
 *     left     if the stored sign came over this connection
 *
 * A repetition whose first response was lost finds its own values, so no write needs a mark.
 */
export function presenceStore(client: DynamoDBDocumentClient, table: string): PresenceStore {
  const items = itemTable(client, table, keyOf);
  const write = async (
    queue: string,
    ticketId: string,
    player: number,
    to: PlayerPresence,
    when: Condition,
  ) => {
    await items.change([queue, ticketId], {
      set: {
        [silentOf(player)]: to.silentFromMs,
        [byOf(player)]: to.by,
        expiresAt: expiryOf(to.silentFromMs),
      },
      if: [when],
    });
  };
  return {
    async of(queue, ticketIds, consistency) {
      const batches = Array.from({ length: Math.ceil(ticketIds.length / BATCH_GET_MAX) }, (_, i) =>
        ticketIds.slice(i * BATCH_GET_MAX, (i + 1) * BATCH_GET_MAX),
      );
      const found = await inParallel(batches, BATCHES_AT_ONCE, (batch) =>
        items.all(
          batch.map((ticketId) => [queue, ticketId]),
          consistency,
        ),
      );
      const prefix = keyOf(queue, '').item.length;
      return new Map(found.flat().map((item) => [String(item.item).slice(prefix), recordOf(item)]));
    },

    async seen(queue, ticketId, player, presence, isKnown = false) {
      const silent = `#${silentOf(player)}`;
      await write(queue, ticketId, player, presence, {
        // The write fails for a player without a stored sign.
        condition: isKnown ? `${silent} <= :seen` : `(attribute_not_exists(${silent}) OR ${silent} <= :seen)`,
        values: { ':seen': presence.silentFromMs },
      });
    },

    async expect(queue, ticketId, players, silentFromMs) {
      const places = Array.from({ length: players }, (_, player) => player);
      for (let at = 0; at < players; at += EXPECTED_AT_ONCE) {
        const init = places.slice(at, at + EXPECTED_AT_ONCE).flatMap((player) => [
          [silentOf(player), silentFromMs],
          [byOf(player), ''],
        ]);
        await items.change([queue, ticketId], {
          init: { ...Object.fromEntries(init), expiresAt: expiryOf(silentFromMs) },
        });
      }
    },

    async left(queue, ticketId, player, by, next) {
      await write(queue, ticketId, player, next, isAsRead(byOf(player), by));
    },
  };
}

const silentOf = (player: number) => `silentFromMs${player}`;
const byOf = (player: number) => `by${player}`;

function keyOf(queue: string, ticketId: string): { item: string } {
  return { item: `${queue}#presence#${ticketId}` };
}

const expiryOf = (silentFromMs: number) => Math.ceil(silentFromMs / 1_000) + KEPT_SECONDS;

/** Attributes that this version cannot read are ignored, so their player counts as present. */
function recordOf(item: Record<string, unknown>): PresenceRecord {
  return new Map(
    Object.entries(item).flatMap(([name, silentFromMs]): [number, PlayerPresence][] => {
      const player = /^silentFromMs(\d+)$/.exec(name)?.[1];
      if (player === undefined || typeof silentFromMs !== 'number') return [];
      return [[Number(player), { silentFromMs, by: String(item[byOf(Number(player))] ?? '') }]];
    }),
  );
}
