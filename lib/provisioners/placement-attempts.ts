/**
 * The ids of the successive placements of a match. GameLift never accepts an id again, even after the placement has timed out or
 * failed. So the first one is the match's id, and each further one has a number: `MATCH`, `MATCH-try2`, `MATCH-try3`. The next
 * placement starts only after the previous one has ended without a game session.
 */
export function placementIdOf(matchId: string, attempt: number): string {
  return attempt === 1 ? matchId : `${matchId}-try${attempt}`;
}

/** The match and the number of a placement. For placements that are not Muster's, the match does not exist. */
export function attemptOf(placementId: string): { matchId: string; attempt: number } {
  const [, matchId, attempt] = /^(.*)-try(\d+)$/.exec(placementId) ?? [];
  if (matchId === undefined) return { matchId: placementId, attempt: 1 };
  return { matchId, attempt: Number(attempt) };
}

/** More than fit into the time of a placement with the pauses between them. */
export const ATTEMPTS_MAX = 20;

/**
 * The pause after a placement that has ended without a game session: 1 s, 4 s, 16 s and so on, at most a tenth of the match's
 * time. So the number of placements of a match is limited.
 */
export function pauseMs(attempt: number, timeoutMs: number): number {
  return Math.min(1_000 * 4 ** (attempt - 1), timeoutMs / 10);
}
