import { lossAt } from './odds-slope.ts';

/** One of the ten bins of odds. */
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

/** What odds were worth. */
export interface OddsWorth {
  readonly matches: number;
  /** The mean of −log(odds of the result), in nats: 0 is a prophet, log(teams) "all teams alike". A draw is shared. */
  readonly logLoss: number;
  /** The mean squared difference between the odds of a team and its share of the win, 0 to 1. */
  readonly brier: number;
  /** The share of matches that the favourite won. A draw, or two favourites, count half. */
  readonly accuracy: number;
  /** The slope with which these odds would have had the least log loss; 1 is calibrated. NaN when all odds are alike. */
  readonly slope: number;
  readonly bins: readonly OddsBin[];
}

const BINS = 10;
/** The quantile of the normal distribution for 95%. */
const Z = 1.959964;
const NEWTON_STEPS = 30;

/** Collects odds and what has happened. */
export class OddsMeasures {
  readonly #seen: { readonly odds: readonly number[]; readonly shares: readonly number[] }[] = [];
  readonly #bins = Array.from({ length: BINS }, () => ({ count: 0, predicted: 0, won: 0 }));
  #logLoss = 0;
  #brier = 0;
  #right = 0;

  /**
   * Adds a match.
   * @param odds the chance of each team, summing to 1
   * @param shares the share of the win of each team
   */
  add(odds: readonly number[], shares: readonly number[]): void {
    this.#seen.push({ odds, shares });
    const most = Math.max(...odds);
    const favourites = odds.filter((chance) => chance === most).length;
    for (const [team, chance] of odds.entries()) {
      const share = shares[team]!;
      if (share > 0) this.#logLoss -= share * Math.log(chance);
      this.#brier += (chance - share) ** 2 / odds.length;
      if (chance === most) this.#right += share / favourites;
      // The odds of the last team follow from the others': of two teams one is counted.
      if (team === odds.length - 1) continue;
      const bin = this.#bins[Math.min(BINS - 1, Math.floor(chance * BINS))]!;
      bin.count++;
      bin.predicted += chance;
      bin.won += share;
    }
  }

  get worth(): OddsWorth {
    const matches = this.#seen.length;
    return {
      matches,
      logLoss: this.#logLoss / matches,
      brier: this.#brier / matches,
      accuracy: this.#right / matches,
      slope: this.#slope(),
      bins: this.#bins.map(({ count, predicted, won }, i) => ({
        from: i / BINS,
        to: (i + 1) / BINS,
        count,
        predicted: predicted / count,
        happened: won / count,
        ...wilson(won, count),
      })),
    };
  }

  /** By Newton's method: the log loss is convex in the slope. */
  #slope(): number {
    let slope = 1;
    for (let step = 0; step < NEWTON_STEPS; step++) {
      let [gradient, curvature] = [0, 0];
      for (const { odds, shares } of this.#seen) {
        const one = lossAt(odds, shares, slope);
        gradient += one.gradient;
        curvature += one.curvature;
      }
      if (curvature < 1e-9) return Number.NaN;
      // A step of more than a half may overshoot where odds are sure.
      const change = Math.max(-0.5, Math.min(0.5, gradient / curvature));
      slope -= change;
      if (Math.abs(change) < 1e-9) break;
    }
    return slope;
  }
}

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
