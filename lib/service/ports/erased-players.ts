/** Players who were erased in the last weeks. Earlier messages may still name them. */
export interface ErasedPlayers {
  /** Remembers a player for as long as a message may wait, and records that an erasure is running now. */
  add(playerId: string, nowMs: number): Promise<void>;
  /** When an erasure last ran. The time may be a second old, or later than the last erasure. */
  lastAtMs(nowMs: number): Promise<number>;
  /** Which of these players were erased. */
  findErased(playerIds: readonly string[]): Promise<ReadonlySet<string>>;
}
