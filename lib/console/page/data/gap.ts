import type { MatchView } from '../../../contract/match.ts';

/** By how much a better match could have been better at most. */
export function gapOf({ optimal, priority, lowerBound }: MatchView): number {
  return optimal ? 0 : priority - lowerBound;
}

/** How much of its imbalance a better match could have saved at most: all of it, where the gap comes from waits too. */
export function savedAtMost(match: MatchView): number {
  return Math.min(match.imbalance, gapOf(match));
}
