import type { TicketStatus, TicketView } from '../../contract/ticket.ts';
import type { Player, Ticket } from '../../engine/types.ts';

/** A ticket as it is stored. Once it has a match, its status is the match's: see `ticket-status.ts`. */
export interface StoredTicket {
  readonly ticketId: string;
  readonly queue: string;
  readonly status: TicketStatus;
  /** ISO 8601, milliseconds, UTC. */
  readonly enqueuedAt: string;
  readonly players: readonly Player[];
  readonly matchId?: string;
  readonly reason?: string;
}

export function toView(ticket: StoredTicket): TicketView {
  const { ticketId, queue, status, enqueuedAt, matchId, reason } = ticket;
  return {
    ticketId,
    queue,
    status,
    enqueuedAt,
    players: ticket.players.map(({ playerId, skill, roles }) => ({
      playerId,
      skill,
      ...(roles && { roles: [...roles] }),
    })),
    ...(matchId !== undefined && { matchId }),
    ...(reason !== undefined && { reason }),
  };
}

export function toEngineTicket(ticket: {
  ticketId: string;
  enqueuedAt: string;
  players: readonly Player[];
}): Ticket {
  return {
    ticketId: ticket.ticketId,
    enqueuedAtMs: Date.parse(ticket.enqueuedAt),
    players: ticket.players,
  };
}
