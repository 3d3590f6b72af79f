/** Who was last in one match with whom: by the other's playerId, in milliseconds since the epoch. Symmetric. */
export interface Meetings {
  of(playerId: string): ReadonlyMap<string, number> | undefined;
}

/** Nobody has met anybody. */
export const noMeetings: Meetings = { of: () => undefined };
