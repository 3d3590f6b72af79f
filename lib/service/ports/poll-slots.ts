/** A slot that a request of a player has. */
export interface PollSlot {
  readonly playerId: string;
  readonly slot: number;
  /** Milliseconds since the epoch. Then the slot is free, even if it was not released. */
  readonly untilMs: number;
}

/** The requests of a player that wait or search. Each has one of a few slots. */
export interface PollSlots {
  /**
   * Takes a free slot.
   * @param slots the number of slots of a player
   * @returns the slot, or when the first becomes free
   */
  take(
    playerId: string,
    slots: number,
    untilMs: number,
    nowMs: number,
  ): Promise<{ taken: true; slot: PollSlot } | { taken: false; freeAtMs: number }>;
  /** Frees a slot before its time. */
  release(slot: PollSlot): Promise<void>;
}
