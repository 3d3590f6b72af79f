import type { MatchView } from '../../../contract/match.ts';
import { provedGap } from '../../../contract/proved-gap.ts';

/** How much of its imbalance a better match could have saved at most: all of it, where the gap comes from waits too. */
export function savedAtMost(match: MatchView): number {
  return Math.min(match.imbalance, provedGap(match));
}
