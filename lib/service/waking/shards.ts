import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import {
  type BucketLayout,
  layoutAt,
  nextLayout,
  rangeName,
  tickRanges,
  withLayout,
} from '../domain/buckets.ts';
import { homeOf, placedViews } from '../domain/linked-ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { AlongsideWrites, TicketStore } from '../ports/ticket-store.ts';

/**
 * Several partition keys for each bucket, for a load that rises too fast to split the buckets.
 *
 * DynamoDB allows 1,000 writes a second for one key. When thousands of players arrive at once in a queue with one bucket, its
 * first split is in force after about six seconds. Until then the queue needs more keys:
 *
 *     no shards ──── a write of a ticket is throttled ────▶ shards
 *         ▲                                                   │
 *         ├── the next layout, which has more buckets ◀───────┤
 *         └── the same buckets, when they are quiet ◀─────────┘
 *
 * Shards are added to the layout in force. Nothing else about it changes, so they need no notice: the first shard is the key that
 * the bucket had before. A function that does not know the other shards yet writes to the first one, and reads the others a
 * second later. Every read of a bucket is a query for each of its keys, so a queue without such a load has no shards.
 */

/** The maximum of keys of a layout. 256 keys accept 256,000 writes a second. */
const KEYS = 256;
/** The maximum of keys of one bucket. A tick reads them concurrently. */
const SHARDS_MAX = 32;
/** Shards are kept for at least this long, so that bursts in a row do not change the layout each time. */
const SHARDED_MS = 10 * 60_000;
const ATTEMPTS = 3;

/**
 * Adds shards to the buckets of the layout in force. A crash after it: ticks read keys that no ticket has.
 * @returns the changed layout; undefined when it already has shards, or the queue does not exist
 * @throws StoreBusy when others change the queue at the same time
 */
export async function addShards(
  queues: QueueStore,
  known: { readonly queue: string; readonly layout: BucketLayout },
  nowMs: number,
): Promise<BucketLayout | undefined> {
  if (known.layout.shards !== undefined) return undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const record = await queues.get(known.queue);
    if (record === undefined) return undefined;
    const layout = layoutAt(record.layouts, nowMs);
    // Another caller has added them, or a new layout has begun.
    if (layout.shards !== undefined || layout.version !== known.layout.version) return layout;
    const buckets = layout.boundaries.length + 1;
    const count = Math.max(2, Math.min(SHARDS_MAX, Math.ceil(KEYS / buckets)));
    const sharded = { ...layout, shards: { count, sinceMs: nowMs } };
    const layouts = record.layouts.map((one) => (one === layout ? sharded : one));
    if (await queues.put({ ...record, version: record.version + 1, layouts })) return sharded;
  }
  throw new StoreBusy(`queue ${known.queue} is being changed by others`);
}

/**
 * Starts a layout with the same buckets without shards, when each of them has been quiet.
 *
 *     read    the reports of the buckets
 *     put     the new layout, on the condition that the queue has not changed since. A crash before it changes
 *             nothing; the next dispatch repeats it
 */
export async function endShards(
  deps: { readonly queues: QueueStore; readonly ranges: RangeStore },
  record: QueueRecord,
  nowMs: number,
): Promise<void> {
  const newest = record.layouts.at(-1)!;
  const { shards } = newest;
  if (shards === undefined || nowMs - Math.max(shards.sinceMs, newest.fromMs) < SHARDED_MS) return;
  const names = tickRanges(newest, false).map(rangeName);
  const reports = await deps.ranges.reports(record.definition.name, names);
  if ([...reports.values()].some(({ load }) => (load?.ticketShare ?? 0) > 1)) return;
  const layouts = withLayout(record.layouts, nextLayout(newest, newest.boundaries, nowMs));
  if (layouts !== undefined) await deps.queues.put({ ...record, version: record.version + 1, layouts });
}

/** Stores new tickets: see `TicketStore.create`. @param records the queues of the ticket, by name */
export type PoolWriter = (
  ticket: StoredTicket,
  records: ReadonlyMap<string, QueueRecord>,
  announced: boolean,
  alongside?: AlongsideWrites,
) => ReturnType<TicketStore['create']>;

/**
 * Stores the tickets of one request in the pools of their queues. When the store throttles the writes of a queue, this queue gets
 * more partition keys, once for all tickets of the request, and the ticket is stored under one of those.
 *
 *     put          under the layouts in force
 *     add shards   after a throttled put only: see `addShards`. A crash after it: the client repeats its request
 *     put again    on the same condition, so it finds the ticket if the first put was applied after all. If an entry was, a tick
 *                  reads the ticket once, and removes the entry after the ticket has left the pool
 */
export function poolWriter(
  deps: { readonly tickets: TicketStore; readonly queues: QueueStore },
  nowMs: number,
): PoolWriter {
  const sharded = new Map<string, Promise<BucketLayout | undefined>>();
  return async function put(ticket, records, announced, alongside) {
    const home = homeOf(ticket).queue;
    const layoutOf = (queue: string) => layoutAt(records.get(queue)!.layouts, nowMs);
    try {
      return await deps.tickets.create(ticket, layoutOf(home), announced, alongside);
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error;
      const { queue = home } = error;
      const layout = layoutOf(queue);
      const other = await getOrCreate(sharded, queue, () => addShards(deps.queues, { queue, layout }, nowMs));
      if (other === undefined || other === layout) throw error;
      const changed = new Map(records).set(queue, { ...records.get(queue)!, layouts: [other] });
      const { ticketId, views } = ticket;
      const placed = views && { views: placedViews(ticketId, views, changed, nowMs) };
      return put({ ...ticket, ...placed }, changed, announced, alongside);
    }
  };
}
