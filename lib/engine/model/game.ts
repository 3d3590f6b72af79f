import type { Game, GameRules, Seat } from '../types.ts';
import { imbalance, priority } from './imbalance.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';
import { skillsOf } from './ticket-divider.ts';

/**
 * The game these tickets play, with exact numbers. The team with the smallest ticketId stands first,
 * seats go by ticketId. `lowerBound` is a bound on the priority of every game in the pool.
 */
export function makeGame(
  members: readonly PooledTicket[],
  firstTeam: number,
  rules: GameRules,
  roles: RoleTable | undefined,
  nowMs: number,
  lowerBound: number,
): Game {
  const order = members
    .map((member, i) => ({ member, first: (firstTeam >> i) & 1 }))
    .sort((a, b) => (a.member.ticket.ticketId < b.member.ticket.ticketId ? -1 : 1));
  const x: PooledTicket[] = [];
  const y: PooledTicket[] = [];
  let oldest = Number.POSITIVE_INFINITY;
  for (const { member, first } of order) {
    (first === order[0].first ? x : y).push(member);
    oldest = Math.min(oldest, member.ticket.enqueuedAtMs);
  }
  const numbers = imbalance(skillsOf(x, -1), skillsOf(y, -1), rules);
  const g = priority(numbers.imbalance, oldest, nowMs, rules.beta);
  return {
    teams: [seats(x, roles), seats(y, roles)],
    ticketIds: order.map((entry) => entry.member.ticket.ticketId),
    ...numbers,
    priority: g,
    lowerBound: Math.min(lowerBound, g),
    optimal: lowerBound >= g,
  };
}

function seats(team: readonly PooledTicket[], roles: RoleTable | undefined): Seat[] {
  const places: Seat[] = [];
  for (const { ticket } of team) {
    for (const { playerId } of ticket.players) places.push({ playerId, ticketId: ticket.ticketId });
  }
  if (!roles) return places;
  const given = roles.seat(team.flatMap((member) => [...member.masks]));
  if (!given) throw new Error(`Expected a team that can be seated, got ${places.map((p) => p.playerId)}`);
  return places.map((place, i) => ({ ...place, role: given[i] }));
}
