import type { TicketReasonCode } from '../../contract/reason-code.ts';
import { seatsAtFault } from './answers.ts';
import type { StoredMatch } from './stored-match.ts';
import type { StoredTicket } from './stored-ticket.ts';

/** A ticket fails when this many of its matches were not placed. */
const FAILURES_MAX = 3;

/**
 * What happens to a ticket whose match has FAILED. It follows from the stored match and ticket, so readers see it before the
 * ticket is written.
 */
export interface Fate {
  readonly becomes: 'QUEUED' | 'CANCELLED' | 'FAILED';
  readonly reason?: string;
  readonly reasonCode?: TicketReasonCode;
}

/**
 * What happens to a ticket of a FAILED match.
 *
 *     not accepted in time   the tickets in `cancelled` are CANCELLED, the others return
 *     a player has left      the same
 *     not placed, requeued   tickets of the roster return; a ticket whose third match was not placed is FAILED
 *     not placed             FAILED
 *
 * A ticket whose players have all left the match is not in its roster, and is FAILED with it.
 */
export function fateOf(match: StoredMatch, ticket: StoredTicket): Fate {
  const { cancelled, requeued, ticketIds } = match;
  const reason = match.reason === undefined ? {} : { reason: match.reason };
  const code: Pick<Fate, 'reasonCode'> =
    match.reasonCode === undefined ? {} : { reasonCode: match.reasonCode };
  if (cancelled !== undefined && ticketIds.includes(ticket.ticketId)) {
    return cancelled.includes(ticket.ticketId)
      ? { becomes: 'CANCELLED', ...reason, ...code }
      : { becomes: 'QUEUED' };
  }
  if (requeued !== true || !ticketIds.includes(ticket.ticketId))
    return { becomes: 'FAILED', ...reason, ...code };
  if ((ticket.failures ?? 0) + 1 < FAILURES_MAX) return { becomes: 'QUEUED' };
  const why = `${FAILURES_MAX} of its matches were not placed; the last: ${match.reason}`;
  return { becomes: 'FAILED', reason: why, ...code };
}

/** The players of a ticket who have declined its match or did not respond in time. A player who has left has done neither. */
export function playersAtFault(match: StoredMatch, ticketId: string): string[] {
  return seatsAtFault(match).flatMap((seat) => (seat.ticketId === ticketId ? [seat.playerId] : []));
}

/** Whether a match has FAILED and may still have tickets that must be returned. */
export function isDissolving({ cancelled, requeued, deadline }: StoredMatch): boolean {
  return (cancelled !== undefined || requeued === true) && deadline !== undefined;
}
