import type { MatchView } from '../../contract/match.ts';
import type { Caller } from '../../contract/routes.ts';
import { unknownMatch } from '../placement/assign-match.ts';

/**
 * The part of a match that a caller may see. A player in the match sees it without the other players' tokens. Any other
 * player gets 404, so that ids cannot be probed.
 * @throws Problem (404)
 */
export function matchFor(caller: Caller, match: MatchView): MatchView {
  if (caller.scope !== 'player') return match;
  const { playerId } = caller;
  const seats = match.teams.flatMap(({ players }) => players);
  // The id of a bot must not match a caller.
  if (!seats.some((seat) => seat.playerId === playerId && !seat.bot)) throw unknownMatch(match.matchId);
  const tokens = match.assignment?.tokens;
  if (match.assignment === undefined || tokens === undefined) return match;
  const own = Object.hasOwn(tokens, playerId) ? { [playerId]: tokens[playerId]! } : {};
  return { ...match, assignment: { ...match.assignment, tokens: own } };
}
