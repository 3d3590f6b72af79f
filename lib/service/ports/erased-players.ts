/** Players who were erased in the last weeks. Messages from before may still name them. */
export interface ErasedPlayers {
  /** Remembers a player for as long as a message may wait, and that players are being erased now. */
  add(playerId: string, nowMs: number): Promise<void>;
  /** When the last player was being erased. It may be a later time, or a second old. */
  lastAtMs(nowMs: number): Promise<number>;
  /** Which of these players were erased. */
  among(playerIds: readonly string[]): Promise<ReadonlySet<string>>;
}
