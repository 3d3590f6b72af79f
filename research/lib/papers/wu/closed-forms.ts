/**
 * Wu, "Dynamic Matching With Teams": one player arrives per period, H with probability q, else L. A game
 * takes two teams of n; when the teams' numbers of H differ by one it costs α per player. A player waiting
 * from one period to the next costs 1.
 */
export interface Market {
  /** n, players per team. */
  readonly teamSize: number;
  /** q, the probability of H. */
  readonly highShare: number;
}

/** Cost per period of the patient policy: n. */
export function patientCost({ teamSize }: Market): number {
  return teamSize;
}

/** Probability that 2n players have an odd number of H, so that no split is balanced. */
export function oddShare({ teamSize, highShare }: Market): number {
  return (1 - (2 * highShare - 1) ** (2 * teamSize)) / 2;
}

/** Cost per period of the greedy policy: n − 1/2 + α(1 − (2q − 1)^(2n))/2. */
export function greedyCost(market: Market, alpha: number): number {
  return market.teamSize - 1 / 2 + alpha * oddShare(market);
}

/** α*: greedy is optimal up to it, patient from it (Theorem 3.3). Infinite when every game is balanced. */
export function threshold(market: Market): number {
  return 1 / (2 * oddShare(market));
}
