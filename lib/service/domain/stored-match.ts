import * as z from 'zod';
import {
  assignmentView,
  foreseen,
  MATCH_STATUSES,
  type MatchView,
  quality,
  ruling,
  team,
} from '../../contract/match.ts';
import type { MatchReasonCode } from '../../contract/reason-code.ts';
import {
  type StoredRatings,
  type StoredResult,
  storedRatings,
  storedResult,
  toRatingsView,
  toResultView,
} from './stored-result.ts';

/** A match as it is stored. */
export interface StoredMatch extends Omit<MatchView, 'acceptance' | 'result' | 'ratings'> {
  readonly ticketIds: readonly string[];
  /** When the acceptance or placement fails if it is not complete; ISO 8601. */
  readonly deadline?: string;
  /** The tickets that have accepted, while REQUIRES_ACCEPTANCE. */
  readonly accepted?: readonly string[];
  /** Of a dissolved match: the tickets that are cancelled. The others return to the pool. */
  readonly cancelled?: readonly string[];
  /** The newest backfill of the match. Only this one may be filled. */
  readonly backfillId?: string;
  /** Of a match that was not accepted: the deadline that it had, and the ticket that has declined it. */
  readonly acceptBy?: string;
  readonly declinedBy?: string;
  /** How it ended; absent until the studio says so. */
  readonly result?: StoredResult;
  /** What its result has changed; absent until it is rated. */
  readonly rated?: StoredRatings;
  /** When the tickets of its backfills have joined, in a match with a ladder. */
  readonly joined?: Readonly<Record<string, string>>;
  /** How many players were erased from it; absent: none. A write of the names that were read depends on it. */
  readonly erasures?: number;
}

/** The part of a match that changes with its roster only. */
export const storedGame = z.object({
  ticketIds: z.array(z.string()),
  teams: z.array(team),
  ...quality,
  ...ruling,
  ...foreseen,
  joined: z.record(z.string(), z.iso.datetime()).exactOptional(),
});

/** The part of a match that its status changes. */
export const storedMatchState = z.object({
  matchId: z.string(),
  queue: z.string(),
  status: z.enum(MATCH_STATUSES),
  createdAt: z.iso.datetime(),
  deadline: z.iso.datetime().exactOptional(),
  reason: z.string().exactOptional(),
  // A later version may have more codes.
  reasonCode: z.custom<MatchReasonCode>((code) => typeof code === 'string').exactOptional(),
  acceptBy: z.iso.datetime().exactOptional(),
  declinedBy: z.string().exactOptional(),
  accepted: z.array(z.string()).exactOptional(),
  cancelled: z.array(z.string()).exactOptional(),
  assignment: assignmentView.exactOptional(),
  roster: z.number().exactOptional(),
  newTicketIds: z.array(z.string()).exactOptional(),
  endedAt: z.iso.datetime().exactOptional(),
  requeued: z.literal(true).exactOptional(),
  backfillId: z.string().exactOptional(),
  result: storedResult.exactOptional(),
  rated: storedRatings.exactOptional(),
  erasures: z.number().exactOptional(),
});

/** A match in the format of responses and events. */
export function toMatchView(match: StoredMatch): MatchView {
  const { ticketIds: _, deadline: __, accepted: ___, cancelled: ____, backfillId: _____, ...rest } = match;
  const { acceptBy: ______, declinedBy: _______, joined: ________, erasures: _________, ...more } = rest;
  const { result, rated, ...view } = more;
  const acceptance = acceptanceOf(match);
  return {
    ...view,
    ...(acceptance && { acceptance }),
    ...(result && { result: toResultView(result) }),
    ...(rated && { ratings: toRatingsView(rated) }),
  };
}

/** The answers to a match that requires acceptance, or that has failed for the lack of it. */
function acceptanceOf(match: StoredMatch): MatchView['acceptance'] {
  const { status, deadline, acceptBy, declinedBy, ticketIds } = match;
  const accepted = [...(match.accepted ?? [])].sort();
  if (status === 'REQUIRES_ACCEPTANCE' && deadline !== undefined) return { deadline, accepted };
  if (acceptBy === undefined) return undefined;
  const unanswered = ticketIds.filter((id) => id !== declinedBy && !accepted.includes(id)).sort();
  const declined = declinedBy === undefined ? [] : [declinedBy];
  return { deadline: acceptBy, accepted, declined, unanswered };
}
