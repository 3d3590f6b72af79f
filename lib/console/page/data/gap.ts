import type { MatchView } from '../../../contract/match.ts';
import { provedGap } from '../../../contract/proved-gap.ts';
import { numberText } from '../format.ts';

/** How much of its imbalance a match of as long a wait could have saved at most: all of it, where the gap comes from waits too. */
export function savedAtMost(match: MatchView): number {
  return Math.min(match.imbalance, provedGap(match));
}

/** What is proved of a match. One without imbalance may still not be the best: another could have had a longer wait. */
export function proofText(match: MatchView): string {
  const gap = provedGap(match);
  return gap === 0 ? 'proved best' : `within ${numberText(gap)}`;
}
