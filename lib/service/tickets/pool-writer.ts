import { type BucketLayout, layoutAt } from '../domain/buckets.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { AlongsideWrites, TicketStore } from '../ports/ticket-store.ts';
import { addShards } from '../waking/shards.ts';

/** Stores new tickets: see `TicketStore.create`. */
export type PoolWriter = (
  ticket: StoredTicket,
  announced: boolean,
  alongside?: AlongsideWrites,
) => ReturnType<TicketStore['create']>;

/**
 * Stores the tickets of one request in the pool of their queue. When the store throttles a write, the queue gets more partition
 * keys, once for all tickets of the request, and the ticket is stored under one of those.
 *
 *     put          under the layout in force
 *     add shards   after a throttled put only: see `waking/shards.ts`. A crash after it: the client repeats its request
 *     put again    on the same condition, so it finds the ticket if the first put was applied after all
 */
export function poolWriter(
  deps: { readonly tickets: TicketStore; readonly queues: QueueStore },
  record: QueueRecord,
  nowMs: number,
): PoolWriter {
  const layout = layoutAt(record.layouts, nowMs);
  let relief: Promise<BucketLayout | undefined> | undefined;
  return async (ticket, announced, alongside) => {
    try {
      return await deps.tickets.create(ticket, layout, announced, alongside);
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error;
      relief ??= addShards(deps.queues, { queue: record.definition.name, layout }, nowMs);
      const other = await relief;
      if (other === undefined) throw error;
      return deps.tickets.create(ticket, other, announced, alongside);
    }
  };
}
