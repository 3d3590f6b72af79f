import type { Game, GameRules, Ruling, Seat, Ticket } from '../types.ts';
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
  const tickets = members.map(({ ticket }) => ticket);
  const rolesOf = roles && ((team: readonly number[]) => rolesOfTeam(team, members, roles));
  return gameOf(tickets, division, rules, nowMs, lowerBound, rolesOf, ruling);
}

/**
 * The same of tickets alone.
 *
 * @param rolesOf the roles of the players of a team, which is given by the places of its tickets. @default no roles
 */
export function gameOf(
  tickets: readonly Ticket[],
  division: Division,
  rules: GameRules,
  nowMs: number,
  lowerBound: number,
  rolesOf?: (team: readonly number[]) => readonly string[],
  ruling?: Ruling,
): Game {
  const order = placesById(tickets);
  const byTeam: number[][] = shapeOf(rules).teamSizes.map(() => []);
  const teams: number[][] = [];
  const ticketIds: string[] = [];
  let oldest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < order.length; i++) {
    const place = order[i];
    const mates = byTeam[teamOf(division, place)];
    if (mates.length === 0) teams.push(mates);
    mates.push(place);
    ticketIds.push(tickets[place].ticketId);
    oldest = Math.min(oldest, tickets[place].enqueuedAtMs);
  }
  const numbers = imbalance(
    teams.map((team) => skillsOf(team, tickets)),
    rules,
  );
  if (ruling) numbers.imbalance += ruling.cost;
  const g = priority(numbers.imbalance, oldest, nowMs, rules.beta);
  return {
    teams: teams.map((team) => seatsOf(team, tickets, rolesOf?.(team))),
    ticketIds,
    ...numbers,
    priority: g,
    lowerBound: Math.min(lowerBound, g),
    optimal: lowerBound >= g,
    ...(ruling && { ruling }),
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

function skillsOf(team: readonly number[], tickets: readonly Ticket[]): number[] {
  const all: number[] = [];
  for (let i = 0; i < team.length; i++) {
    const { players } = tickets[team[i]];
    for (let player = 0; player < players.length; player++) all.push(players[player].skill);
  }
  return all;
}

function seatsOf(
  team: readonly number[],
  tickets: readonly Ticket[],
  roles: readonly string[] | undefined,
): Seat[] {
  const seats: Seat[] = [];
  for (let i = 0; i < team.length; i++) {
    const { ticketId, players } = tickets[team[i]];
    for (let player = 0; player < players.length; player++) {
      const { playerId, attributes } = players[player];
      const role = roles?.[seats.length];
      seats.push({
        playerId,
        ticketId,
        ...(attributes && { attributes }),
        ...(role !== undefined && { role }),
      });
    }
  }
  return seats;
}

function rolesOfTeam(team: readonly number[], members: readonly PooledTicket[], roles: RoleTable): string[] {
  const given = roles.seat(team.flatMap((place) => [...members[place].masks]));
  if (!given)
    throw new Error(
      `Expected a team that can be seated, got ${team.map((place) => members[place].ticket.ticketId)}`,
    );
  return given;
}
