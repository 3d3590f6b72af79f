import type { Counted } from '../domain/match-outcomes.ts';
import type { Counts, MinuteCounts } from '../domain/minute-counts.ts';

/** Counts by minute the outcomes of a queue's matches, the cooldowns that began, and failures of Muster. Kept for a day. */
export interface OutcomeStore {
  /** Adds to the counts of this minute. A repetition counts twice. Returns false when they are lost, and throws nothing. */
  add(queue: string, counts: Counts<Counted>, nowMs: number): Promise<boolean>;
  /** The counts of the minutes that statistics cover. */
  recent(queue: string, nowMs: number): Promise<MinuteCounts<Counted>[]>;
}
