import type { Caller } from '../../contract/callers.ts';
import type { MatchView } from '../../contract/match.ts';
import { unknownMatch } from '../placement/assign-match.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { onlyShown, visibilityOf } from './visibility.ts';

/**
 * The part of a match that a caller may see. A player in the match sees it without the other players' tokens and answers, and only with the
 * attributes and rule results that the queue shows to players: see {@link visibilityOf}. Any other player gets 404, so that ids
 * cannot be probed.
 * @throws Problem (404)
 */
export async function matchFor(
  deps: { readonly queues: Pick<QueueStore, 'get'> },
  caller: Caller,
  whole: MatchView,
): Promise<MatchView> {
  if (caller.scope !== 'player') return whole;
  const { playerId } = caller;
  // The ticket has the answers of the player's own party.
  const { acceptance: _, ...match } = whole;
  const seats = match.teams.flatMap(({ players }) => players);
  // A caller must not match the id of a bot.
  if (!seats.some((seat) => seat.playerId === playerId && !seat.bot)) throw unknownMatch(match.matchId);
  return ownRating(playerId, withoutOthersTokens(playerId, await seenBy(deps.queues, match)));
}

/** Matches without attributes and rules need no definition. */
async function seenBy(queues: Pick<QueueStore, 'get'>, match: MatchView): Promise<MatchView> {
  const hasAttributes = match.teams.some(({ players }) => players.some(({ attributes }) => attributes));
  if (!hasAttributes && match.rules === undefined) return match;
  const visibility = await visibilityOf(queues, match.queue);
  const { rules: allRules, ...rest } = match;
  const rules = onlyShown(allRules, visibility.rule);
  const teams = match.teams.map((team) => ({
    ...team,
    players: team.players.map(({ attributes: all, ...seat }) => {
      const attributes = onlyShown(all, visibility.attribute);
      return { ...seat, ...(attributes && { attributes }) };
    }),
  }));
  return { ...rest, teams, ...(rules && { rules }) };
}

function withoutOthersTokens(playerId: string, match: MatchView): MatchView {
  const tokens = match.assignment?.tokens;
  if (match.assignment === undefined || tokens === undefined) return match;
  const own = Object.hasOwn(tokens, playerId) ? { [playerId]: tokens[playerId]! } : {};
  return { ...match, assignment: { ...match.assignment, tokens: own } };
}

/** The match without the ratings of the other players, which reveal their skill. */
function ownRating(playerId: string, { ratings, ...match }: MatchView): MatchView {
  if (ratings === undefined) return match;
  return { ...match, ratings: ratings.filter((one) => one.playerId === playerId) };
}
