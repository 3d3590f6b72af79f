import type { TicketStatus } from '../../contract/ticket.ts';
import type { ConnectionStatus } from './statuses.ts';

/** The token of a player says who watches what. */
export interface Watcher {
  readonly ticketId: string;
  readonly queue: string;
  readonly playerId: string;
  /** When the ticket was enqueued: a later ticket may have the same id, and is another one. */
  readonly enqueuedAtMs: number;
  /** The place of the player in the ticket, from 0. */
  readonly player: number;
}

/** A connection of a player who watches a ticket. It names no player, so that it needs no erasure. */
export interface Connection extends Omit<Watcher, 'playerId'> {
  readonly connectionId: string;
  readonly status: ConnectionStatus;
  readonly connectedAtMs: number;
  /** The first message is sent no earlier: see `watching/connect.ts`. */
  readonly shownFromMs: number;
  /** The status that the client shows already, and the interval at which it pings, if it has said so. */
  readonly seen?: TicketStatus | undefined;
  readonly pingSeconds?: number | undefined;
}
