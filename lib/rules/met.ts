/** When players were last in the same match: by the other's playerId, in milliseconds since the epoch. Symmetric. */
export interface Meetings {
  of(playerId: string): ReadonlyMap<string, number> | undefined;
}

/** No two players have met. */
export const noMeetings: Meetings = { of: () => undefined };

/** Another player, and when the two were last in one match, in milliseconds since the epoch. */
export type Met = readonly [playerId: string, atMs: number];

interface Meeter {
  readonly playerId: string;
  readonly met?: readonly Met[] | undefined;
}

/**
 * The meetings of these players with each other, in both directions: it is enough that one of the two has noted it. They are
 * put together when they are first asked for.
 */
export function meetingsOf(players: readonly Meeter[]): Meetings {
  let all: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;
  return {
    of(playerId) {
      all ??= meetingsAmong(players);
      return all.get(playerId);
    },
  };
}

function meetingsAmong(players: readonly Meeter[]): Map<string, Map<string, number>> {
  const all = new Map<string, Map<string, number>>();
  const note = (from: string, to: string, atMs: number) => {
    const own = all.get(from) ?? new Map<string, number>();
    own.set(to, Math.max(atMs, own.get(to) ?? atMs));
    all.set(from, own);
  };
  // Most of those that a player has met do not wait now.
  const present = new Set(players.map(({ playerId }) => playerId));
  for (const { playerId, met = [] } of players) {
    for (const [other, atMs] of met) {
      if (!present.has(other)) continue;
      note(playerId, other, atMs);
      note(other, playerId, atMs);
    }
  }
  return all;
}
