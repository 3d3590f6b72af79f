import * as z from 'zod';
import { TICKET_STATUSES } from '../../contract/ticket.ts';
import { CONNECTION } from './statuses.ts';
import type { Read } from './unreadable.ts';

/** The player and the ticket that a token is for. */
export interface Watcher {
  readonly ticketId: string;
  readonly queue: string;
  /** The further queues of the ticket, separated by commas. API Gateway keeps only texts and numbers of a connection. */
  readonly also?: string | undefined;
  readonly playerId: string;
  /** When the ticket was enqueued. It distinguishes the ticket from a later one with the same id. */
  readonly enqueuedAtMs: number;
  /** The index of the player in the ticket, from 0. */
  readonly player: number;
}

/** A connection of a player who watches a ticket. It does not name the player, so an erasure need not change it. */
export const connection = z.object({
  ticketId: z.string(),
  connectionId: z.string(),
  queue: z.string(),
  also: z.string().optional(),
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
