import type { Game, GameRules, Ruling, Seat } from '../types.ts';
import { type Division, teamOf } from './division.ts';
import { shapeOf } from './game-shape.ts';
import { imbalance, priority } from './imbalance.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';

/**
 * Builds the game of these tickets, with exact numbers. Teams are sorted by their smallest ticketId, seats by ticketId.
 * `lowerBound` is a bound on the priority of every game in the pool.
 */
export function makeGame(
  members: readonly PooledTicket[],
  division: Division,
  rules: GameRules,
  roles: RoleTable | undefined,
  nowMs: number,
  lowerBound: number,
  ruling?: Ruling,
): Game {
  const order = members
    .map((member, i) => ({ member, team: teamOf(division, i) }))
    .sort((a, b) => (a.member.ticket.ticketId < b.member.ticket.ticketId ? -1 : 1));
  const byTeam: PooledTicket[][] = shapeOf(rules).teamSizes.map(() => []);
  const teams: PooledTicket[][] = [];
  let oldest = Number.POSITIVE_INFINITY;
  for (const { member, team } of order) {
    const mates = byTeam[team];
    if (mates.length === 0) teams.push(mates);
    mates.push(member);
    oldest = Math.min(oldest, member.ticket.enqueuedAtMs);
  }
  const numbers = imbalance(teams.map(skillsOf), rules);
  if (ruling) numbers.imbalance += ruling.cost;
  const g = priority(numbers.imbalance, oldest, nowMs, rules.beta);
  return {
    teams: teams.map((team) => seatsOf(team, roles)),
    ticketIds: order.map((entry) => entry.member.ticket.ticketId),
    ...numbers,
    priority: g,
    lowerBound: Math.min(lowerBound, g),
    optimal: lowerBound >= g,
    ...(ruling && { ruling }),
  };
}

function skillsOf(team: readonly PooledTicket[]): number[] {
  const all: number[] = [];
  for (const { skills } of team) for (let i = 0; i < skills.length; i++) all.push(skills[i]);
  return all;
}

function seatsOf(team: readonly PooledTicket[], roles: RoleTable | undefined): Seat[] {
  const seats: Seat[] = [];
  for (const { ticket } of team) {
    const { ticketId } = ticket;
    for (const { playerId, attributes } of ticket.players) {
      seats.push(attributes ? { playerId, ticketId, attributes } : { playerId, ticketId });
    }
  }
  if (!roles) return seats;
  const given = roles.seat(team.flatMap((member) => [...member.masks]));
  if (!given) throw new Error(`Expected a team that can be seated, got ${seats.map((p) => p.playerId)}`);
  return seats.map((seat, i) => ({ ...seat, role: given[i] }));
}
