import * as z from 'zod';
import type { BackfillView } from '../../contract/backfill.ts';
import type { Backfill } from '../../policies/plan.ts';
import { BACKFILL } from './statuses.ts';
import type { StoredMatch } from './stored-match.ts';
import { storedTicket } from './stored-ticket.ts';
import type { Read } from './unreadable.ts';

/** The part of a stored backfill that never changes. */
export const storedRequest = z.object({
  matchId: z.string(),
  queue: z.string(),
  /** When it times out. */
  timesOutAt: z.iso.datetime(),
  /** The players in the match. `ticketId` is absent for a player who joined without a ticket. */
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
  /** The end of the backfill itself. A backfill that is QUEUED here may have ended with its match: see `currentBackfill`. */
  status: z.enum(BACKFILL.statuses),
  roster: z.number().exactOptional(),
  reason: z.string().exactOptional(),
});

/** A backfill as it is stored. */
export interface StoredBackfill
  extends Omit<Read<typeof storedRequest>, 'players'>,
    Read<typeof storedState> {
  readonly backfillId: string;
  /** ISO 8601, milliseconds, UTC. */
  readonly enqueuedAt: string;
  readonly players: Backfill['players'];
}

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
