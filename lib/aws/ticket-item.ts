import * as z from 'zod';
import { type StoredTicket, storedTicket } from '../service/domain/stored-ticket.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { WaitingTickets } from '../service/ports/ticket-store.ts';
import { isPackedSplit, packedPlayers } from './compact-players.ts';
import type { ParsedTickets } from './parsed-tickets.ts';

const ticketItem = storedTicket.extend({
  players: packedPlayers(storedTicket.shape.players),
  enqueuedAt: z.number().transform((enqueuedAtMs) => new Date(enqueuedAtMs).toISOString()),
});

/**
 * A ticket from its item.
 * @throws Unreadable
 */
export function toTicket(item: Record<string, unknown>): StoredTicket {
  return readWith(ticketItem, withSplit(item), `ticket ${item.ticketId}`);
}

/** The players' attribute also says whether the party may be divided, because the index contains it. */
function withSplit(item: Record<string, unknown>): Record<string, unknown> {
  return isPackedSplit(item.players) ? { ...item, split: true } : item;
}

/** The index contains only what a tick needs. Queue and status follow from the presence in the index. */
export function readQueued(
  items: readonly Record<string, unknown>[],
  queue: string,
  parsed?: ParsedTickets,
): Pick<WaitingTickets, 'tickets' | 'unreadable'> {
  const tickets: StoredTicket[] = [];
  const unreadable: string[] = [];
  for (const item of items) {
    const known = parsed?.get(item, queue);
    if (known !== undefined) {
      tickets.push(known);
      continue;
    }
    const read = ticketItem.safeParse({ ...withSplit(item), queue, status: 'QUEUED' });
    if (read.success) {
      tickets.push(read.data);
      parsed?.set(item, read.data);
    } else unreadable.push(String(item.ticketId));
  }
  return { tickets, unreadable };
}
