import { layoutAt, poolKey, poolOrder } from './buckets.ts';
import type { QueueRecord } from './queue-record.ts';
import { digestOf } from './stored-definition.ts';
import type { CurrentTicket, StoredTicket, TicketInQueue } from './stored-ticket.ts';

/*
 * A linked ticket waits in several queues. Its own item is in the pool of one of them, its home, and it has an entry in the pool
 * of each other one. An entry is valid while its ticket is QUEUED, has the same digest, and has returned as often as the entry
 * says. So one write to the ticket, its claim, takes it out of all queues: see `aws/entries.ts`.
 */

/** How long entries may remain after the last linked ticket. No ticket waits longer. Milliseconds. */
export const LINKED_MS = 25 * 3_600_000;

/** Whether entries may wait in the pool of a queue. */
export function hasLinked({ linkedUntilMs = 0 }: QueueRecord, nowMs: number): boolean {
  return linkedUntilMs > nowMs;
}

type Parties = Pick<StoredTicket, 'queue' | 'players' | 'split' | 'views'>;

/** The forms of a ticket in its queues. An ordinary ticket has one. */
export function viewsOf(ticket: Parties): readonly TicketInQueue[] {
  const { queue, players, split, views = [{ queue, players, ...(split && { split }) }] } = ticket;
  return views;
}

/** The home of a ticket, with the form that it has there. */
export function homeOf(ticket: Parties): TicketInQueue {
  const views = viewsOf(ticket);
  return views.find(({ pool }) => pool === undefined) ?? views[0]!;
}

/**
 * A linked ticket in the form that it has in one of its queues, by default that of the post. Other tickets are returned
 * unchanged.
 */
export function inQueue<T extends StoredTicket | CurrentTicket>(
  ticket: T,
  queue = ticket.views?.[0]?.queue,
): T {
  const view = ticket.views?.find((one) => one.queue === queue);
  if (view === undefined) return ticket;
  const { split: _, ...rest } = ticket;
  return { ...rest, queue: view.queue, players: view.players, ...(view.split && { split: true }) } as T;
}

/** The digest of a post. */
export function postDigest(ticketId: string, views: readonly TicketInQueue[]): string {
  const posted = views.map(({ queue, players, split = false }) => ({ queue, players, split }));
  return digestOf([ticketId, posted]).slice(0, 16);
}

/**
 * The views of a ticket in these queues, with the pool keys of their entries under the layouts in force. Its home is the queue
 * with the longest time-out, because the time-out of the home ends the ticket.
 * @param records the queues. Views of other queues are omitted
 */
export function placedViews(
  ticketId: string,
  views: readonly TicketInQueue[],
  records: ReadonlyMap<string, QueueRecord>,
  nowMs: number,
): TicketInQueue[] {
  const found = views.filter(({ queue }) => records.has(queue));
  const secondsOf = ({ queue }: TicketInQueue) => records.get(queue)!.definition.timeoutSeconds;
  const longest = Math.max(...found.map(secondsOf));
  const home = found.find((view) => secondsOf(view) === longest);
  return found.map((view) => {
    const { pool: _, ...rest } = view;
    if (view === home) return rest;
    const layout = layoutAt(records.get(view.queue)!.layouts, nowMs);
    return { ...rest, pool: poolKey(view.queue, layout, poolOrder(ticketId, view.players)) };
  });
}
