/** When players were last in the same match: by the other's playerId, in milliseconds since the epoch. Symmetric. */
export interface Meetings {
  of(playerId: string): ReadonlyMap<string, number> | undefined;
}

/** No two players have met. */
export const noMeetings: Meetings = { of: () => undefined };
