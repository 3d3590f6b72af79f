import { lossAt } from './odds-slope.ts';
import { addResult, noSums, type OddsBin, oddsBins } from './odds-sums.ts';

export type { OddsBin };

/** What odds were worth. */
export interface OddsWorth {
  readonly matches: number;
  /** The mean of −log(odds of the result), in nats: 0 is a prophet, log(teams) "all teams alike". A draw is shared. */
  readonly logLoss: number;
  /** The mean squared difference between the odds of a team and its share of the win, 0 to 1. */
  readonly brier: number;
  /** The share of matches that the favourite won. A draw, or two favourites, count half. */
  readonly accuracy: number;
  /** The slope with which these odds would have had the least log loss; 1 is calibrated. NaN when all odds are alike, or always right. */
  readonly slope: number;
  readonly bins: readonly OddsBin[];
}

const NEWTON_STEPS = 30;

/** Collects odds and what has happened. */
export class OddsMeasures {
  readonly #seen: { readonly odds: readonly number[]; readonly shares: readonly number[] }[] = [];
  readonly #sums = noSums();
  #right = 0;

  /**
   * Adds a match.
   * @param odds the chance of each team, summing to 1
   * @param shares the share of the win of each team
   */
  add(odds: readonly number[], shares: readonly number[]): void {
    this.#seen.push({ odds, shares });
    addResult(this.#sums, odds, shares);
    const most = Math.max(...odds);
    const favourites = odds.filter((chance) => chance === most).length;
    for (const [team, chance] of odds.entries())
      if (chance === most) this.#right += shares[team]! / favourites;
  }

  get worth(): OddsWorth {
    const matches = this.#seen.length;
    return {
      matches,
      logLoss: this.#sums.logLoss / matches,
      brier: this.#sums.brier / matches,
      accuracy: this.#right / matches,
      slope: this.#slope(),
      bins: oddsBins(this.#sums),
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
      if (Math.abs(change) < 1e-9) return slope;
    }
    // The larger the slope, the smaller the loss: the favourite has always won.
    return Number.NaN;
  }
}
