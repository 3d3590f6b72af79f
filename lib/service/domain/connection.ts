import type { TicketStatus } from '../../contract/ticket.ts';
import type { ConnectionStatus } from './statuses.ts';

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
export interface Connection extends Omit<Watcher, 'playerId'> {
  readonly connectionId: string;
  readonly status: ConnectionStatus;
  readonly connectedAtMs: number;
  /** The first message is sent at this time or later: see `watching/connect.ts`. */
  readonly shownFromMs: number;
  /** What the client has reported when it connected: the status that it already shows, and the interval of its pings. */
  readonly seen?: TicketStatus | undefined;
  readonly pingSeconds?: number | undefined;
}

/** All queues of a watched ticket. */
export function watchedQueues({ queue, also }: Pick<Watcher, 'queue' | 'also'>): readonly string[] {
  return also === undefined ? [queue] : [queue, ...also.split(',')];
}
