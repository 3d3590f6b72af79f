import type { Ticket } from 'muster/engine';
import { isLastChance, oldestAgeMs, type Policy } from 'muster/policies';

/**
 * Proposes games provisionally, the best one first. A game is released once it has been possible for a time
 * proportional to its imbalance; until then a newcomer may break it up. This is A_DW of Schlup, section 4.4,
 * extended to teams of any size.
 *
 * @param secondsPerImbalance f_wait: seconds a game is held per unit of its imbalance, ≥ 0. With 0 the policy is greedy
 */
export function differenceWait(secondsPerImbalance: number): Policy {
  return {
    candidates: (pool) => pool.bestFirst(),
    release({ game, tickets }, facts, nowMs) {
      const holdMs = 1000 * secondsPerImbalance * game.imbalance;
      const heldMs = youngestAgeMs(tickets, nowMs);
      if (heldMs >= holdMs || isLastChance(oldestAgeMs(tickets, nowMs), facts)) return { release: true };
      return {
        release: false,
        reason:
          `A match with imbalance ${game.imbalance.toPrecision(4)} is possible. It is held for ` +
          `${(holdMs / 1000).toFixed(1)} s in case a better one appears; ${(heldMs / 1000).toFixed(1)} s have passed.`,
      };
    },
  };
}

/** The age in milliseconds of the newest ticket. The game has been possible for this long. */
export function youngestAgeMs(tickets: readonly Ticket[], nowMs: number): number {
  let age = Number.POSITIVE_INFINITY;
  for (const ticket of tickets) age = Math.min(age, nowMs - ticket.enqueuedAtMs);
  return age;
}
