import type { ShapeIndex } from '../queue/shape-index.ts';
import type { Layout } from '../shapes/layout.ts';
import type { ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import { mixesOf } from '../shapes/size-mixes.ts';
import type { Game } from '../types.ts';

/** A game of a partition: as a pool found it, or its tickets divided by the partition. */
export interface PartitionGame extends ShapedGame {
  /** Absent when the partition divided the tickets; `teams` is empty otherwise. */
  readonly game?: Game;
}

/** A pool of the tickets of a partition that are left, and the time of its priorities. */
export interface Search {
  readonly pool: ShapeIndex;
  readonly nowMs: number;
  /** Called before each search: when it returns true, the remaining tickets stay without a game. */
  readonly outOfTime: () => boolean;
}

/** The best game of all, repeatedly. */
export function gamesBestFirst(
  tickets: readonly ShapeTicket[],
  { pool, nowMs, outOfTime }: Search,
): PartitionGame[] {
  const byId = ticketsById(tickets);
  const games: PartitionGame[] = [];
  while (!outOfTime()) {
    const game = pool.best(nowMs);
    if (!game) break;
    const found = foundGame(game, byId);
    games.push(found);
    for (const ticket of found.members) pool.remove(ticket);
  }
  return games;
}

/** For each ticket in this order, the best game among the remaining tickets. A ticket without one is not retried. */
export function gamesInOrder(
  order: readonly ShapeTicket[],
  { pool, nowMs, outOfTime }: Search,
): PartitionGame[] {
  const left = ticketsById(order);
  const games: PartitionGame[] = [];
  for (const ticket of order) {
    if (!left.has(ticket.ticket.ticketId)) continue;
    if (outOfTime()) break;
    const game = pool.bestWith(ticket, nowMs);
    const found = game && foundGame(game, left);
    if (found) games.push(found);
    for (const member of found?.members ?? [ticket]) {
      pool.remove(member);
      left.delete(member.ticket.ticketId);
    }
  }
  return games;
}

/** The tickets in no game, in their order. */
export function leftOut(tickets: readonly ShapeTicket[], games: readonly ShapedGame[]): ShapeTicket[] {
  const seated = new Set(games.flatMap(({ members }) => members));
  return tickets.filter((ticket) => !seated.has(ticket));
}

/** Whether the sizes of these tickets, which are not split, add up to full teams at all. */
export function hasMix(tickets: readonly ShapeTicket[], layout: Layout): boolean {
  const counts = new Uint32Array(layout.partyMax + 1);
  for (const { size } of tickets) counts[size]++;
  return mixesOf(layout, layout.seats).some((mix) => mix.every((parties, size) => parties <= counts[size]));
}

/**
 * Tickets whose seats are accepted by the fewest players per seat come first, so that each gets the best of the others.
 * Equally scarce tickets are in order of skill; without classes of seats all are equally scarce.
 */
export function scarcestFirst(
  tickets: readonly ShapeTicket[],
  { classes: seats }: Layout,
): readonly ShapeTicket[] {
  if (!seats) return tickets;
  const willing = new Float64Array(seats.length);
  for (const { classes } of tickets)
    for (const mask of classes!) for (let at = 0; at < seats.length; at++) willing[at] += (mask >> at) & 1;
  const plentyOf = (mask: number) =>
    Math.max(...seats.map((one, at) => (((mask >> at) & 1) * willing[at]) / one.seats));
  const plenty = new Map(
    tickets.map((ticket) => [ticket, Math.min(...Array.from(ticket.classes!, plentyOf))]),
  );
  return tickets.toSorted((a, b) => plenty.get(a)! - plenty.get(b)!);
}

/** A game that a pool of these tickets found. */
function foundGame(game: Game, byId: ReadonlyMap<string, ShapeTicket>): PartitionGame {
  const members = game.ticketIds.map((ticketId) => byId.get(ticketId)!);
  return { members, teams: [], imbalance: game.imbalance, game };
}

function ticketsById(tickets: readonly ShapeTicket[]): Map<string, ShapeTicket> {
  return new Map(tickets.map((each) => [each.ticket.ticketId, each]));
}
