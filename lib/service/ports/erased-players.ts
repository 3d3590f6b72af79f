/** Players who were erased lately: messages that were sent before may still name them. */
export interface ErasedPlayers {
  /** Remembers a player for as long as a message may wait. */
  add(playerId: string, nowMs: number): Promise<void>;
  /** Which of these players were erased. */
  among(playerIds: readonly string[]): Promise<ReadonlySet<string>>;
}
