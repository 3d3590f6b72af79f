import { newRatingOf, type PlayerRating, type RatedGame, rateGame } from '../../ratings/rate-game.ts';
import { isErased } from '../domain/erased-name.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredRating, StoredRatings, StoredResult } from '../domain/stored-rating.ts';
import type { Consistency } from '../ports/consistency.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { RatingStore } from '../ports/rating-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { OddsLearner } from './odds-learner.ts';

export interface RateDeps {
  readonly matches: Pick<SingleMatchStore, 'get'>;
  readonly ratings: Pick<RatingStore, 'of' | 'rate'>;
  readonly odds: Pick<OddsLearner, 'learn'>;
}

/** Each further try means that another match of the same player was rated at the same time. */
const TRIES_MAX = 10;

/**
 * Rates the players of a match by its result, exactly once.
 *
 *     read    the match and the ratings of its players. The first try uses cheap reads, which may be a moment old; then the try
 *             loses. A crash before or after changes nothing
 *     rate    all ratings and the mark of the match in one transaction, on the condition that the match has no mark, no player
 *             was erased from it, and each rating is as it was read. A try that loses changes nothing, and the next one reads
 *             again. After it the match is rated, and a repeated message finds the mark
 *     learn   the slope of the odds and their figures. A crash before it: they omit this result
 *
 * A player's matches are rated one after the other, in the order of these transactions. `matches` of each rating numbers a match
 * in this order. Rating the same matches in this order from the start gives the same ratings to the last bit.
 *
 * @returns `nothing`: there is no result to rate, or it is rated already
 * @throws StoreBusy when every try has lost
 */
export async function rateResult(deps: RateDeps, matchId: string): Promise<'rated' | 'nothing'> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const match = await deps.matches.get(matchId);
    const { result, rated } = match ?? {};
    if (match === undefined || result?.ranks === undefined || rated !== undefined) return 'nothing';
    const consistency = attempt === 0 ? 'eventual' : 'strong';
    const game = await rateOnce(deps, consistency, match, { ...result, ranks: result.ranks });
    if (game === undefined) continue;
    const { raw, shares } = game;
    await deps.odds.learn(result.ladder.name, { raw, expected: match.expected, shares });
    return 'rated';
  }
  throw new StoreBusy(`other matches keep changing the ratings of the players of match ${matchId}`);
}

/** One try; undefined when it has lost. */
async function rateOnce(
  { ratings }: RateDeps,
  consistency: Consistency,
  match: StoredMatch,
  { at, ladder, ranks, weights = [] }: StoredResult & { readonly ranks: readonly number[] },
): Promise<RatedGame | undefined> {
  const atMs = Date.parse(at);
  const weightOf = new Map(weights);
  const people = match.teams.map(({ players }) =>
    players.map(({ playerId, bot }) => ({ playerId, isKept: !bot && !isErased(playerId) })),
  );
  const kept = people.flat().filter(({ isKept }) => isKept);
  const read = await ratings.of(
    ladder.name,
    kept.map(({ playerId }) => playerId),
    consistency,
  );
  // For the other players, a seat without a stored rating counts as a new player: a bot, or a player who was erased.
  const seats = people.map((team) =>
    team.map(({ playerId }) => ({
      known: knownOf(read.get(playerId)) ?? newRatingOf(ladder),
      weight: weightOf.get(playerId) ?? 1,
    })),
  );
  const game = rateGame(ladder, seats, ranks, atMs);
  const rated: StoredRatings[number][] = [];
  const players = people.flatMap((team, t) =>
    team.flatMap(({ playerId, isKept }, i) => {
      if (!isKept) return [];
      const [before, after] = [game.before[t]![i]!, game.after[t]![i]!];
      rated.push([playerId, before.mean, before.deviation, after.mean, after.deviation]);
      return [{ playerId, read: read.get(playerId), after }];
    }),
  );
  const outcome = await ratings.rate({ match, ladder: ladder.name, atMs, rated, players });
  return outcome === 'rated' ? game : undefined;
}

function knownOf(stored: StoredRating | undefined): PlayerRating | undefined {
  if (stored === undefined) return undefined;
  const { mean, deviation, matches, updatedAtMs } = stored;
  return { mean, deviation, matches, updatedAtMs };
}
