import * as z from 'zod';
import { inQueue } from '../service/domain/linked-ticket.ts';
import { type StoredTicket, storedTicket } from '../service/domain/stored-ticket.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { WaitingTickets } from '../service/ports/ticket-store.ts';
import { isPackedSplit, packedPlayers, packPlayers, unpackPlayers } from './compact-players.ts';
import { packedAttribute } from './item.ts';
import type { ParsedTickets } from './parsed-tickets.ts';

const ticketItem = storedTicket.extend({
  players: packedPlayers(storedTicket.shape.players),
  views: packedAttribute(storedTicket.shape.views.unwrap(), 'packed views', unpackViews).exactOptional(),
  enqueuedAt: z.number().transform((enqueuedAtMs) => new Date(enqueuedAtMs).toISOString()),
});

/**
 * A ticket from its item.
 * @throws Unreadable
 */
export function toTicket(item: Record<string, unknown>): StoredTicket {
  const ticket = readWith(ticketItem, withSplit(item), `ticket ${item.ticketId}`);
  // The item has the players in the form of the home queue, because the index contains them.
  return inQueue(ticket, ticket.matchId === undefined ? undefined : ticket.queue);
}

/** The attributes of a linked ticket; none for other tickets. */
export function linkAttributes({ linked, views }: Pick<StoredTicket, 'linked' | 'views'>): {
  readonly linked?: string | undefined;
  readonly views?: string;
} {
  if (views === undefined) return {};
  const packed = views.map(({ queue, players, split, pool }) => [queue, packPlayers(players, split), pool]);
  // Most parties have the same form in all of their queues.
  const first = packed[0]![1];
  const short = packed.map(([queue, own, pool], i) => [queue, i > 0 && own === first ? 0 : own, pool ?? 0]);
  return { linked, views: JSON.stringify(short) };
}

function unpackViews(text: string): unknown {
  const packed: unknown = JSON.parse(text);
  if (!Array.isArray(packed)) return packed;
  return packed.map(([queue, own, pool]) => {
    const players = own === 0 ? packed[0][1] : own;
    const split = isPackedSplit(players) && { split: true };
    return { queue, players: unpackPlayers(players), ...split, ...(pool !== 0 && { pool }) };
  });
}

/** The attribute of the players also stores whether the party may be divided, because the index contains it. */
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
      const ticket = { ...read.data, ...entryOf(item) };
      tickets.push(ticket);
      parsed?.set(item, ticket);
    } else unreadable.push(String(item.ticketId));
  }
  return { tickets, unreadable };
}

/** The entry of a ticket that was read from `entries`. */
function entryOf({ n, pool, poolOrder }: Record<string, unknown>): Pick<StoredTicket, 'entry'> {
  return typeof n === 'number' ? { entry: { pool: String(pool), poolOrder: String(poolOrder), n } } : {};
}
