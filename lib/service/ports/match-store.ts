import type { Assignment, MatchStatus } from '../../contract/match.ts';
import type { StoredMatch } from '../placement/stored-match.ts';
import type { StoredTicket } from '../tickets/stored-ticket.ts';
import type { BucketLayout } from '../ticks/buckets.ts';

/** What can be done with a match that is there; needs the matches alone. */
export interface SingleMatchStore {
  get(matchId: string): Promise<StoredMatch | undefined>;
  /** Notes that a ticket accepts. Answers the match as it is then; unchanged when no longer REQUIRES_ACCEPTANCE. */
  accept(matchId: string, ticketId: string): Promise<StoredMatch | undefined>;
  /** Moves a match on, if it still is in status `from`. */
  advance(
    matchId: string,
    from: MatchStatus,
    to: MatchStatus,
    change: { deadline?: string; reason?: string },
  ): Promise<boolean>;
  /** Gives a match its assignment and completes it. `conflict`: it has another, or it takes none. */
  assign(
    matchId: string,
    assignment: Assignment,
  ): Promise<{ outcome: 'assigned' | 'conflict'; match: StoredMatch } | undefined>;
}

/** What changes matches and tickets together. */
export interface MatchStore extends SingleMatchStore {
  /**
   * Stores a match and takes all of its tickets out of the pool in one transaction, if every one of
   * them is still QUEUED. `lost-race`: at least one is not, and nothing changed. `busy`: the store did not
   * take it; the next tick finds the tickets as they are then.
   */
  commit(match: StoredMatch, nowMs: number): Promise<'committed' | 'lost-race' | 'busy'>;
  /**
   * Fails a match that REQUIRES_ACCEPTANCE and gives its tickets back in one transaction: `requeue` to the
   * pool with the time they were first enqueued, `cancel` to CANCELLED. `lost-race`: nothing changed.
   * @param layout where the pool is; needed when there is a ticket to requeue
   */
  dissolve(
    match: StoredMatch,
    tickets: { requeue: readonly StoredTicket[]; cancel: readonly StoredTicket[] },
    layout: BucketLayout | undefined,
    reason: string,
    nowMs: number,
  ): Promise<'dissolved' | 'lost-race'>;
}
