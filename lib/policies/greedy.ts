import type { Policy } from './policy.ts';

/**
 * Releases every possible game immediately, the best one first of those with which no other is lost by the sizes of parties.
 * No ticket waits if it can be matched.
 */
export function greedy(): Policy {
  return {
    candidates: (pool) => pool.bestFirst(true),
    release: () => ({ release: true }),
  };
}
