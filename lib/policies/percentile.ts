import type { Ticket } from '../engine/types.ts';
import type { Estimates } from './memory.ts';

/** Replaces each player's skill by the percentage of recent players below it, 0 to 100: in tickets and in backfills. */
export function inPercentiles<Group extends Pick<Ticket, 'players'>>(
  groups: readonly Group[],
  { rank }: Estimates,
): Group[] {
  return groups.map((group) => ({
    ...group,
    players: group.players.map((player) => ({ ...player, skill: 100 * rank(player.skill) })),
  }));
}

/** Converts the estimates to percentages, over which arrivals are uniform by definition. */
export function ofPercentiles({ arrivalRate }: Estimates): Estimates {
  return {
    arrivalRate,
    density: () => arrivalRate / 100,
    typicalDensity: () => arrivalRate / 100,
    rank: (percentage) => percentage / 100,
    strongShare: 0.5,
  };
}
