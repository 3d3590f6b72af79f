import type { KeyRange } from '../domain/buckets.ts';
import type { StoredBackfill } from '../domain/stored-backfill.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { MeetingRecord } from './meeting-store.ts';

/** A match with its next roster. */
export interface BackfilledMatch {
  /** The match as it was read, with the newcomers in its teams, the next `roster` and `newTicketIds`. */
  readonly match: StoredMatch & { readonly roster: number; readonly newTicketIds: readonly string[] };
  /** The roster number before; undefined for the first roster. */
  readonly before: number | undefined;
}

/** Stores backfills, and fills them in one transaction with their matches. */
export interface BackfillStore {
  /**
   * Stores a backfill and makes it the newest one of its match, in one transaction. From then on no older backfill of the match
   * can be filled. Changes nothing when a backfill with this id exists, or when the match is missing, has ended, is not placed
   * yet or has another roster.
   * @param roster the roster that the request knows; undefined for the first
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
   * The backfills of a queue that have not ended, in order of the mean skill of the players in the match: the first ones of the
   * range, up to this number and a megabyte. May lag behind writes by moments, so some may have been replaced or belong to a
   * match that has ended. Unreadable ones are omitted. `next` is the sort key of the next page; absent at the end of the range.
   */
  open(
    queue: string,
    range: KeyRange,
    limit: number,
  ): Promise<{ readonly backfills: readonly StoredBackfill[]; readonly next?: string }>;
  /**
   * In one transaction, the match gets its next roster, the backfill becomes COMPLETED, and every new ticket goes from QUEUED to
   * the status of the match. Every other outcome changes nothing. `lost-race`: the match has changed, ended or has a newer
   * backfill, the backfill has ended, or a ticket is not QUEUED. `busy`: the store rejected the transaction. `too-large`: no item
   * can hold the match with its newcomers.
   * @param linked the linked tickets among the new ones, as the tick has read them. Each is claimed with the fill
   */
  fill(
    backfill: StoredBackfill,
    filled: BackfilledMatch,
    nowMs: number,
    meetings: readonly MeetingRecord[],
    linked?: readonly StoredTicket[],
  ): Promise<'committed' | 'lost-race' | 'busy' | 'too-large'>;
  /** Ends a backfill that is QUEUED. Returns its state afterwards, or undefined if it does not exist. */
  end(
    backfillId: string,
    status: 'CANCELLED' | 'TIMED_OUT',
    reason: string,
    nowMs: number,
  ): Promise<{ readonly ended: boolean; readonly backfill: StoredBackfill } | undefined>;
}
