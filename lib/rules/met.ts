/** When players were last in the same match: by the other's playerId, in milliseconds since the epoch. Symmetric. */
export interface Meetings {
  of(playerId: string): ReadonlyMap<string, number> | undefined;
}

/** No two players have met. */
export const noMeetings: Meetings = { of: () => undefined };

/** Another player, and when the two were last in one match, in milliseconds since the epoch. */
export type Met = readonly [playerId: string, atMs: number];

/** The meetings in the players' tickets, in both directions: it is enough that one of the two tickets has a meeting. */
export function meetingsOf(
  players: Iterable<{ readonly playerId: string; readonly met?: readonly Met[] | undefined }>,
): Meetings {
  const all = new Map<string, Map<string, number>>();
  const note = (from: string, to: string, atMs: number) => {
    const own = all.get(from) ?? new Map<string, number>();
    own.set(to, Math.max(atMs, own.get(to) ?? atMs));
    all.set(from, own);
  };
  for (const { playerId, met = [] } of players) {
    for (const [other, atMs] of met) {
      note(playerId, other, atMs);
      note(other, playerId, atMs);
    }
  }
  return { of: (playerId) => all.get(playerId) };
}
