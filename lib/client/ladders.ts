import type { LadderOdds, Rating, RatingList } from './api-types.ts';
import type { Call, RequestOptions } from './requests.ts';
import { to } from './route-to.ts';

/** What a game backend reads of ladders. Definitions and imports of ratings are sent by `request`. */
export interface LaddersClient {
  /** What the odds of the matches of a ladder were worth. */
  odds(ladder: string, options?: RequestOptions): Promise<LadderOdds>;
  /** The ratings of up to 50 players, in the order of the ids. */
  ratings(ladder: string, playerIds: readonly string[], options?: RequestOptions): Promise<readonly Rating[]>;
}

/** The ladders of a service. */
export function laddersClient(call: Call): LaddersClient {
  return {
    odds: (ladder, more) => call(to('GET /ladders/{ladder}/odds', { ladder }), more),
    ratings: async (ladder, ids, more) => {
      const route = to('GET /ladders/{ladder}/players', { ladder }, { playerIds: ids.join() });
      return (await call<RatingList>(route, more)).ratings;
    },
  };
}
