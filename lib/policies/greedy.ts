import * as z from 'zod';
import { NUMBER_LIMITS } from '../rules/number-limits.ts';
import type { Policy } from './policy.ts';

/** Releases every possible game immediately, the best one first. No ticket waits if it can be matched. */
export const greedyOptions = z.strictObject({
  policy: z.literal('greedy'),
  /**
   * How much imbalance it may cost to keep one more game possible. The best game first takes solo players whom larger
   * parties need; a game then counts as this much worse for every game fewer that the sizes of the remaining parties can
   * form. It applies to two equal teams of up to 8 players, without roles and rules. Default: 0.
   */
  lostGameCost: z.number().min(0).max(NUMBER_LIMITS.weightMax).optional(),
});
export type GreedyOptions = z.infer<typeof greedyOptions>;

export function greedy({ lostGameCost }: Omit<GreedyOptions, 'policy'> = {}): Policy {
  return {
    candidates: (pool) => pool.bestFirst(lostGameCost),
    release: () => ({ release: true }),
  };
}
