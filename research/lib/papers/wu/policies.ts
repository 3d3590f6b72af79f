import type { RandomSource } from 'muster/simulation';
import type { Estimate } from '../finding.ts';
import { BlockMeans } from '../statistics.ts';
import type { Market } from './closed-forms.ts';

export interface PolicyCosts {
  /** Waiting cost per period. */
  readonly waiting: Estimate;
  /** Imbalanced games' players per period: times α it is the imbalance cost. */
  readonly imbalanced: Estimate;
  /** Π_k: the share of periods that end with k players in the pool, for k = 0 … 2n. */
  readonly bySize: readonly Estimate[];
}

/**
 * Plays one of the two policies of the paper for a number of periods, player by player.
 *
 * Both form every balanced game at once. With 2n players that cannot be balanced, `greedy` forms the game
 * at its cost. `patient` waits for one more player; then 2n of the 2n + 1 can be balanced.
 */
export function playPolicy(
  policy: 'greedy' | 'patient',
  { teamSize, highShare }: Market,
  periods: number,
  random: RandomSource,
): PolicyCosts {
  const gameSize = 2 * teamSize;
  const blockSize = Math.max(1, Math.floor(periods / 200));
  const waiting = new BlockMeans(blockSize);
  const imbalanced = new BlockMeans(blockSize);
  const bySize = Array.from({ length: gameSize + 1 }, () => new BlockMeans(blockSize));
  let high = 0;
  let low = 0;
  for (let period = 0; period < periods; period++) {
    if (random.uniform() < highShare) high++;
    else low++;
    let imbalancedPlayers = 0;
    if (high + low === gameSize && high % 2 === 0) {
      high = 0;
      low = 0;
    } else if (high + low === gameSize && policy === 'greedy') {
      high = 0;
      low = 0;
      imbalancedPlayers = gameSize;
    } else if (high + low > gameSize) {
      // With one player too many, the game omits one of the kind whose number is odd.
      const left = high % 2 === 1 ? { high: 1, low: 0 } : { high: 0, low: 1 };
      ({ high, low } = left);
    }
    waiting.add(high + low);
    imbalanced.add(imbalancedPlayers);
    for (let size = 0; size <= gameSize; size++) bySize[size].add(high + low === size ? 1 : 0);
  }
  return {
    waiting: { value: waiting.mean, standardError: waiting.standardError },
    imbalanced: { value: imbalanced.mean, standardError: imbalanced.standardError },
    bySize: bySize.map(({ mean, standardError }) => ({ value: mean, standardError })),
  };
}
