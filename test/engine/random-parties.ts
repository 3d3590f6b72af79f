import type { Game, Ticket } from '../../lib/engine/types.ts';
import { normal } from './random-pool.ts';

/**
 * Parties of up to `teamSize` for a little more than one game, mostly small ones.
 *
 * @param skillOf the skill of a player of a party of this level. @default near the level
 */
export function randomParties(
  random: () => number,
  teamSize: number,
  skillOf = (level: number) => level + 20 * normal(random),
): Ticket[] {
  const tickets: Ticket[] = [];
  for (let players = 0; players < 2 * teamSize + 3; ) {
    const size = Math.min(teamSize, 1 + Math.floor(random() * random() * (teamSize + 1)));
    const level = 1500 + 100 * normal(random);
    const ticketId = `t${tickets.length}`;
    tickets.push({
      ticketId,
      enqueuedAtMs: 0,
      players: Array.from({ length: size }, (_, i) => ({
        playerId: `${ticketId}.${i}`,
        skill: skillOf(level),
      })),
    });
    players += size;
  }
  return tickets;
}

/** The least imbalance of the games with a ticket that have so many parties of each size; ∞ when there are none. */
export function bestOfMix(
  games: readonly Pick<Game, 'ticketIds' | 'imbalance'>[],
  tickets: readonly Ticket[],
  ticketId: string,
  mix: ArrayLike<number>,
): number {
  const sizeOf = new Map(tickets.map((ticket) => [ticket.ticketId, ticket.players.length]));
  let best = Number.POSITIVE_INFINITY;
  for (const { ticketIds, imbalance } of games) {
    if (!ticketIds.includes(ticketId) || imbalance >= best) continue;
    const counts = new Uint8Array(mix.length);
    for (const member of ticketIds) counts[sizeOf.get(member)!]++;
    if (counts.every((count, size) => count === mix[size])) best = imbalance;
  }
  return best;
}
