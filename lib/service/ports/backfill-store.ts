import type { KeyRange } from '../domain/buckets.ts';
import type { StoredBackfill } from '../domain/stored-backfill.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { MeetingRecord } from './meeting-store.ts';

/** A match with its next roster. */
export interface BackfilledMatch {
  /** The match as it was read, with the newcomers in its teams, the next `roster` and `newTicketIds`. */
  readonly match: StoredMatch & { readonly roster: number; readonly newTicketIds: readonly string[] };
  /** The roster before. */
  readonly before: number | undefined;
}

/** Backfills, and what their matches promise to tickets. */
export interface BackfillStore {
  /**
   * Stores a backfill and makes it the newest one of its match, in one transaction. So every older one of the match can no
   * longer be filled. Without effect when a backfill with this id exists, or the match is missing, over or not yet placed, or
   * has another roster than this one.
   * @param roster undefined for the first
   */
  create(
    backfill: StoredBackfill,
    roster: number | undefined,
  ): Promise<
    | { readonly outcome: 'created' }
    | { readonly outcome: 'exists'; readonly existing: StoredBackfill }
    | { readonly outcome: 'refused' }
  >;
  get(backfillId: string): Promise<StoredBackfill | undefined>;
  /**
   * The backfills of a queue that have not ended, by the mean skill of the players who are there: the first of the range, at most
   * this many and a megabyte. May lag behind writes by moments, and contain ones that have been replaced or whose match is over.
   * Unreadable ones are omitted. `next` is the sort key where the others begin; absent at the end of the range.
   */
  open(
    queue: string,
    range: KeyRange,
    limit: number,
  ): Promise<{ readonly backfills: readonly StoredBackfill[]; readonly next?: string }>;
  /**
   * In one transaction: the match gets its next roster, the backfill becomes COMPLETED, and every new ticket goes from QUEUED
   * to the status of the match. `lost-race`: the match has changed, ended or has a newer backfill, the backfill has ended, or
   * a ticket is not QUEUED; nothing has changed. `busy`: the store rejected the transaction. `too-large`: no
   * item can hold the match with its newcomers; nothing has changed.
   */
  fill(
    backfill: StoredBackfill,
    filled: BackfilledMatch,
    nowMs: number,
    meetings: readonly MeetingRecord[],
  ): Promise<'committed' | 'lost-race' | 'busy' | 'too-large'>;
  /** Ends a backfill that is QUEUED. Returns its state afterwards, or undefined if it does not exist. */
  end(
    backfillId: string,
    status: 'CANCELLED' | 'TIMED_OUT',
    reason: string,
    nowMs: number,
  ): Promise<{ readonly ended: boolean; readonly backfill: StoredBackfill } | undefined>;
}
