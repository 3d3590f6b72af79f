import { priority } from '../model/imbalance.ts';
import type { Game, GameRules, Ruling, Seat, TeamMember } from '../types.ts';
import type { Layout } from './layout.ts';
import { seatingOfTeam } from './seating.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { shapeImbalance } from './team-values.ts';

/** Tickets divided into the teams of a game. */
export interface ShapedGame {
  readonly members: readonly ShapeTicket[];
  /** The team of each player, in the order of the members and their players. */
  readonly teams: ArrayLike<number>;
  readonly imbalance: number;
}

/**
 * Builds a game with exact numbers. Teams are in the order of the layout; those of one kind are sorted by their smallest
 * ticketId, seats by ticketId. `lowerBound` is a bound on the priority of every game in the pool.
 */
export function makeShapedGame(
  { members, teams }: Pick<ShapedGame, 'members' | 'teams'>,
  rules: GameRules,
  layout: Layout,
  nowMs: number,
  lowerBound: number,
  ruling?: Ruling,
): Game {
  const sides: Side[] = layout.kindOf.map((kind) => ({ kind, seated: [] }));
  let oldest = Number.POSITIVE_INFINITY;
  let player = 0;
  for (const ticket of members) {
    oldest = Math.min(oldest, ticket.ticket.enqueuedAtMs);
    for (let at = 0; at < ticket.size; at++) sides[teams[player++]].seated.push({ ticket, at });
  }
  for (const { seated } of sides) seated.sort(byId);
  sides.sort((a, b) => a.kind - b.kind || byId(a.seated[0], b.seated[0]));
  const numbers = shapeImbalance(
    sides.map(({ seated }) => seated.map(({ ticket, at }) => ticket.skills[at])),
    layout,
    rules,
  );
  if (ruling) numbers.imbalance += ruling.cost;
  const g = priority(numbers.imbalance, oldest, nowMs, rules.beta);
  return {
    teams: sides.map((side) => seatsOf(side, layout)),
    ...(layout.names && { teamNames: layout.names }),
    ticketIds: members.map(({ ticket }) => ticket.ticketId).sort(),
    ...numbers,
    priority: g,
    lowerBound: Math.min(lowerBound, g),
    optimal: lowerBound >= g,
    ...(ruling && { ruling }),
  };
}

/**
 * The tickets on each team, as constraints judge them.
 *
 * @param numbers of the members in the constraints
 * @param teamOf the team of each player, in the order of the members and their players
 */
export function membersOf(
  members: readonly ShapeTicket[],
  numbers: ArrayLike<number>,
  teamOf: ArrayLike<number>,
  teams: number,
): TeamMember[][] {
  const all = Array.from({ length: teams }, (): TeamMember[] => []);
  let first = 0;
  members.forEach(({ size, isSplit }, m) => {
    const ticket = numbers[m];
    if (!isSplit) all[teamOf[first]].push(ticket);
    else {
      all.forEach((team, t) => {
        const players: number[] = [];
        for (let i = 0; i < size; i++) if (teamOf[first + i] === t) players.push(i);
        if (players.length > 0) team.push({ ticket, players });
      });
    }
    first += size;
  });
  return all;
}

/** The mean skill of the players of a game. */
export function meanOf(members: readonly ShapeTicket[]): number {
  let sum = 0;
  let players = 0;
  for (const { mean, size } of members) {
    sum += mean * size;
    players += size;
  }
  return sum / players;
}

/** One team of a game: its kind and its players. */
export interface Side {
  readonly kind: number;
  readonly seated: SeatedPlayer[];
}

export interface SeatedPlayer {
  readonly ticket: ShapeTicket;
  /** The player's place in its ticket. */
  readonly at: number;
}

/** The order of seats: by ticketId. */
export function byId(a: SeatedPlayer, b: SeatedPlayer): number {
  const x = a.ticket.ticket.ticketId;
  const y = b.ticket.ticket.ticketId;
  return x === y ? a.at - b.at : x < y ? -1 : 1;
}

/** The seats of a team, with their roles, in the order of its players. */
export function seatsOf({ kind, seated }: Side, layout: Layout): Seat[] {
  const seats = seated.map(({ ticket: { ticket }, at }): Seat => {
    const { ticketId, players } = ticket;
    const { playerId, attributes } = players[at];
    return attributes ? { playerId, ticketId, attributes } : { playerId, ticketId };
  });
  const seating = seatingOfTeam(layout, kind);
  if (!seating) return seats;
  for (const { ticket, at } of seated) {
    if (!seating.joinOne(ticket.classes![at]))
      throw new Error(`Expected a team that can be seated, got ${seats.map(({ playerId }) => playerId)}`);
  }
  return seats.map((seat, i) => ({ ...seat, role: layout.classes![seating.seatOf(i)].role! }));
}
