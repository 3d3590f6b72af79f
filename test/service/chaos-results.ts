import type { LadderDefinition } from '../../lib/contract/ladder.ts';
import { type PlayedMatch, replay } from '../../lib/ratings/replay.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { Change } from '../../lib/service/events/publish.ts';
import type { RatingStore } from '../../lib/service/ports/rating-store.ts';

/** The ladder of the queues that rate. */
export const CHAOS_LADDER: LadderDefinition = {
  name: 'chaos',
  model: 'thurstone-mosteller',
  initial: { mean: 50, deviation: 15 },
  beta: 8,
  drift: { perGame: 0.2, perDay: 20 },
};

/** What a studio says about how a match ended: void without ranks. */
export interface PostedResult {
  readonly ranks?: readonly number[];
  readonly weights: readonly (readonly [playerId: string, weight: number])[];
}

/** What a studio has said about how its matches ended. */
export class ChaosResults {
  /** The results that got a response, by match. */
  readonly answered = new Map<string, PostedResult>();
}

/**
 * Every accepted result is counted once for every player, unless its change is a dead letter; a result that got its response
 * stands; and rating the log of the rated matches from the start gives the same ratings to the last bit.
 */
export async function ratingViolations(
  ratings: Pick<RatingStore, 'of'>,
  outcome: {
    readonly matches: ReadonlyMap<string, StoredMatch>;
    readonly changes: readonly Change[];
    readonly deadLetters: ReadonlySet<string>;
    readonly results: ChaosResults;
  },
): Promise<string[]> {
  const { matches, changes, deadLetters, results } = outcome;
  const found: string[] = [];
  for (const [matchId, posted] of results.answered)
    if (!stands(posted, matches.get(matchId)))
      found.push(`the result ${JSON.stringify(posted)} of match ${matchId} was accepted and does not stand`);
  const writes = changes.filter((one) => one.table === 'matches');
  const lost = new Set(
    writes
      .filter(({ before, after, changeId }) => after.result && !before?.result && deadLetters.has(changeId))
      .map(({ after }) => after.matchId),
  );
  const log = writes.filter(({ before, after }) => after.rated && !before?.rated).map(({ after }) => after);
  for (const { matchId, result } of matches.values()) {
    const times = log.filter((one) => one.matchId === matchId).length;
    const isDue = result?.ranks !== undefined && !lost.has(matchId);
    if (times > 1 || (isDue && times === 0))
      found.push(`match ${matchId} was rated ${times} times, expected: ${isDue}`);
  }
  const { players } = replay(CHAOS_LADDER, log.map(playedOf));
  const people = [...players.keys()].filter((playerId) => !playerId.startsWith('bot '));
  const stored = await ratings.of(CHAOS_LADDER.name, people);
  for (const playerId of people) {
    const [again, now] = [players.get(playerId)!, stored.get(playerId)];
    for (const key of ['mean', 'deviation', 'matches', 'updatedAtMs'] as const)
      if (!Object.is(again[key], now?.[key]))
        found.push(`${key} of player ${playerId} is ${now?.[key]}, and ${again[key]} when rated again`);
  }
  return found;
}

function stands({ ranks, weights }: PostedResult, match: StoredMatch | undefined): boolean {
  const { result } = match ?? {};
  const stored = new Map(result?.weights);
  return (
    result !== undefined &&
    String(result.ranks) === String(ranks) &&
    (ranks === undefined || weights.every(([playerId, weight]) => (stored.get(playerId) ?? 1) === weight))
  );
}

/** A bot is another one in each match. */
function playedOf({ matchId, teams, result }: StoredMatch): PlayedMatch {
  const { at, ranks, weights = [] } = result!;
  const weightOf = new Map(weights);
  return {
    atMs: Date.parse(at),
    ranks,
    teams: teams.map(({ players }) =>
      players.map(({ playerId, bot }) => ({
        playerId: bot ? `bot ${playerId} of ${matchId}` : playerId,
        weight: weightOf.get(playerId) ?? 1,
      })),
    ),
  };
}
