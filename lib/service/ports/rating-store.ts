import type { PlayerRating } from '../../ratings/rate-game.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredOdds, StoredRating } from '../domain/stored-rating.ts';
import type { StoredRatings } from '../domain/stored-result.ts';
import type { Consistency } from './consistency.ts';

/** A match with the ratings that it leaves. */
export interface RatedWrite {
  /** As it was read. */
  readonly match: Pick<StoredMatch, 'matchId' | 'teams' | 'erasures'>;
  readonly ladder: string;
  readonly atMs: number;
  readonly rated: StoredRatings;
  readonly players: readonly {
    readonly playerId: string;
    /** As it was read; undefined: there was none. */
    readonly read: StoredRating | undefined;
    readonly after: PlayerRating;
  }[];
}

/** The ratings of players, and what is learnt of the odds of each ladder. */
export interface RatingStore {
  /** The ratings of these players; new players have none. Each player once. @param consistency @default 'strong' */
  of(
    ladder: string,
    playerIds: readonly string[],
    consistency?: Consistency,
  ): Promise<ReadonlyMap<string, StoredRating>>;
  /** Stores a rating that comes from elsewhere, in the place of any. */
  put(ladder: string, playerId: string, rating: PlayerRating, nowMs: number): Promise<StoredRating>;
  remove(ladder: string, playerId: string): Promise<void>;
  /**
   * Stores the ratings after a match and its mark in one transaction. `lost-race`: the match has the mark already, a player of it
   * was erased, or a rating is not as it was read; nothing has changed.
   */
  rate(write: RatedWrite): Promise<'rated' | 'lost-race'>;
  /** What is learnt of the odds of a ladder; undefined before its first result. */
  odds(ladder: string): Promise<StoredOdds | undefined>;
  /** Stores what is learnt if it still is as it was read. Returns false if another writer was faster. */
  learn(
    ladder: string,
    read: StoredOdds | undefined,
    learnt: Omit<StoredOdds, 'writeId'>,
    nowMs: number,
  ): Promise<boolean>;
}
