import type { Watcher } from '../domain/connection.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { unknownTicket } from '../tickets/ticket-status.ts';

/** The ticket that a token or a connection is for. */
export type WatchedTicket = Pick<Watcher, 'ticketId' | 'enqueuedAtMs'>;

/** Whether a stored ticket is the watched one, not a later one with the same id. */
export function isWatched(
  ticket: Pick<StoredTicket, 'enqueuedAt'>,
  { enqueuedAtMs }: WatchedTicket,
): boolean {
  return Date.parse(ticket.enqueuedAt) === enqueuedAtMs;
}

/** @throws Problem 404 the ticket is gone, even if a later one has its id */
export async function checkWatched(
  { tickets }: { readonly tickets: Pick<TicketStore, 'get'> },
  watched: WatchedTicket,
): Promise<void> {
  const { ticketId } = watched;
  // Most tickets are found by an eventually consistent read, for half the price. One posted just now may need the second read.
  const ticket = (await tickets.get(ticketId, 'eventual')) ?? (await tickets.get(ticketId));
  if (ticket === undefined || !isWatched(ticket, watched)) throw unknownTicket(ticketId);
}
