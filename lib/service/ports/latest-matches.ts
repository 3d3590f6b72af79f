import type { StoredMatch } from '../domain/stored-match.ts';

/** Matches by queue and time. */
export interface LatestMatches {
  /**
   * The latest matches of a queue, the newest first. A match created a moment ago may be missing. Of the ticks of one moment
   * some may be missing when there are more matches than the limit. Matches that this version of Muster cannot parse are
   * omitted.
   * @param limit 1 to 100
   */
  of(queue: string, limit: number): Promise<StoredMatch[]>;
}
