import type { Assignment, MatchStatus } from '../../contract/match.ts';
import type { StoredMatch } from '../placement/stored-match.ts';
import type { StoredTicket } from '../tickets/stored-ticket.ts';
import type { BucketLayout } from '../ticks/buckets.ts';
import type { MeetingRecord } from './meeting-store.ts';

/** Operations on an existing match, which need only the matches. */
export interface SingleMatchStore {
  get(matchId: string): Promise<StoredMatch | undefined>;
  /** The existing matches with these ids, by id; at most 100 ids, each once. */
  getMany(matchIds: readonly string[]): Promise<ReadonlyMap<string, StoredMatch>>;
  /** Records that a ticket accepts. Returns the match, unchanged if it is no longer REQUIRES_ACCEPTANCE. */
  accept(matchId: string, ticketId: string): Promise<StoredMatch | undefined>;
  /** Advances a match if its status is still `from`. */
  advance(
    matchId: string,
    from: MatchStatus,
    to: MatchStatus,
    change: { deadline?: string; reason?: string },
  ): Promise<boolean>;
  /** Assigns a match and completes it. `conflict`: it has another assignment, or its status allows none. */
  assign(
    matchId: string,
    assignment: Assignment,
  ): Promise<{ outcome: 'assigned' | 'conflict'; match: StoredMatch } | undefined>;
}

/** Operations that change matches and tickets together. */
export interface MatchStore extends SingleMatchStore {
  /**
   * Stores a match and removes all of its tickets from the pool in one transaction, if all of them are still QUEUED.
   * `lost-race`: at least one is not, and nothing has changed. `busy`: the store rejected the transaction; the next tick
   * reads the tickets again.
   * @param meetings the meetings of the players, stored in the same transaction
   */
  commit(
    match: StoredMatch,
    nowMs: number,
    meetings?: readonly MeetingRecord[],
  ): Promise<'committed' | 'lost-race' | 'busy'>;
  /**
   * Fails a match that REQUIRES_ACCEPTANCE and releases its tickets in one transaction: `requeue` returns to the pool
   * with the time they were first enqueued, `cancel` becomes CANCELLED. `lost-race`: nothing has changed.
   * @param layout the layout of the pool; required when there is a ticket to requeue
   */
  dissolve(
    match: StoredMatch,
    tickets: { requeue: readonly StoredTicket[]; cancel: readonly StoredTicket[] },
    layout: BucketLayout | undefined,
    reason: string,
    nowMs: number,
  ): Promise<'dissolved' | 'lost-race'>;
}
