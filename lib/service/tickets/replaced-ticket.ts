import { conflict, type Problem } from '../../contract/problem.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { ReplacedTicket } from '../ports/ticket-store.ts';
import { afterForming, type CancelDeps, freeFromMatch } from './cancel-ticket.ts';

/**
 * The ticket that a new one replaces, as the store can cancel it in one transaction with the new one. So a party whose member
 * leaves or joins keeps its wait: at every moment exactly one of the two tickets waits.
 *
 *     read       the ticket: QUEUED, or claimed by a tick
 *     wait       a moment, until the match of that tick exists: the ticket cannot be replaced any more
 *     abandon    the match, by a conditional write, so that it never exists. A crash after it: the ticket returns to the
 *                pool, and the request can be repeated
 *     put        the new ticket and the end of this one, in one transaction (see `enqueue.ts`): either both or neither
 *
 * @returns a Problem (409) when the ticket cannot be replaced: it has a match, has ended, is missing, is of another queue or has
 * none of the players
 */
export async function replacedTicket(
  deps: CancelDeps,
  by: StoredTicket,
  ticketId: string,
  nowMs: number,
): Promise<ReplacedTicket | Problem> {
  const found = await deps.tickets.get(ticketId);
  if (found === undefined) return refused(ticketId, 'there is no ticket with this id, or no longer');
  if (found.queue !== by.queue) return refused(ticketId, `it waits in queue ${found.queue}`);
  const playerIds = new Set(by.players.map(({ playerId }) => playerId));
  if (!found.players.some(({ playerId }) => playerIds.has(playerId)))
    return refused(ticketId, 'a ticket keeps the wait of one with at least one player in common');
  if (found.status === 'QUEUED') return { ticket: found, nowMs };
  const { ticket } = await afterForming(deps, found);
  const { status } = ticket;
  if (status !== 'QUEUED')
    return refused(ticketId, `it is ${status}; only a QUEUED ticket can be replaced`, status);
  const now = (await deps.tickets.get(ticketId)) ?? found;
  const freedFrom = await freeFromMatch(deps, now, nowMs);
  const match = freedFrom === undefined ? undefined : await deps.matches.get(freedFrom);
  // Its failure counts when the ticket is written back to the pool, which now never happens.
  const failures = (now.failures ?? 0) + (match?.requeued === true ? 1 : 0);
  return { ticket: failures === 0 ? now : { ...now, failures }, freedFrom, nowMs };
}

function refused(ticketId: string, why: string, ticketStatus?: string): Problem {
  const code = ticketStatus === undefined ? 'TICKET_NOT_REPLACEABLE' : 'TICKET_NOT_QUEUED';
  return conflict(code, `Ticket ${ticketId} cannot be replaced: ${why}.`, {
    ticketId,
    ...(ticketStatus !== undefined && { ticketStatus }),
  });
}
