import * as z from 'zod';
import { shapeOf } from '../engine/game-pool.ts';
import { isLastChance, oldestAgeMs, type Policy, type PoolFacts, youngestAgeMs } from './policy.ts';

/**
 * Balanced games at once; an unbalanced one waits for the next player when that is worth it: Wu, section 3.
 *
 * There a game unbalanced by α per player, in units of what one period of waiting costs one player, is
 * made at once exactly when α ≤ 1/(1 − (2h − 1)^(2n)), n the team size and h the share of strong players.
 * Here a period is the mean time between two arrivals, α is what the imbalance exceeds `imbalanceMax` by,
 * in units of what the wait since the game became possible and one more period cost one player, and h is the
 * share of recent players above their mean.
 */
export const patientOptions = z.strictObject({
  policy: z.literal('patient'),
  /** Games up to this imbalance are made at once. */
  imbalanceMax: z.number().nonnegative(),
  /** How much imbalance one second of waiting of one player is worth. */
  waitCost: z.number().positive(),
});
export type PatientOptions = z.infer<typeof patientOptions>;

export function patient({ imbalanceMax, waitCost }: PatientOptions): Policy {
  return {
    candidates: (pool) => pool.bestFirst(),
    release({ game, tickets }, facts, nowMs) {
      const excess = game.imbalance - imbalanceMax;
      const heldSeconds = youngestAgeMs(tickets, nowMs) / 1000;
      const alpha = excess / (waitCost * (heldSeconds + 1 / facts.arrivalRate));
      if (alpha <= greedyUpTo(facts) || isLastChance(oldestAgeMs(tickets, nowMs), facts)) {
        return { release: true };
      }
      return {
        release: false,
        reason:
          `A game of imbalance ${game.imbalance.toPrecision(4)} is possible; above ${imbalanceMax} it waits ` +
          'for better company while the next player may still mend it.',
      };
    },
  };
}

/** Wu's threshold 1/(1 − (2h − 1)^(2n)). */
function greedyUpTo({ rules, strongShare }: PoolFacts): number {
  return 1 / (1 - (2 * strongShare - 1) ** shapeOf(rules).seats);
}
