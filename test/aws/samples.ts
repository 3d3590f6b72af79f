import type { Why } from '../../lib/contract/reason-code.ts';
import type { Player } from '../../lib/engine/types.ts';
import type { BucketLayout, Edge } from '../../lib/service/domain/buckets.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { QueuedTicket } from '../../lib/service/domain/stored-ticket.ts';

/** Sample items for the tests of stores; a test sets only the fields that it is about. */

export const NOW_MS = Date.parse('2026-01-01T12:00:00.000Z');

export function bucketLayout(version: number, ...boundaries: Edge[]): BucketLayout {
  return { version, boundaries, fromMs: 0 };
}

/** A ticket of one player for each skill. */
export function ticket(queue: string, ticketId: string, skills: number | readonly number[]): QueuedTicket {
  const players: Player[] = [skills].flat().map((skill, i) => ({ playerId: `${ticketId}.${i}`, skill }));
  return { ticketId, queue, status: 'QUEUED', enqueuedAt: new Date(NOW_MS).toISOString(), players };
}

/** A match of tickets, one team each. */
export function match(
  queue: string,
  matchId: string,
  ticketIds: readonly string[],
  changes: Partial<StoredMatch> = {},
): StoredMatch {
  return {
    matchId,
    queue,
    status: 'COMPLETED',
    createdAt: new Date(NOW_MS).toISOString(),
    teams: ticketIds.map((ticketId) => ({ players: [{ playerId: `${ticketId}.0`, ticketId }] })),
    imbalance: 0.1 + 0.2,
    teamGap: 1e-300,
    skillSpread: 5e-324,
    priority: -1 / 3,
    lowerBound: -1.7976931348623157e308,
    optimal: false,
    ticketIds,
    ...changes,
  };
}

/** Why a ticket ended, where a test is not about the code. */
export function why(reason: string): Why<'CANCELLED_BY_REQUEST'> {
  return { reason, reasonCode: 'CANCELLED_BY_REQUEST' };
}

/** Why a match was not accepted. */
export function notAccepted(reason: string): Why<'NOT_ACCEPTED'> {
  return { reason, reasonCode: 'NOT_ACCEPTED' };
}

/** Why a match was not placed. */
export function unplaced(reason: string): Why<'PLACEMENT_REFUSED'> {
  return { reason, reasonCode: 'PLACEMENT_REFUSED' };
}
