import type { StoredMatch } from '../domain/stored-match.ts';

/** Finds the latest matches of a queue. */
export interface LatestMatches {
  /**
   * The latest matches of a queue, the newest first. Matches of the last moment may be missing, and so may some of ticks that ran
   * at the same time when there are more matches than the limit. Matches that this version of Muster cannot parse are omitted.
   * @param limit 1 to 100
   */
  of(queue: string, limit: number): Promise<StoredMatch[]>;
}
