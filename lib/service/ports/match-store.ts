import type { Assignment } from '../../contract/match.ts';
import type { MatchReasonCode, Why } from '../../contract/reason-code.ts';
import type { Answers } from '../domain/answers.ts';
import type { ANSWERS } from '../domain/statuses.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredResult } from '../domain/stored-rating.ts';
import type { Consistency } from './consistency.ts';
import type { MeetingRecord } from './meeting-store.ts';

/** A match that a tick forms: its id and its tickets. */
export interface FormingMatch {
  readonly matchId: string;
  readonly ticketIds: readonly string[];
}

/** Operations that need only the matches. An abandoned match always counts as missing. */
export interface SingleMatchStore {
  /** @param consistency @default 'strong' */
  get(matchId: string, consistency?: Consistency): Promise<StoredMatch | undefined>;
  /** The existing matches with these ids, by id. Each id once. */
  getMany(matchIds: readonly string[]): Promise<ReadonlyMap<string, StoredMatch>>;
  /**
   * Abandons a match, so that it can never be created. `exists`: it was created before, and nothing has changed. An abandoned
   * match becomes overdue a little later, and `deadline` then checks it for tickets that were claimed too late.
   */
  abandon(queue: string, match: FormingMatch, nowMs: number): Promise<'abandoned' | 'exists'>;
  /** An abandoned match whose tickets have to be checked again; undefined for all others. */
  abandoned(matchId: string): Promise<(FormingMatch & { readonly queue: string }) | undefined>;
  /**
   * The answers to a match, for a day; undefined: no player has answered. While the match requires acceptance, {@link
   * SingleMatchStore.get} includes them.
   */
  answers(matchId: string): Promise<Answers | undefined>;
  /**
   * Writes one of the transitions of `ANSWERS` for some seats of a match. Returns the answers afterwards, unchanged if the
   * transition is not possible.
   * @param seats none for `expire`
   */
  answer(
    match: Pick<StoredMatch, 'matchId' | 'queue' | 'teams'>,
    write: keyof typeof ANSWERS.transitions,
    seats: readonly number[],
    nowMs: number,
  ): Promise<Answers>;
  /** Moves a match on that all have accepted, or fails one that is not placed, if its status is still `from`. */
  advance(
    ...move:
      | [
          matchId: string,
          from: 'REQUIRES_ACCEPTANCE',
          to: 'PLACING' | 'COMPLETED',
          change: { deadline?: string },
        ]
      | [matchId: string, from: 'PLACING', to: 'FAILED', change: Why<MatchReasonCode>]
  ): Promise<boolean>;
  /** Ends a match that is COMPLETED. Returns the match, unchanged if it has ended before or is not COMPLETED. */
  end(matchId: string, nowMs: number): Promise<StoredMatch | undefined>;
  /**
   * Stores the result of a COMPLETED match, and ends the match if it has not ended, provided that it has the players that were
   * read. Returns the match, unchanged if it has a result, other players or another status.
   */
  result(
    read: Pick<StoredMatch, 'matchId' | 'roster' | 'erasures'>,
    result: StoredResult,
  ): Promise<StoredMatch | undefined>;
  /** Assigns a match and completes it. `conflict`: it has another assignment, or its status allows none. */
  assign(
    matchId: string,
    assignment: Assignment,
  ): Promise<{ outcome: 'assigned' | 'conflict'; match: StoredMatch } | undefined>;
  /**
   * Fails a match in the status in which it was read, REQUIRES_ACCEPTANCE or PLACING, and decides what happens to its tickets:
   * those in `cancelled` are cancelled, the others return to the pool. The match keeps a deadline until {@link
   * SingleMatchStore.ticketsReturned}. `lost-race`: the match has another status; nothing has changed.
   * @param why with the closed answers of a match that was not accepted
   */
  dissolve(
    match: StoredMatch,
    cancelled: readonly string[],
    why: Why<MatchReasonCode> & Pick<StoredMatch, 'accepted' | 'declined'>,
    nowMs: number,
  ): Promise<'dissolved' | 'lost-race'>;
  /**
   * Fails a match that is PLACING, so that its tickets return to the pool. Like a dissolved match it keeps a deadline until
   * {@link SingleMatchStore.ticketsReturned}. Returns false if it is not PLACING; then nothing has changed.
   */
  requeue(matchId: string, why: Why<MatchReasonCode>, nowMs: number): Promise<boolean>;
  /** Ends the deadline of a dissolved, requeued or abandoned match, when all of its tickets are returned. */
  ticketsReturned(matchId: string): Promise<void>;
}

/** Matches and the meetings of their players. */
export interface MatchStore extends SingleMatchStore {
  /**
   * Stores a match. It exists from then on. `abandoned`: it was abandoned before; `too-large`: no item can hold it. In both cases
   * nothing has changed.
   * @param meetings the meetings of the players. Up to 99 records are stored in one transaction with the match. Further ones are
   * stored just before it, so they count even if the match is abandoned
   */
  create(
    match: StoredMatch,
    nowMs: number,
    meetings?: readonly MeetingRecord[],
  ): Promise<'created' | 'abandoned' | 'too-large'>;
}
