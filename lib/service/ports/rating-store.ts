import type { PlayerRating } from '../../ratings/rate-game.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredOdds, StoredRating, StoredRatings } from '../domain/stored-rating.ts';
import type { Consistency } from './consistency.ts';

/** The ratings after a match. */
export interface RatedWrite {
  /** As it was read. */
  readonly match: Pick<StoredMatch, 'matchId' | 'teams' | 'erasures'>;
  readonly ladder: string;
  readonly atMs: number;
  readonly rated: StoredRatings;
  readonly players: readonly {
    readonly playerId: string;
    /** The rating as it was read; undefined: there was none. */
    readonly read: StoredRating | undefined;
    readonly after: PlayerRating;
  }[];
}

/** Stores the ratings of players, and the odds learned for each ladder. */
export interface RatingStore {
  /** The ratings of these players; new players have none. Each player once. @param consistency @default 'strong' */
  of(
    ladder: string,
    playerIds: readonly string[],
    consistency?: Consistency,
  ): Promise<ReadonlyMap<string, StoredRating>>;
  /** Stores a rating from another source, and replaces any stored rating. */
  put(ladder: string, playerId: string, rating: PlayerRating, nowMs: number): Promise<StoredRating>;
  remove(ladder: string, playerId: string): Promise<void>;
  /**
   * Stores the ratings after a match, and marks the match as rated, in one transaction. `lost-race`: the match is already rated,
   * one of its players was erased, or a rating has changed since it was read; nothing has changed.
   */
  rate(write: RatedWrite): Promise<'rated' | 'lost-race'>;
  /** The odds learned for a ladder; undefined before its first result. */
  odds(ladder: string): Promise<StoredOdds | undefined>;
  /** Stores learned odds if the stored ones are still those that were read. Returns false if another writer was faster. */
  learn(
    ladder: string,
    read: StoredOdds | undefined,
    learnt: Omit<StoredOdds, 'writeId'>,
    nowMs: number,
  ): Promise<boolean>;
}
