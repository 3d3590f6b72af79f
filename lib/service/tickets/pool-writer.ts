import { type BucketLayout, layoutAt } from '../domain/buckets.ts';
import { homeOf, placedViews } from '../domain/linked-ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { AlongsideWrites, TicketStore } from '../ports/ticket-store.ts';
import { addShards } from '../waking/shards.ts';

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
 *     add shards   after a throttled put only: see `waking/shards.ts`. A crash after it: the client repeats its request
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
      const adding = sharded.get(queue) ?? addShards(deps.queues, { queue, layout }, nowMs);
      sharded.set(queue, adding);
      const other = await adding;
      if (other === undefined || other === layout) throw error;
      const changed = new Map(records).set(queue, { ...records.get(queue)!, layouts: [other] });
      const { ticketId, views } = ticket;
      const placed = views && { views: placedViews(ticketId, views, changed, nowMs) };
      return put({ ...ticket, ...placed }, changed, announced, alongside);
    }
  };
}
