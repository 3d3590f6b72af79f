import * as z from 'zod';
import { TICKET_STATUSES } from '../../contract/ticket.ts';
import { CONNECTION } from './statuses.ts';
import type { Read } from './unreadable.ts';

/** The player and the ticket that a token is for. */
export const watcher = z.object({
  ticketId: z.string(),
  queue: z.string(),
  /** The further queues of the ticket, separated by commas. API Gateway keeps only texts and numbers of a connection. */
  also: z.string().optional(),
  playerId: z.string(),
  /**
   * When the ticket was enqueued. It distinguishes the ticket from a later one with the same id. API Gateway may pass numbers as
   * text.
   */
  enqueuedAtMs: z.coerce.number().int(),
  /** The index of the player in the ticket, from 0. */
  player: z.coerce.number().int().min(0),
});
export type Watcher = Read<typeof watcher>;

/** A connection of a player who watches a ticket. It does not name the player, so an erasure need not change it. */
export const connection = watcher.omit({ playerId: true }).extend({
  connectionId: z.string(),
  // The store keeps numbers as numbers.
  enqueuedAtMs: z.number(),
  player: z.number(),
  status: z.enum(CONNECTION.statuses),
  connectedAtMs: z.number(),
  /** The first message is sent at this time or later: see `watching/connect.ts`. */
  shownFromMs: z.number(),
  /** The status that the client already showed when it connected. One that only a later version knows is ignored. */
  seen: z.enum(TICKET_STATUSES).optional().catch(undefined),
  /** The interval of its pings, as the client has reported it. */
  pingSeconds: z.number().optional(),
});
export type Connection = Read<typeof connection>;

/** All queues of a watched ticket. */
export function watchedQueues({ queue, also }: Pick<Watcher, 'queue' | 'also'>): readonly string[] {
  return also === undefined ? [queue] : [queue, ...also.split(',')];
}
