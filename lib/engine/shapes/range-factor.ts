import { lemma6 } from '../bounds/range-bounds.ts';
import type { GameRules } from '../types.ts';
import type { Layout } from './layout.ts';

/**
 * The factor c of `imbalance ≥ c·(max − min)` for games of n players: Lemma 6 with n players in place of 2k,
 * c = (2/n)^(1/q)/2, and α more where all teams have one player, because teamGap is the range itself there.
 */
export function perRangeOf(layout: Layout, { alpha, q }: Pick<GameRules, 'alpha' | 'q'>, n: number): number {
  return lemma6(n / 2, q) + (layout.isFreeForAll ? alpha : 0);
}
