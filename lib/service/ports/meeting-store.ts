import type { Met } from '../../rules/met.ts';

/** Stores which players have met in matches, for queues with a `recent` rule. */
export interface MeetingStore {
  /** For each player, the others that it met at or after a time, the latest first. Players without meetings may be omitted. */
  of(
    queue: string,
    playerIds: readonly string[],
    sinceMs: number,
  ): Promise<ReadonlyMap<string, readonly Met[]>>;
}

/** The record that a commit stores for one player: all recent meetings, including those of this match. */
export interface MeetingRecord {
  readonly playerId: string;
  /** The latest first. */
  readonly met: readonly Met[];
  /** When the record expires, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}
