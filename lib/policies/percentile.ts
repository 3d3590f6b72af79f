import type { Ticket } from '../engine/types.ts';
import type { Estimates } from './memory.ts';

/** The same tickets with each player's skill as the percentage of recent players below, 0 to 100. */
export function inPercentiles(tickets: readonly Ticket[], { rank }: Estimates): Ticket[] {
  return tickets.map((ticket) => ({
    ...ticket,
    players: ticket.players.map((player) => ({ ...player, skill: 100 * rank(player.skill) })),
  }));
}

/** The same estimates for skills that are percentages: by definition arrivals are spread evenly over them. */
export function ofPercentiles({ arrivalRate }: Estimates): Estimates {
  return {
    arrivalRate,
    density: () => arrivalRate / 100,
    typicalDensity: arrivalRate / 100,
    rank: (percentage) => percentage / 100,
    strongShare: 0.5,
  };
}
