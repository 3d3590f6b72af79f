import * as z from 'zod';
import {
  assignmentView,
  MATCH_STATUSES,
  type MatchView,
  quality,
  ruling,
  team,
} from '../../contract/match.ts';
import { withPresentNames } from './earlier-names.ts';

/** A match as it is stored. */
export interface StoredMatch extends Omit<MatchView, 'acceptance'> {
  readonly ticketIds: readonly string[];
  /** When the acceptance or placement fails if it is not complete; ISO 8601. */
  readonly deadline?: string;
  /** The tickets that have accepted, while REQUIRES_ACCEPTANCE. */
  readonly accepted?: readonly string[];
  /** Of a dissolved match: the tickets that are cancelled. The others return to the pool. */
  readonly cancelled?: readonly string[];
  /** The newest backfill of the match. Only this one may be filled. */
  readonly backfillId?: string;
}

/** The part of a match that never changes. */
export const storedGame = z.preprocess(
  withPresentNames,
  z.object({ ticketIds: z.array(z.string()), teams: z.array(team), ...quality, ...ruling }),
);

/** The part of a match that its status changes. */
export const storedMatchState = z.object({
  matchId: z.string(),
  queue: z.string(),
  status: z.enum(MATCH_STATUSES),
  createdAt: z.iso.datetime(),
  deadline: z.iso.datetime().exactOptional(),
  reason: z.string().exactOptional(),
  accepted: z.array(z.string()).exactOptional(),
  cancelled: z.array(z.string()).exactOptional(),
  assignment: assignmentView.exactOptional(),
  roster: z.number().exactOptional(),
  newTicketIds: z.array(z.string()).exactOptional(),
  endedAt: z.iso.datetime().exactOptional(),
  requeued: z.literal(true).exactOptional(),
  backfillId: z.string().exactOptional(),
});

/** A match in the format of responses and events. */
export function toMatchView(match: StoredMatch): MatchView {
  const { ticketIds: _, deadline, accepted, cancelled: __, backfillId: ___, ...view } = match;
  if (match.status !== 'REQUIRES_ACCEPTANCE' || deadline === undefined) return view;
  return { ...view, acceptance: { deadline, accepted: [...(accepted ?? [])].sort() } };
}
