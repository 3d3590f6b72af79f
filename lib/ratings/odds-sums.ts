/** The bins of odds, of equal width. */
export const ODDS_BINS = 10;

/** What is added up of odds and results: enough for every measure but the slope. */
export interface OddsSums {
  results: number;
  /** Of −log(odds of the result), in nats. A draw is shared. */
  logLoss: number;
  /** Of the squared difference between the odds of a team and its share of the win, the mean over the teams. */
  brier: number;
  /** The same of odds that are alike for all teams. */
  readonly alike: { logLoss: number; brier: number };
  readonly bins: { count: number; predicted: number; won: number }[];
}

/** The sums of no result. */
export function noSums(): OddsSums {
  return {
    results: 0,
    logLoss: 0,
    brier: 0,
    alike: { logLoss: 0, brier: 0 },
    bins: Array.from({ length: ODDS_BINS }, () => ({ count: 0, predicted: 0, won: 0 })),
  };
}

/**
 * Adds a match to the sums.
 * @param odds the chance of each team, summing to 1
 * @param shares the share of the win of each team
 */
export function addResult(sums: OddsSums, odds: readonly number[], shares: readonly number[]): void {
  const even = 1 / odds.length;
  sums.results++;
  for (const [team, chance] of odds.entries()) {
    const share = shares[team]!;
    if (share > 0) {
      sums.logLoss -= share * Math.log(chance);
      sums.alike.logLoss -= share * Math.log(even);
    }
    sums.brier += (chance - share) ** 2 / odds.length;
    sums.alike.brier += (even - share) ** 2 / odds.length;
    // The odds of the last team follow from the others': of two teams one is counted.
    if (team === odds.length - 1) continue;
    const bin = sums.bins[Math.min(ODDS_BINS - 1, Math.floor(chance * ODDS_BINS))]!;
    bin.count++;
    bin.predicted += chance;
    bin.won += share;
  }
}

/** One of the bins of odds. */
export interface OddsBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** The mean of the odds; NaN without any. */
  readonly predicted: number;
  /** The share that has won, and its 95% interval (Wilson); NaN without any. */
  readonly happened: number;
  readonly low: number;
  readonly high: number;
}

/** How often teams have won, by their odds. */
export function oddsBins({ bins }: OddsSums): OddsBin[] {
  return bins.map(({ count, predicted, won }, i) => ({
    from: i / ODDS_BINS,
    to: (i + 1) / ODDS_BINS,
    count,
    predicted: predicted / count,
    happened: won / count,
    ...wilson(won, count),
  }));
}

/** The quantile of the normal distribution for 95%. */
const Z = 1.959964;

/** The 95% interval of a share: Wilson, "Probable inference, the law of succession, and statistical inference", 1927. */
function wilson(won: number, count: number): { readonly low: number; readonly high: number } {
  if (count === 0) return { low: Number.NaN, high: Number.NaN };
  const share = won / count;
  const squared = Z * Z;
  const centre = share + squared / (2 * count);
  const half = Z * Math.sqrt((share * (1 - share)) / count + squared / (4 * count * count));
  const scale = 1 + squared / count;
  return { low: Math.max(0, (centre - half) / scale), high: Math.min(1, (centre + half) / scale) };
}
