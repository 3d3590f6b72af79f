import { conflict, type Problem } from '../../contract/problem.ts';
import type { Why } from '../../contract/reason-code.ts';
import { viewsOf } from '../domain/linked-ticket.ts';
import { fateOf } from '../domain/returning.ts';
import type { CurrentTicket, StoredTicket } from '../domain/stored-ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { ReplacedTicket, TicketStore } from '../ports/ticket-store.ts';
import { type TicketAndMatch, unknownTicket, withMatch } from './ticket-status.ts';

export interface CancelDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
  readonly clock: Clock;
}

/** The intervals at which a cancel checks whether the match of its ticket was created. A commit takes some 20 to 50 ms. */
const FORMING_MS = [20, 40, 80, 160] as const;
/** Each further try means that another match has claimed the ticket. */
const CANCELS_MAX = 5;

/**
 * Cancels a QUEUED ticket. Either the ticket is cancelled or a tick matches it. Cancelling a CANCELLED ticket changes nothing, so
 * the request can be repeated.
 *
 *     end       one conditional write: done, unless a tick has claimed the ticket for a match
 *     wait      a moment, until that match exists; then the ticket cannot be cancelled
 *     abandon   the match, by a conditional write, so that it never exists. A crash after it: the ticket returns to the pool, and
 *               the request can be repeated
 *     end       the ticket, which no match holds now
 *
 * @throws Problem 404 no such ticket, 409 it has a match, or has ended in another way
 */
export async function cancelTicket(
  deps: CancelDeps,
  ticketId: string,
  nowMs: number,
): Promise<CurrentTicket> {
  let freedFrom: string | undefined;
  for (let attempt = 0; attempt < CANCELS_MAX; attempt++) {
    const result = await deps.tickets.end(ticketId, 'CANCELLED', BY_REQUEST, nowMs, freedFrom);
    if (result === undefined) throw unknownTicket(ticketId);
    const { ticket } = await (result.ended
      ? withMatch(deps, result.ticket)
      : afterForming(deps, result.ticket));
    if (result.ended || ticket.status === 'CANCELLED') return ticket;
    if (ticket.status !== 'QUEUED')
      throw conflict(
        'TICKET_NOT_QUEUED',
        `Ticket ${ticketId} is ${ticket.status}; only a QUEUED ticket can be cancelled.`,
        { ticketStatus: ticket.status },
      );
    freedFrom = await freeFromMatch(deps, result.ticket, nowMs);
  }
  throw new StoreBusy(`ticks keep claiming ticket ${ticketId}`);
}

const BY_REQUEST: Why = { reason: 'cancelled by the client', reasonCode: 'CANCELLED_BY_REQUEST' };

/** The state of a ticket after a tick that has claimed it had a moment to create its match. */
export async function afterForming(deps: CancelDeps, ticket: StoredTicket): Promise<TicketAndMatch> {
  let latest = await withMatch(deps, ticket);
  for (const ms of FORMING_MS) {
    if (latest.ticket.status !== 'QUEUED') break;
    await deps.clock.sleep(ms);
    latest = await withMatch(deps, (await deps.tickets.get(ticket.ticketId)) ?? ticket);
  }
  return latest;
}

/**
 * Abandons the match that has claimed a ticket, unless the match exists.
 * @returns the id of the match when it no longer holds the ticket: it can never exist, or it has failed and returns the ticket to
 * the pool
 */
export async function freeFromMatch(
  deps: CancelDeps,
  ticket: StoredTicket,
  nowMs: number,
): Promise<string | undefined> {
  const { queue, ticketId, matchId } = ticket;
  if (matchId === undefined) return undefined;
  if ((await deps.matches.abandon(queue, { matchId, ticketIds: [ticketId] }, nowMs)) === 'abandoned')
    return matchId;
  const match = await deps.matches.get(matchId);
  return match?.status === 'FAILED' && fateOf(match, ticket).becomes === 'QUEUED' ? matchId : undefined;
}

/**
 * Prepares the replacement of a ticket by a new one. The store cancels it in one transaction with the new ticket, so exactly one
 * of the two is waiting at every moment, and a party whose member leaves or joins keeps its wait.
 *
 *     read      the ticket: QUEUED, or claimed by a tick
 *     wait      a moment, until the match of that tick exists; then the ticket cannot be replaced
 *     abandon   the match, by a conditional write, so that it never exists. A crash after it: the ticket returns to the pool, and
 *               the request can be repeated
 *     put       the new ticket and the end of this one, in one transaction (see `enqueue.ts`): both or neither
 *
 * @returns a Problem (409) when the ticket cannot be replaced: it has a match, has ended, is missing, has no queue in common or has
 * none of the players
 */
export async function replacedTicket(
  deps: CancelDeps,
  by: StoredTicket,
  ticketId: string,
  nowMs: number,
): Promise<ReplacedTicket | Problem> {
  const found = await deps.tickets.get(ticketId);
  if (found === undefined) return refused(ticketId, 'there is no ticket with this id');
  const queues = new Set(viewsOf(by).map(({ queue }) => queue));
  if (!viewsOf(found).some(({ queue }) => queues.has(queue)))
    return refused(ticketId, `it waits in queue ${found.queue}`);
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
  // A failure is normally counted when the ticket returns to the pool. This ticket will not return, so it is counted here.
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
