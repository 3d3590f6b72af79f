import { type Division, teamOf } from '../model/division.ts';
import { imbalance, priority } from '../model/imbalance.ts';
import type { Game, GameRules, Ticket } from '../types.ts';

/**
 * Builds the game of two teams of these solo players, with exact numbers. Teams are sorted by their smallest ticketId,
 * seats by ticketId. `lowerBound` is a bound on the priority of every game in the pool.
 */
export function soloGame(
  tickets: readonly Ticket[],
  division: Division,
  rules: GameRules,
  nowMs: number,
  lowerBound: number,
): Game {
  const byTeam: Ticket[][] = [[], []];
  const teams: Ticket[][] = [];
  const ticketIds: string[] = [];
  let oldest = Number.POSITIVE_INFINITY;
  for (const place of placesById(tickets)) {
    const ticket = tickets[place];
    const mates = byTeam[teamOf(division, place)];
    if (mates.length === 0) teams.push(mates);
    mates.push(ticket);
    ticketIds.push(ticket.ticketId);
    oldest = Math.min(oldest, ticket.enqueuedAtMs);
  }
  const numbers = imbalance(
    teams.map((team) => team.map(({ players }) => players[0].skill)),
    rules,
  );
  const g = priority(numbers.imbalance, oldest, nowMs, rules.beta);
  return {
    teams: teams.map((team) =>
      team.map(({ ticketId, players: [{ playerId, attributes }] }) =>
        attributes ? { playerId, ticketId, attributes } : { playerId, ticketId },
      ),
    ),
    ticketIds,
    ...numbers,
    priority: g,
    lowerBound: Math.min(lowerBound, g),
    optimal: lowerBound >= g,
  };
}

/** The places of the tickets in the order of their ticketIds. They are few, so each is inserted where it belongs. */
function placesById(tickets: readonly Ticket[]): number[] {
  const order: number[] = [];
  for (let place = 0; place < tickets.length; place++) {
    const { ticketId } = tickets[place];
    let to = place;
    for (; to > 0 && tickets[order[to - 1]].ticketId > ticketId; to--) order[to] = order[to - 1];
    order[to] = place;
  }
  return order;
}
