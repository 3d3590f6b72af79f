import type { Met } from '../../rules/met.ts';

/** Who was last in one match with whom, in queues with a `recent` rule. */
export interface MeetingStore {
  /** By player: the others it met at or after a time, the latest first. Players without any may be omitted. */
  of(
    queue: string,
    playerIds: readonly string[],
    sinceMs: number,
  ): Promise<ReadonlyMap<string, readonly Met[]>>;
}

/** What a commit records about one player: everybody whom it has met lately, the players of this match included. */
export interface MeetingRecord {
  readonly playerId: string;
  /** The latest first. */
  readonly met: readonly Met[];
  /** When none of it matters any more, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}
