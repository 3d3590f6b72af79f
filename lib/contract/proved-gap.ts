import type { MatchView } from './match.ts';

/** A smaller gap is rounding: imbalances are sums of skills in the thousands. */
const ROUNDING = 1e-6;

/** The most by which a match could have had a lower priority, and so one of as long a wait a lower imbalance; 0: it is proved best. */
export function provedGap({
  optimal,
  priority,
  lowerBound,
}: Pick<MatchView, 'optimal' | 'priority' | 'lowerBound'>): number {
  const gap = optimal ? 0 : priority - lowerBound;
  return gap <= ROUNDING ? 0 : gap;
}
