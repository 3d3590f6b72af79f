import type { Ticket } from '../engine/types.ts';
import type { Estimates } from './memory.ts';

/** Replaces each player's skill by the percentage of recent players below it, 0 to 100. */
export function inPercentiles(tickets: readonly Ticket[], { rank }: Estimates): Ticket[] {
  return tickets.map((ticket) => ({
    ...ticket,
    players: ticket.players.map((player) => ({ ...player, skill: 100 * rank(player.skill) })),
  }));
}

/** Converts the estimates to percentages, over which arrivals are uniform by definition. */
export function ofPercentiles({ arrivalRate }: Estimates): Estimates {
  return {
    arrivalRate,
    density: () => arrivalRate / 100,
    typicalDensity: arrivalRate / 100,
    rank: (percentage) => percentage / 100,
    strongShare: 0.5,
  };
}
