import { Problem } from '../../contract/problem.ts';
import { progressOf } from '../domain/answers.ts';
import { inQueue } from '../domain/linked-ticket.ts';
import { fateOf } from '../domain/returning.ts';
import { SEEN_IN_MATCH } from '../domain/statuses.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { CurrentTicket, StoredTicket } from '../domain/stored-ticket.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';

export interface TicketStatusDeps {
  readonly tickets: Pick<TicketStore, 'get'>;
  readonly matches: Pick<SingleMatchStore, 'get'>;
}

/**
 * The status of a ticket with a match is that of the match. It is stored once, so it is consistent, and one write changes the
 * status of all tickets of a match.
 *
 *     MATCHED, the match exists       the status of the match
 *     MATCHED, no such match          QUEUED: a tick is forming the match, or it was abandoned
 *     MATCHED, the match has FAILED   FAILED, CANCELLED or QUEUED: see `returning.ts`
 */
export async function withMatchStatus(deps: TicketStatusDeps, ticket: StoredTicket): Promise<CurrentTicket> {
  return (await withMatch(deps, ticket)).ticket;
}

/** A ticket with the status of its match, and the match if it was read. */
export interface TicketAndMatch {
  readonly ticket: CurrentTicket;
  readonly match?: StoredMatch;
}

/** A ticket with the status of its match, and the match. */
export async function withMatch(deps: TicketStatusDeps, ticket: StoredTicket): Promise<TicketAndMatch> {
  if (hasOwnStatus(ticket)) return { ticket };
  const match = await deps.matches.get(ticket.matchId!);
  if (match === undefined) return { ticket: waiting(ticket) };
  if (match.status === 'FAILED') {
    // The match may have been dissolved since the ticket was read. The ticket then has ended or is waiting again.
    const now = await deps.tickets.get(ticket.ticketId);
    if (now !== undefined && (now.matchId !== ticket.matchId || hasOwnStatus(now)))
      return withMatch(deps, now);
    const { becomes, ...why } = fateOf(match, ticket);
    // The state in which the write that returns it to the pool will leave it.
    if (becomes === 'QUEUED') return { ticket: { ...waiting(ticket), returns: (ticket.returns ?? 0) + 1 } };
    return { ticket: { ...ticket, status: becomes, ...why }, ...(becomes === 'FAILED' && { match }) };
  }
  return { ticket: inMatch(ticket, match), match };
}

/** A MATCHED ticket with the status of its match, which has not FAILED, and the progress of its acceptance. */
export function inMatch(ticket: StoredTicket, match: StoredMatch): CurrentTicket {
  const acceptance = progressOf(match, ticket.ticketId);
  const { status, reason } = match;
  return {
    ...ticket,
    status: SEEN_IN_MATCH[status],
    ...(reason !== undefined && { reason }),
    ...(acceptance && { acceptance }),
  };
}

export function unknownTicket(ticketId: string): Problem {
  return new Problem(
    404,
    `There is no ticket ${JSON.stringify(ticketId)}. Tickets are kept for a day after their end.`,
  );
}

/** Whether the status of a ticket is in its own item. */
function hasOwnStatus(
  ticket: StoredTicket,
): ticket is StoredTicket & { readonly status: Exclude<StoredTicket['status'], 'MATCHED'> } {
  return ticket.status !== 'MATCHED';
}

function waiting({ matchId: _, reason: __, reasonCode: ___, ...ticket }: StoredTicket): CurrentTicket {
  return { ...inQueue(ticket), status: SEEN_IN_MATCH.none };
}
