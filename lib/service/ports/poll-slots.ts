/** A slot held by a request of a player. */
export interface PollSlot {
  readonly playerId: string;
  readonly slot: number;
  /** Milliseconds since the epoch. The slot is free from then on, even if it was not released. */
  readonly untilMs: number;
}

/** The slots of a player, which limit the number of concurrent requests that wait or search. */
export interface PollSlots {
  /**
   * Takes a free slot.
   * @param slots the number of slots of a player
   * @returns the slot, or when the first one becomes free
   */
  take(
    playerId: string,
    slots: number,
    untilMs: number,
    nowMs: number,
  ): Promise<{ taken: true; slot: PollSlot } | { taken: false; freeAtMs: number }>;
  /** Frees a slot before it expires. A write that fails is lost, and throws nothing. */
  release(slot: PollSlot): Promise<void>;
}
