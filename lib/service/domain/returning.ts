import type { TicketReasonCode } from '../../contract/reason-code.ts';
import type { StoredMatch } from './stored-match.ts';
import type { StoredTicket } from './stored-ticket.ts';

/** The number of matches that were not placed with which a ticket fails. */
const FAILURES_MAX = 3;

/** The code of a ticket that would return to a queue that is deleted. */
const QUEUE_DELETED = { reasonCode: 'QUEUE_DELETED' } as const;

/** What becomes of a ticket whose match has FAILED. It follows from the match and the ticket, before the ticket is written. */
export interface Fate {
  readonly becomes: 'QUEUED' | 'CANCELLED' | 'FAILED';
  readonly reason?: string;
  readonly reasonCode?: TicketReasonCode;
}

/**
 * What becomes of a ticket of a FAILED match.
 *
 *     not accepted in time       the tickets in `cancelled` are CANCELLED, the others return
 *     a player has left          the same
 *     not placed, requeued       tickets of the roster return; a ticket in its third such match is FAILED
 *     not placed                 FAILED
 *
 * A ticket of which every player has left the match is not in its roster, and is FAILED with it.
 */
export function fateOf(match: StoredMatch, ticket: StoredTicket): Fate {
  const { cancelled, requeued, ticketIds } = match;
  const reason = match.reason === undefined ? {} : { reason: match.reason };
  const code: Pick<Fate, 'reasonCode'> =
    match.reasonCode === undefined ? {} : { reasonCode: match.reasonCode };
  if (cancelled !== undefined && ticketIds.includes(ticket.ticketId)) {
    if (!cancelled.includes(ticket.ticketId)) return { becomes: 'QUEUED' };
    const isOwn = match.reasonCode === 'PLAYER_LEFT' || hasNotAccepted(match, ticket.ticketId);
    const isByQueue = match.reasonCode !== undefined && !isOwn;
    return { becomes: 'CANCELLED', ...reason, ...(isByQueue ? QUEUE_DELETED : code) };
  }
  if (requeued !== true || !ticketIds.includes(ticket.ticketId))
    return { becomes: 'FAILED', ...reason, ...code };
  if ((ticket.failures ?? 0) + 1 < FAILURES_MAX) return { becomes: 'QUEUED' };
  const why = `${FAILURES_MAX} of its matches were not placed; the last: ${match.reason}`;
  return { becomes: 'FAILED', reason: why, ...code };
}

/**
 * Whether a ticket is a reason why its match was not accepted: it has declined, or it did not respond in time. A ticket whose player
 * has left is not.
 */
export function hasNotAccepted(
  { reasonCode, declinedBy, accepted }: Pick<StoredMatch, 'reasonCode' | 'declinedBy' | 'accepted'>,
  ticketId: string,
): boolean {
  if (reasonCode === 'PLAYER_LEFT') return false;
  return reasonCode === 'DECLINED' ? declinedBy === ticketId : !accepted?.includes(ticketId);
}

/** Whether a match has FAILED and may still have tickets that must be returned. */
export function isDissolving({ cancelled, requeued, deadline }: StoredMatch): boolean {
  return (cancelled !== undefined || requeued === true) && deadline !== undefined;
}
