import { acceptanceBody } from '../../contract/acceptance.ts';
import { conflict, type Problem, parseWith } from '../../contract/problem.ts';
import type { MatchReasonCode, Why } from '../../contract/reason-code.ts';
import { type ReturnDeps, returnDissolved } from '../commits/return-tickets.ts';
import { PLAYER_LEFT, type PresenceDeps, vanishedTickets } from '../commits/vanished-tickets.ts';
import { statusAfterAcceptance } from '../domain/match-status.ts';
import { isDissolving } from '../domain/returning.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { CurrentTicket, StoredTicket } from '../domain/stored-ticket.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { unknownTicket, withMatchStatus } from './ticket-status.ts';

export interface AcceptanceDeps extends ReturnDeps, PresenceDeps {}

/**
 * A party accepts or declines its match. The request names the match, so a repetition after that match was dissolved
 * does not affect the next match.
 *
 *     accept              adds the ticket to a set in the match: repeating it changes nothing
 *     all have accepted   the match advances, on the condition that it still requires acceptance. If a player has left since, it
 *                         is dissolved instead: see `dissolveMatch`.
 *                         A crash before it: `deadline` finds that all have accepted and does the same
 *     decline             dissolves the match: see `dissolveMatch`
 * @throws Problem 400, 404, 409 the ticket's match is another one or no longer requires acceptance
 */
export async function answerMatch(
  deps: AcceptanceDeps,
  ticketId: string,
  body: unknown,
  nowMs: number,
): Promise<CurrentTicket> {
  const { accepted, matchId } = parseWith(acceptanceBody, body, 'The acceptance');
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const ticket = await deps.tickets.get(ticketId);
    if (ticket === undefined) throw unknownTicket(ticketId);
    if (ticket.matchId !== matchId) throw otherMatch(await withMatchStatus(deps, ticket), matchId);
    const match = await deps.matches.get(matchId);
    // An earlier request that crashed may have left tickets in the match.
    if (match !== undefined && isDissolving(match)) await returnDissolved(deps, match, nowMs);
    if (match?.status !== 'REQUIRES_ACCEPTANCE') return repeatedRequest(deps, ticket, match, accepted);
    if (await acceptOrDecline(deps, match, ticketId, accepted, nowMs))
      return withMatchStatus(deps, (await deps.tickets.get(ticketId)) ?? ticket);
  }
  throw new StoreBusy(`other tickets of the match of ticket ${ticketId} keep accepting`);
}

/** A request that declines is retried when another ticket has accepted since. A match has fewer tickets than this, at most 200. */
const TRIES_MAX = 250;

async function acceptOrDecline(
  deps: AcceptanceDeps,
  match: StoredMatch,
  ticketId: string,
  accepted: boolean,
  nowMs: number,
): Promise<boolean> {
  if (accepted) {
    const changed = await deps.matches.accept(match.matchId, ticketId);
    if (changed !== undefined) await advanceIfAccepted(deps, changed, nowMs);
    return true;
  }
  const outcome = await dissolveMatch(deps, match, {
    cancelled: (other) => other === ticketId,
    why: { reason: `ticket ${ticketId} did not accept`, reasonCode: 'DECLINED', declinedBy: ticketId },
    nowMs,
  });
  return outcome === 'dissolved';
}

/** Returns the ticket unchanged for a repeated request to a match that has moved on. */
async function repeatedRequest(
  deps: AcceptanceDeps,
  ticket: StoredTicket,
  match: StoredMatch | undefined,
  accepted: boolean,
): Promise<CurrentTicket> {
  const now = await withMatchStatus(deps, ticket);
  if (match !== undefined && accepted && match.accepted?.includes(ticket.ticketId)) return now;
  if (match !== undefined && !accepted && now.status === 'CANCELLED') return now;
  throw conflict(
    'TICKET_NOT_ACCEPTING',
    `Ticket ${ticket.ticketId} is ${now.status}; only a ticket that REQUIRES_ACCEPTANCE can accept or decline.`,
    { ticketStatus: now.status },
  );
}

function otherMatch({ ticketId, status, matchId }: CurrentTicket, requestedId: string): Problem {
  const its = matchId === undefined ? 'has no match' : `is in match ${matchId}`;
  return conflict(
    'TICKET_NOT_ACCEPTING',
    `Ticket ${ticketId} is ${status} and ${its}; the request is for match ${requestedId}.`,
    { ticketStatus: status },
  );
}

/**
 * Advances a match when every ticket has accepted, and returns whether they have. In a queue with `presence` it dissolves the match if
 * a player has left: the ticket of this player is cancelled, and the others return.
 */
export async function advanceIfAccepted(
  deps: AcceptanceDeps,
  match: StoredMatch,
  nowMs: number,
): Promise<boolean> {
  if (!match.ticketIds.every((ticketId) => match.accepted?.includes(ticketId))) return false;
  const record = await deps.queues.get(match.queue, DEFINITION_AGE_MS);
  const vanished =
    record &&
    (await vanishedTickets(deps, record, match.ticketIds, () => Date.parse(match.createdAt), nowMs));
  if (vanished?.size) {
    await dissolveMatch(deps, match, { cancelled: (id) => vanished.has(id), why: PLAYER_LEFT, nowMs });
    return true;
  }
  const { status, ...change } = record
    ? statusAfterAcceptance(record.definition, nowMs)
    : { status: 'COMPLETED' as const };
  await deps.matches.advance(match.matchId, 'REQUIRES_ACCEPTANCE', status, change);
  return true;
}

/**
 * Fails a match that was not accepted. Cancels the tickets that did not accept or whose players have left, and returns the others to
 * the pool with the time they were first enqueued. If the queue no longer exists, all are cancelled. `lost-race`: a ticket has accepted since
 * the match was read, or the match has moved on.
 *
 *     dissolve   one conditional write fails the match and names the tickets that are cancelled. From here on every
 *                reader sees each ticket as CANCELLED or QUEUED. A crash before it changes nothing
 *     return     its tickets: see `commits/return-tickets.ts`
 */
export async function dissolveMatch(
  deps: AcceptanceDeps,
  match: StoredMatch,
  how: {
    cancelled: (ticketId: string) => boolean;
    why: Why<MatchReasonCode> & { readonly declinedBy?: string };
    nowMs: number;
  },
): Promise<'dissolved' | 'lost-race'> {
  const record = await deps.queues.get(match.queue, DEFINITION_AGE_MS);
  const cancelled = match.ticketIds.filter((ticketId) => record === undefined || how.cancelled(ticketId));
  const outcome = await deps.matches.dissolve(match, cancelled, how.why, how.nowMs);
  if (outcome === 'dissolved')
    await returnDissolved(
      deps,
      {
        ...match,
        status: 'FAILED',
        cancelled,
        ...how.why,
        deadline: new Date(how.nowMs).toISOString(),
      },
      how.nowMs,
    );
  return outcome;
}
