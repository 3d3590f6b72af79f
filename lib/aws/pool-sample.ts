import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type KeyRange, poolKeys, skillKey, skillOf } from '../service/domain/buckets.ts';
import type { PoolSample } from '../service/ports/pool-sample.ts';
import type { PoolItem } from './pool-page.ts';
import { readQueued } from './ticket-item.ts';
import { bySkill, inTables, type PoolTables } from './ticket-pool.ts';

/** The maximum of pool keys that are read concurrently. A queue may have hundreds. */
const KEYS_AT_ONCE = 16;
/** A key with more tickets than its share of the sample is read at this many skills. */
const PLACES = 8;
/** A query for this many tickets of a key costs half a read unit or little more. */
const SHARE_MIN = 8;

/**
 * Samples the index `pool`. It reads at most three times `limit` tickets and some more, about 40 read units for 1,000 tickets, in
 * one to ten queries for each of 16 keys. Each key is a range of skill, or a random part of one, and the 16 are spread evenly.
 * When they have fewer than `limit` tickets, the next 16 are read: an empty key is half a read unit.
 */
export function poolSample(client: DynamoDBDocumentClient, tables: PoolTables): PoolSample {
  const read = async (pool: Pool, range: KeyRange, limit: number, forward = true) => {
    const query = inTables(tables, pool.key, range, pool.isOfEntries).at(-1)!;
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({ ...query, Limit: limit, ScanIndexForward: forward }),
    );
    return { items: Items as PoolItem[], isWhole: LastEvaluatedKey === undefined };
  };

  const ofKey = async (pool: Pool, share: number) => {
    const first = await read(pool, {}, share);
    if (first.isWhole) return first;
    const [last] = (await read(pool, {}, 1, false)).items;
    const [low, high] = [skillOf(first.items[0]!.poolOrder), skillOf(last!.poolOrder)];
    // All tickets have the same skill, so any part of them is a sample.
    if (low === high) return first;
    const edges = Array.from({ length: PLACES + 1 }, (_, i) => skillKey(low + ((high - low) * i) / PLACES));
    const places = await Promise.all(
      edges.slice(0, -1).map((from, i) => {
        const isLast = i === PLACES - 1;
        return read(pool, isLast ? { from } : { from, to: edges[i + 1]! }, Math.ceil(share / PLACES));
      }),
    );
    return { items: places.flatMap(({ items }) => items), isWhole: places.every(({ isWhole }) => isWhole) };
  };

  return {
    async of(queue, layouts, limit, linked = false) {
      const keys = layouts.flatMap((layout) => poolKeys(queue, layout));
      const all = keys.flatMap((key): Pool[] => {
        const own = { key, isOfEntries: false };
        return linked ? [own, { key, isOfEntries: true }] : [own];
      });
      const perKey = Math.ceil((2 * limit) / Math.min(all.length, KEYS_AT_ONCE));
      const share = Math.min(limit, Math.max(SHARE_MIN, perKey));
      const parts: Awaited<ReturnType<typeof ofKey>>[] = [];
      const found = () => parts.reduce((sum, { items }) => sum + items.length, 0);
      for (const keys of rounds(all)) {
        if (found() >= limit) break;
        parts.push(...(await Promise.all(keys.map((key) => ofKey(key, share)))));
      }
      const tickets = bySkill(parts.flatMap(({ items }) => items));
      return {
        tickets: readQueued(evenly(tickets, limit), queue).tickets,
        isComplete:
          parts.length === all.length && tickets.length <= limit && parts.every(({ isWhole }) => isWhole),
      };
    },
  };
}

/** A pool key in the index of the tickets, or in the table of the entries. */
interface Pool {
  readonly key: string;
  readonly isOfEntries: boolean;
}

/** The keys in rounds of at most {@link KEYS_AT_ONCE}. Each round is evenly spread over all keys. */
function rounds(keys: readonly Pool[]): Pool[][] {
  const count = Math.ceil(keys.length / KEYS_AT_ONCE);
  return Array.from({ length: count }, (_, round) => keys.filter((_, i) => i % count === round));
}

/** At most `max` of the items, evenly spread. */
function evenly<T>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, i) => items[Math.floor((i * items.length) / max)]!);
}
