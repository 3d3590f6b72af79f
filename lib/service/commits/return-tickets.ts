import { inParallel } from '../concurrency/in-parallel.ts';
import type { FormingMatch } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import type { StoredTicket } from '../tickets/stored-ticket.ts';
import { layoutAt } from '../ticks/buckets.ts';

/** The maximum of tickets that are returned concurrently. */
const RETURNS_AT_ONCE = 16;

/**
 * Returns the tickets of a match that was abandoned or dissolved to the pool. Tickets that are no longer in the match are
 * left alone, so repeating it changes nothing. If the queue does not exist any more, the tickets are cancelled.
 * @param cancelled tickets of a dissolved match that are cancelled instead, and the reason
 * @param announced whether `TicketQueued` is published again
 * @returns the number of tickets that were in the match and are waiting now
 */
export async function returnTickets(
  { tickets }: { readonly tickets: TicketStore },
  record: QueueRecord | undefined,
  { matchId, ticketIds }: FormingMatch,
  {
    cancelled = [],
    reason = 'its queue was deleted',
    announced,
    nowMs,
  }: {
    readonly cancelled?: readonly string[];
    readonly reason?: string;
    readonly announced: boolean;
    readonly nowMs: number;
  },
): Promise<number> {
  let waiting = 0;
  const found = await tickets.getMany(ticketIds);
  await inParallel(
    [...found.values()].filter((ticket) => ticket.matchId === matchId && !hasEnded(ticket)),
    RETURNS_AT_ONCE,
    async (ticket) => {
      if (record === undefined || cancelled.includes(ticket.ticketId))
        return tickets.cancelWithMatch(ticket.ticketId, matchId, reason, nowMs);
      waiting++;
      return tickets.release(ticket, matchId, layoutAt(record.layouts, nowMs), announced);
    },
  );
  return waiting;
}

/** A ticket that was cancelled with its dissolved match still names it. */
function hasEnded({ status }: StoredTicket): boolean {
  return status === 'CANCELLED';
}
