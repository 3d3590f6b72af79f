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
import { type AnsweredMatch, acceptanceOf } from './answers.ts';
import {
  type StoredRatings,
  type StoredResult,
  storedRatings,
  storedResult,
  toRatingsView,
  toResultView,
} from './stored-rating.ts';

/** A match as it is stored. */
export interface StoredMatch extends Omit<MatchView, 'acceptance' | 'result' | 'ratings'>, AnsweredMatch {
  readonly ticketIds: readonly string[];
  /** Present when each player answers individually; absent: each ticket answers as a whole. */
  readonly byPlayer?: true;
  /** In a dissolved match, the tickets that are cancelled. The others return to the pool. */
  readonly cancelled?: readonly string[];
  /** The newest backfill of the match. Only this one may be filled. */
  readonly backfillId?: string;
  /** The result; absent until the studio posts it. */
  readonly result?: StoredResult;
  /** The ratings that its result has changed; absent until it is rated. */
  readonly rated?: StoredRatings;
  /** When the tickets of its backfills have joined, in a match with a ladder. */
  readonly joined?: Readonly<Record<string, string>>;
  /** The number of erasures of its players; absent: none. A write of names that were read depends on it. */
  readonly erasures?: number;
}

/** The fields of a match that change only with its roster. */
export const storedGame = z.object({
  ticketIds: z.array(z.string()),
  teams: z.array(team),
  ...quality,
  ...ruling,
  ...foreseen,
  byPlayer: z.literal(true).exactOptional(),
  joined: z.record(z.string(), z.iso.datetime()).exactOptional(),
});

/** The fields of a match that change with its status. */
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
  accepted: z.array(z.number()).exactOptional(),
  declined: z.array(z.number()).exactOptional(),
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
  const { ticketIds: _, deadline: __, byPlayer: ___, accepted: ____, declined: _____, ...rest } = match;
  const { acceptBy: ______, cancelled: _______, backfillId: ________, ...more } = rest;
  const { joined: _________, erasures: __________, result, rated, ...view } = more;
  const acceptance = acceptanceOf(match);
  return {
    ...view,
    ...(acceptance && { acceptance }),
    ...(result && { result: toResultView(result) }),
    ...(rated && { ratings: toRatingsView(rated) }),
  };
}
