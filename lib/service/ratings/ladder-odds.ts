import type { LadderOdds } from '../../contract/ladder-views.ts';
import { NEW_SLOPE } from '../../ratings/odds-slope.ts';
import { noSums, oddsBins } from '../../ratings/odds-sums.ts';
import type { LadderStore } from '../ports/ladder-store.ts';
import type { RatingStore } from '../ports/rating-store.ts';
import { openLadder } from './ladders.ts';

/** The measured quality of a ladder's odds. @throws Problem (404) */
export async function getLadderOdds(
  deps: { readonly ladders: Pick<LadderStore, 'get'>; readonly ratings: Pick<RatingStore, 'odds'> },
  ladder: string,
): Promise<LadderOdds> {
  await openLadder(deps.ladders, ladder);
  const { slope, sums } = (await deps.ratings.odds(ladder)) ?? { ...NEW_SLOPE, sums: noSums() };
  const { results, alike } = sums;
  const meanOf = (sum: number) => (results === 0 ? null : sum / results);
  const known = (share: number) => (Number.isNaN(share) ? null : share);
  return {
    ladder,
    results,
    slope,
    logLoss: meanOf(sums.logLoss),
    brier: meanOf(sums.brier),
    alike: { logLoss: meanOf(alike.logLoss), brier: meanOf(alike.brier) },
    bins: oddsBins(sums).map(({ from, to, count, predicted, happened, low, high }) => ({
      from,
      to,
      count,
      predicted: known(predicted),
      happened: known(happened),
      low: known(low),
      high: known(high),
    })),
  };
}
