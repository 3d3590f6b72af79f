import { isFinal } from '../../contract/ticket.ts';
import type { StoredMatch } from '../placement/stored-match.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { StoredTicket } from './stored-ticket.ts';

export interface TicketStatusDeps {
  readonly tickets: Pick<TicketStore, 'get'>;
  readonly matches: Pick<SingleMatchStore, 'get'>;
}

/**
 * Once a ticket has a match, its status is that of the match. The status is stored in one place, so it is consistent,
 * and one write changes the status of all tickets of a match.
 */
export async function withMatchStatus(deps: TicketStatusDeps, ticket: StoredTicket): Promise<StoredTicket> {
  return (await withMatch(deps, ticket)).ticket;
}

/** A ticket with the status of its match, and the match if it was read. */
export interface TicketAndMatch {
  readonly ticket: StoredTicket;
  readonly match?: StoredMatch;
}

/** A ticket with the status of its match, and the match. */
export async function withMatch(deps: TicketStatusDeps, ticket: StoredTicket): Promise<TicketAndMatch> {
  if (ticket.matchId === undefined || isFinal(ticket.status)) return { ticket };
  const match = await deps.matches.get(ticket.matchId);
  if (match === undefined) return { ticket };
  if (match.status === 'FAILED') {
    // The match may have been dissolved since the ticket was read. The ticket then has ended or is waiting again.
    const now = await deps.tickets.get(ticket.ticketId);
    if (now !== undefined && (now.matchId !== ticket.matchId || isFinal(now.status))) {
      return withMatch(deps, now);
    }
  }
  return { ticket: { ...ticket, ...statusOf(match) }, match };
}

function statusOf(match: StoredMatch): Pick<StoredTicket, 'status'> & { reason?: string } {
  return { status: match.status, ...(match.reason !== undefined && { reason: match.reason }) };
}
