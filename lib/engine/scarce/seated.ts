import type { PooledTicket } from '../model/pooled-ticket.ts';

/**
 * The players of a game who are chosen first, with their teams: its scarce players, and with waiting times perhaps the dense
 * one who has waited longest. The other dense players are still missing.
 */
export interface Seated {
  readonly scarce: readonly PooledTicket[];
  /** Bit i is set when scarce player i plays on the first team. */
  readonly division: number;
  /** What the longest wait of the scarce players adds to the cost of a game. */
  readonly wait: number;
  /** The place of a chosen dense player, who plays on the first team; 0 when there is none. */
  readonly oldest: number;
  /** The chosen players, and how many more of them the first team has. */
  readonly count: number;
  readonly ahead: number;
  /** The sum of their skills and of the squares, and how much larger the first team's sum is. Relative to `origin`, for precision. */
  readonly origin: number;
  readonly sum: number;
  readonly squares: number;
  readonly difference: number;
  /** Their mean, their sum of squared deviations from it, and by how much the first team's sum of deviations is larger. */
  readonly mean: number;
  readonly ssd: number;
  readonly gap: number;
}

/**
 * Describes chosen players with their teams.
 *
 * @param oldestSkill the skill of the chosen dense player, if `oldest` is not 0
 */
export function seatedOf(
  scarce: readonly PooledTicket[],
  division: number,
  wait: number,
  oldest: number,
  oldestSkill: number,
): Seated {
  const origin = scarce[0].mean;
  let sum = 0;
  let squares = 0;
  let difference = 0;
  let ahead = 0;
  for (let i = 0; i < scarce.length; i++) {
    const value = scarce[i].mean - origin;
    const side = (division >> i) & 1 ? 1 : -1;
    sum += value;
    squares += value * value;
    difference += side * value;
    ahead += side;
  }
  let count = scarce.length;
  if (oldest > 0) {
    const value = oldestSkill - origin;
    sum += value;
    squares += value * value;
    difference += value;
    ahead++;
    count++;
  }
  return {
    scarce,
    division,
    wait,
    oldest,
    count,
    ahead,
    origin,
    sum,
    squares,
    difference,
    mean: origin + sum / count,
    ssd: Math.max(0, squares - (sum * sum) / count),
    gap: difference - (ahead * sum) / count,
  };
}
