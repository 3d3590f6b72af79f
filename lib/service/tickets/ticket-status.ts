import { isFinal } from '../../contract/ticket.ts';
import type { StoredMatch } from '../placement/stored-match.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { StoredTicket } from './stored-ticket.ts';

export interface TicketStatusDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
}

/**
 * Once a ticket has a match, its status is the match's: stored in one place, it cannot disagree, and a
 * match of ten tickets moves on by one write.
 */
export async function withMatchStatus(deps: TicketStatusDeps, ticket: StoredTicket): Promise<StoredTicket> {
  return (await withMatch(deps, ticket)).ticket;
}

/** A ticket with the status of its match, and the match when that had to be read. */
export interface TicketAndMatch {
  readonly ticket: StoredTicket;
  readonly match?: StoredMatch;
}

/** The same, with the match itself. */
export async function withMatch(deps: TicketStatusDeps, ticket: StoredTicket): Promise<TicketAndMatch> {
  if (ticket.matchId === undefined || isFinal(ticket.status)) return { ticket };
  const match = await deps.matches.get(ticket.matchId);
  if (match === undefined) return { ticket };
  if (match.status === 'FAILED') {
    // It may have been dissolved since the ticket was read, which has its own end or waits again then.
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
