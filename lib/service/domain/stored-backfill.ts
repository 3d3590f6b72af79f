import * as z from 'zod';
import type { BackfillStatus, BackfillView } from '../../contract/backfill.ts';
import type { Backfill } from '../../policies/plan.ts';
import { BACKFILL } from './statuses.ts';
import type { StoredMatch } from './stored-match.ts';
import { storedTicket } from './stored-ticket.ts';

/** A backfill as it is stored. */
export interface StoredBackfill {
  readonly backfillId: string;
  readonly matchId: string;
  readonly queue: string;
  /** The end of the backfill itself. A backfill that is QUEUED here may have ended with its match: see `currentBackfill`. */
  readonly status: BackfillStatus;
  /** ISO 8601, milliseconds, UTC. */
  readonly enqueuedAt: string;
  /** When it times out; ISO 8601. */
  readonly timesOutAt: string;
  /** The players in the match. `ticketId` is absent for a player who joined without a ticket. */
  readonly players: Backfill['players'];
  readonly region?: string;
  readonly roster?: number;
  readonly reason?: string;
}

/** The part of a stored backfill that never changes. */
export const storedRequest = z.object({
  matchId: z.string(),
  queue: z.string(),
  timesOutAt: z.iso.datetime(),
  players: z.array(
    storedTicket.shape.players.element.extend({
      team: z.number(),
      ticketId: z.string().exactOptional(),
    }),
  ),
  region: z.string().exactOptional(),
});

/** The part that changes when the backfill ends. */
export const storedState = z.object({
  status: z.enum(BACKFILL.statuses),
  roster: z.number().exactOptional(),
  reason: z.string().exactOptional(),
});

/**
 * The current state of a backfill. While it is QUEUED, its match decides whether it still requests players: the match stores its
 * newest backfill and its own end, so neither of these changes the older backfills.
 */
export function currentBackfill(
  backfill: StoredBackfill,
  match: StoredMatch | undefined,
  nowMs: number,
): StoredBackfill {
  if (backfill.status !== 'QUEUED') return backfill;
  const cancelled = (reason: string): StoredBackfill => ({ ...backfill, status: 'CANCELLED', reason });
  if (match === undefined || match.status === 'FAILED') return cancelled('there is no such match any more');
  if (match.endedAt !== undefined) return cancelled('the match has ended');
  if (match.backfillId !== backfill.backfillId)
    return cancelled('a newer backfill of the match has replaced it');
  if (nowMs >= Date.parse(backfill.timesOutAt))
    return { ...backfill, status: 'TIMED_OUT', reason: `not filled by ${backfill.timesOutAt}` };
  return backfill;
}

/** A backfill in the format of responses. */
export function toBackfillView(backfill: StoredBackfill): BackfillView {
  const { backfillId, matchId, queue, status, enqueuedAt, roster, reason } = backfill;
  return {
    backfillId,
    matchId,
    queue,
    status,
    enqueuedAt,
    ...(roster !== undefined && { roster }),
    ...(reason !== undefined && { reason }),
  };
}

/** A backfill in the format of the policies. */
export function toPolicyBackfill({ backfillId, enqueuedAt, players, region }: StoredBackfill): Backfill {
  return {
    backfillId,
    requestedAtMs: Date.parse(enqueuedAt),
    players,
    ...(region !== undefined && { region }),
  };
}
