import type { Counted } from '../domain/match-outcomes.ts';
import type { Counts, MinuteCounts } from '../domain/minute-counts.ts';

/** How often each outcome happened in a queue, cooldowns began, and work for it failed, by minute. Kept for a day. */
export interface OutcomeStore {
  /** Adds to the counts of this minute. A repetition counts twice. */
  add(queue: string, counts: Counts<Counted>, nowMs: number): Promise<void>;
  /** The counts of the minutes that statistics cover. */
  recent(queue: string, nowMs: number): Promise<MinuteCounts<Counted>[]>;
}
