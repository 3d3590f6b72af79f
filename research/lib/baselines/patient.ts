import { shapeOf } from 'muster/engine';
import { isLastChance, oldestAgeMs, type Policy, type PoolFacts } from 'muster/policies';
import { youngestAgeMs } from './difference-wait.ts';

/** What `patient` trades. */
export interface PatientOptions {
  /** Games up to this imbalance are released immediately. In the unit of skill, ≥ 0. */
  readonly imbalanceMax: number;
  /** How much imbalance one second of one player's wait is worth, in the unit of skill, > 0. */
  readonly waitCost: number;
}

/**
 * Releases balanced games immediately. An unbalanced game waits for the next player when that is worthwhile:
 * Wu, section 3.
 *
 * In the paper, α is the imbalance per player in units of the cost of one period of waiting for one player. A game
 * is made at once exactly when α ≤ 1/(1 − (2h − 1)^(2n)), where n is the team size and h the share of strong
 * players. Here a period is the mean time between two arrivals. α is the imbalance in excess of `imbalanceMax`, in
 * units of the cost to one player of the wait since the game became possible plus one more period. h is the share
 * of recent players above their mean.
 */
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
          `A match with imbalance ${game.imbalance.toPrecision(4)} is possible. Above ${imbalanceMax} it is held ` +
          'while the next player to arrive may improve it.',
      };
    },
  };
}

/** Wu's threshold 1/(1 − (2h − 1)^(2n)). */
function greedyUpTo({ rules, strongShare }: PoolFacts): number {
  return 1 / (1 - (2 * strongShare - 1) ** shapeOf(rules).seats);
}
