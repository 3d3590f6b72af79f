import type { MatchView } from '../../contract/match.ts';
import type { Caller } from '../../contract/routes.ts';
import { unknownMatch } from '../placement/assign-match.ts';

/**
 * A match as a caller may see it. A player that is in the match sees it without the other players' tokens; for any other
 * player the match does not exist, so that ids cannot be probed.
 * @throws Problem (404)
 */
export function matchFor(caller: Caller, match: MatchView): MatchView {
  if (caller.scope !== 'player') return match;
  const { playerId } = caller;
  const seats = match.teams.flatMap(({ players }) => players);
  // A bot has an id, and is nobody.
  if (!seats.some((seat) => seat.playerId === playerId && !seat.bot)) throw unknownMatch(match.matchId);
  const tokens = match.assignment?.tokens;
  if (match.assignment === undefined || tokens === undefined) return match;
  const own = Object.hasOwn(tokens, playerId) ? { [playerId]: tokens[playerId]! } : {};
  return { ...match, assignment: { ...match.assignment, tokens: own } };
}
