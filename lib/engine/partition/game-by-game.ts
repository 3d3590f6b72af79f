import { type DividedGame, divisionBy } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { mixesOf } from '../model/party-mixes.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import type { Forbids, Game, GameRules } from '../types.ts';
import type { TicketPool } from './ticket-pool.ts';

/** Makes the pools to search, and gives the time of the priorities. */
export interface GameSearch {
  /** A pool of these tickets. */
  poolOf(tickets: readonly PooledTicket[]): TicketPool;
  readonly nowMs: number;
  /** Called before each search: when it returns true, the remaining tickets stay without a game. */
  readonly outOfTime: () => boolean;
}

/** For each ticket in this order, the best game among the remaining tickets. A ticket without one is not retried. */
export function gamesInOrder(
  order: readonly PooledTicket[],
  { poolOf, nowMs, outOfTime }: GameSearch,
): DividedGame[] {
  const pool = poolOf(order);
  const left = new Map(order.map((pooled) => [pooled.ticket.ticketId, pooled]));
  const games: DividedGame[] = [];
  for (const { ticket } of order) {
    if (!left.has(ticket.ticketId)) continue;
    if (outOfTime()) break;
    const game = pool.bestWith(ticket.ticketId, nowMs);
    if (game) games.push(divided(game, left));
    for (const ticketId of game?.ticketIds ?? [ticket.ticketId]) {
      pool.remove(ticketId);
      left.delete(ticketId);
    }
  }
  return games;
}

/** Adds all games that can be formed of the remaining tickets, in order of skill. */
export function withTheRest(
  games: readonly DividedGame[],
  pooled: readonly PooledTicket[],
  rules: GameRules,
  roles: RoleTable | undefined,
  search: GameSearch,
): DividedGame[] {
  const all = [...games];
  for (;;) {
    const left = leftOut(pooled, all);
    const more = hasMix(left, rules) ? gamesInOrder(scarcestFirst(left, roles), search) : [];
    if (more.length === 0) break;
    all.push(...more);
  }
  const totalSkill = ({ members }: DividedGame) =>
    members.reduce((sum, { mean, size }) => sum + size * mean, 0);
  return all.sort((a, b) => totalSkill(a) - totalSkill(b));
}

/** The tickets in no game, in their order. */
export function leftOut(pooled: readonly PooledTicket[], games: readonly DividedGame[]): PooledTicket[] {
  const seated = new Set(games.flatMap(({ members }) => members));
  return pooled.filter((ticket) => !seated.has(ticket));
}

/** First the tickets with the most refused pairs, then the largest parties, while others remain to complete them. */
export function hardestFirst(pooled: readonly PooledTicket[], forbids: Forbids | undefined): PooledTicket[] {
  const refusals = new Map(
    pooled.map((a) => [
      a,
      forbids ? pooled.filter((b) => b !== a && forbids(a.ticket, b.ticket) !== undefined).length : 0,
    ]),
  );
  return pooled.toSorted((a, b) => refusals.get(b)! - refusals.get(a)! || b.size - a.size);
}

/** Whether the sizes of these tickets add up to full teams at all. */
function hasMix(tickets: readonly PooledTicket[], rules: GameRules): boolean {
  const sizes = new Uint32Array(rules.teamSize + 1);
  for (const { size } of tickets) sizes[size]++;
  return sizes.some((count, size) => count > 0 && mixesOf(sizes, size, shapeOf(rules)).length > 0);
}

/**
 * Tickets whose roles are accepted by the fewest players per seat come first, so that each gets the best of the others.
 * Equally scarce tickets are in order of skill; without roles all are equally scarce.
 */
function scarcestFirst(
  tickets: readonly PooledTicket[],
  roles: RoleTable | undefined,
): readonly PooledTicket[] {
  if (!roles) return tickets;
  const perSeat = roles.seats.map((seats, role) => {
    const willing = tickets.reduce(
      (sum, { masks }) => sum + masks.filter((mask) => (mask >> role) & 1).length,
      0,
    );
    return willing / seats;
  });
  const plentyOf = (mask: number) =>
    Math.max(...perSeat.map((plenty, role) => ((mask >> role) & 1) * plenty));
  const plenty = new Map(tickets.map((ticket) => [ticket, Math.min(...Array.from(ticket.masks, plentyOf))]));
  return tickets.toSorted((a, b) => plenty.get(a)! - plenty.get(b)!);
}

function divided(
  { teams, ticketIds, imbalance }: Game,
  tickets: ReadonlyMap<string, PooledTicket>,
): DividedGame {
  const teamByTicket = new Map(teams.flatMap((team, t) => team.map(({ ticketId }) => [ticketId, t])));
  return {
    members: ticketIds.map((ticketId) => tickets.get(ticketId)!),
    division: divisionBy(ticketIds.length, (i) => teamByTicket.get(ticketIds[i])!),
    imbalance,
  };
}
