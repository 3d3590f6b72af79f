import type { DividedGame } from './exchange-tickets.ts';
import type { GamePool } from './game-pool.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { Game } from './types.ts';

/** Where games are sought. */
export interface GamesOf {
  /** A pool of these tickets. */
  poolOf(tickets: readonly PooledTicket[]): GamePool;
  readonly nowMs: number;
}

/** The best game of each ticket in this order among those left; a ticket that has none is passed over, for good. */
export function gamesInOrder(order: readonly PooledTicket[], { poolOf, nowMs }: GamesOf): DividedGame[] {
  const pool = poolOf(order);
  const left = new Map(order.map((pooled) => [pooled.ticket.ticketId, pooled]));
  const games: DividedGame[] = [];
  for (const { ticket } of order) {
    if (!left.has(ticket.ticketId)) continue;
    const game = pool.bestWith(ticket.ticketId, nowMs);
    if (game) games.push(divided(game, left));
    for (const ticketId of game?.ticketIds ?? [ticket.ticketId]) {
      pool.remove(ticketId);
      left.delete(ticketId);
    }
  }
  return games;
}

function divided(
  { teams, ticketIds, imbalance }: Game,
  tickets: ReadonlyMap<string, PooledTicket>,
): DividedGame {
  const first = new Set(teams[0].map(({ ticketId }) => ticketId));
  return {
    members: ticketIds.map((ticketId) => tickets.get(ticketId)!),
    firstTeam: ticketIds.reduce((team, ticketId, i) => (first.has(ticketId) ? team | (1 << i) : team), 0),
    imbalance,
  };
}
